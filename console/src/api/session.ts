// The session as the browser sees it: whether it lives, when it was last used, and its silent renewal. No token ever
// reaches this code (docs/adr/0092).
import { serverPlace } from '../place.ts';
import { nameActing } from './acting.ts';
import { answered } from './under-way.ts';

export type SessionState = 'open' | 'ended';
export type Connection = 'online' | 'offline';

export interface SessionView {
  readonly state: SessionState;
  readonly connection: Connection;
  /** In milliseconds: the last request that counted as use. */
  readonly usedAt: number;
}

let view: SessionView = { state: 'open', connection: 'online', usedAt: Date.now() };
const listeners = new Set<() => void>();
let renewing: Promise<boolean> | undefined;

/** Where a renewal ends that succeeded, and what is asked of a server that was away: costs the gateway nothing. */
const ALIVE = '/livez';

/** For `useSyncExternalStore`. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function sessionView(): SessionView {
  return view;
}

function change(next: Partial<SessionView>): void {
  view = { ...view, ...next };
  for (const listener of listeners) listener();
}

/** An address that could not be reached: there is no connection, or nothing listens. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached', { cause });
    this.name = 'UnreachableError';
  }
}

/**
 * `fetch` with the session. An expired token is renewed once without asking; where that fails the session has ended,
 * and the response is the 401.
 * @throws UnreachableError
 */
export async function sessionFetch(input: Request): Promise<Response> {
  const request = new Request(input);
  const place = serverPlace();
  if (place !== undefined) return place.fetch(request);
  request.headers.set('Kedja-Console', '1');
  nameActing(request);
  const again = request.clone();
  const response = await answered(request, reach);
  if (response.status !== 401) return response;
  if (await renew()) return answered(again, reach);
  change({ state: 'ended' });
  return response;
}

async function reach(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    // One may have signed in again in another tab.
    change({ connection: 'online', ...(response.ok ? { usedAt: Date.now(), state: 'open' } : {}) });
    return response;
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    change({ connection: 'offline' });
    throw new UnreachableError(cause);
  }
}

/** Asks whether the server can be reached again; without the session, so that it counts as no use. */
export async function probe(): Promise<void> {
  try {
    await fetch(ALIVE, { cache: 'no-store' });
    change({ connection: 'online' });
  } catch {
    // Still away.
  }
}

/** All requests that fail at once wait for one renewal. */
function renew(): Promise<boolean> {
  renewing ??= passThroughSignIn().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

/** Identity lets the browser pass while its session lives; else the way ends at a page that asks. */
async function passThroughSignIn(): Promise<boolean> {
  try {
    const response = await fetch(`/auth/login?${new URLSearchParams({ return_to: ALIVE })}`);
    return response.ok && new URL(response.url).pathname === ALIVE;
  } catch {
    return false;
  }
}

/** The address of the sign-in that leads back to where one is. */
export function signInAddress(): string {
  const { pathname, search } = window.location;
  return `/auth/login?${new URLSearchParams({ return_to: `${pathname}${search}`, lang: document.documentElement.lang })}`;
}
