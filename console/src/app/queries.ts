// How the console reads: what was busy or away is asked again, and what was refused is shown at once.
import {
  type DefaultOptions,
  MutationCache,
  onlineManager,
  type Query,
  QueryCache,
  QueryClient,
} from '@tanstack/react-query';
import { actingFor } from '../api/acting.ts';
import { isPassing, Problem } from '../api/problem.ts';
import { sessionView, subscribe } from '../api/session.ts';

const RETRIES = 2;
const FRESH_MS = 30_000;
/** Between two tries of what failed, once the quick ones are over. */
const AGAIN_MS = 10_000;

/** The gateway reads by the same, without trying again. */
export const queryDefaults = {
  queries: {
    staleTime: FRESH_MS,
    // The console says itself that there is no connection, and tries.
    networkMode: 'always',
    refetchOnReconnect: true,
    refetchInterval: ({ state: { error } }) => (error !== null && isPassing(error) ? AGAIN_MS : false),
    retry: (count, error) => count < RETRIES && isPassing(error),
  },
  mutations: { networkMode: 'always' },
} satisfies DefaultOptions;

export function createQueries(): QueryClient {
  // There is a connection when the server answers, whatever the browser says of its network.
  subscribe(() => onlineManager.setOnline(sessionView().connection === 'online'));
  // The right to act for somebody may have ended: who one is, is read again (shell/acting-note.tsx reports it).
  const onError = (error: unknown) => {
    const isRefused = error instanceof Problem && error.status === 403;
    if (isRefused && actingFor() !== undefined) void queries.invalidateQueries({ queryKey: ['me'] });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: queryDefaults,
  });
  return queries;
}

/** Whether a component that was rendered waits for it. `meta: { isLater: true }` marks one that no screen waits for. */
export function isUnread({ state, options, meta }: Query): boolean {
  const { enabled = true } = options as { readonly enabled?: unknown };
  return state.status === 'pending' && enabled === true && meta?.['isLater'] !== true;
}
