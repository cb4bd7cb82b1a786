// How the console reads: what was busy or away is asked again, and what was refused is shown at once.
import { QueryClient } from '@tanstack/react-query';
import { isPassing } from '../api/problem.ts';

const RETRIES = 2;
const FRESH_MS = 30_000;

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The console says itself that there is no connection, and tries.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (count, error) => count < RETRIES && isPassing(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
}
