// How the console reads: what was busy or away is asked again, and what was refused is shown at once.
import { onlineManager, QueryClient } from '@tanstack/react-query';
import { isPassing } from '../api/problem.ts';
import { sessionView, subscribe } from '../api/session.ts';

const RETRIES = 2;
const FRESH_MS = 30_000;
/** Between two tries of what failed, once the quick ones are over. */
const AGAIN_MS = 10_000;

export function createQueries(): QueryClient {
  // There is a connection when the server answers, whatever the browser says of its network.
  subscribe(() => onlineManager.setOnline(sessionView().connection === 'online'));
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The console says itself that there is no connection, and tries.
        networkMode: 'always',
        refetchOnReconnect: true,
        refetchInterval: ({ state: { error } }) => (error !== null && isPassing(error) ? AGAIN_MS : false),
        retry: (count, error) => count < RETRIES && isPassing(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
}
