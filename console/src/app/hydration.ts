// What the gateway has rendered into the page (../server/first-view.ts), and whether the console can go on from it.
import { type DehydratedState, hydrate, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';

/** What a first view shows. */
export interface FirstState {
  readonly read: DehydratedState['queries'];
  readonly refused: readonly Refusal[];
}

interface Refusal {
  readonly queryKey: QueryKey;
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/** The first script of the page sets it where the view is not this tab's (gateway/console/early.ts). */
const FOREIGN = 'foreign';

/** Takes what was read; whether its elements are there, too. */
export function takeFirstView(root: HTMLElement, queries: QueryClient): boolean {
  const state = document.getElementById('first-view')?.textContent ?? '';
  const isForeign = FOREIGN in document.documentElement.dataset;
  delete document.documentElement.dataset[FOREIGN];
  if (state === '' || isForeign) {
    root.replaceChildren();
    return false;
  }
  takeState(queries, JSON.parse(state));
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset['style'] ?? '';
    delete element.dataset['style'];
  }
  return true;
}

function takeState(queries: QueryClient, { read, refused }: FirstState): void {
  // Clocks differ: it was read when it came.
  const dataUpdatedAt = Date.now();
  hydrate(queries, {
    mutations: [],
    queries: read.map((each) => ({ ...each, state: { ...each.state, dataUpdatedAt } })),
  });
  for (const { queryKey, status, body, requestId } of refused) {
    const headers = requestId === undefined ? {} : { 'x-request-id': requestId };
    const error = new Problem(new Response(null, { status, headers }), body);
    // Until it is asked for again.
    queries.setQueryDefaults(queryKey, { retryOnMount: false });
    queries.getQueryCache().build(queries, { queryKey }).setState({ status: 'error', error, fetchStatus: 'idle' });
  }
}

/**
 * Notifies the first script of the page that elements respond from now on. It enters again what was entered meanwhile,
 * and presses what was pressed (gateway/console/early.ts). More calls do nothing.
 */
export function announceStart(): void {
  document.dispatchEvent(new Event('kedja-started'));
}
