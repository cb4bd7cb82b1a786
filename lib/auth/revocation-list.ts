// The list of revoked tokens, in memory (decision G8). It is loaded before a node is ready. A hint and a poll of
// identity's revocation feed every second keep it current. A list that could not be refreshed is stale, and a stale
// list is not trusted.
import { type Clock, elapsedOf } from '../clock.ts';

/** One entry of identity's revocation feed, in commit order. */
export type RevocationEvent =
  | { readonly kind: 'token_revoked'; readonly tokenId: string; readonly expiresAt: number }
  /** The user's access blob changed: cached copies must be dropped. */
  | { readonly kind: 'user_changed'; readonly userGuid: string }
  /** The published keys changed. */
  | { readonly kind: 'keys_changed' };

export interface RevocationPage {
  readonly events: readonly RevocationEvent[];
  /** The sequence number of the newest event that the page covers. */
  readonly sequence: number;
  readonly hasMore: boolean;
}

export interface RevocationSource {
  /** Events after the sequence number; 0 starts with every revoked token that has not expired yet. */
  readAfter(sequence: number): Promise<RevocationPage>;
}

export interface RevocationList {
  /** Reads new events. Concurrent calls share one read; a call made during a read gets a second one. */
  refresh(): Promise<void>;
  isRevoked(tokenId: string): boolean;
  /** Whether the last refresh began at most two seconds ago. */
  isFresh(): boolean;
  /** The position in the feed that this list has read up to. */
  sequence(): number;
  onUserChanged(listener: (userGuid: string) => void): void;
  onKeysChanged(listener: () => void): void;
}

const FRESH_FOR_MS = 2_000;
const SWEEP_EVERY = 256;

export function createRevocationList(options: { source: RevocationSource; clock: Clock }): RevocationList {
  const { source, clock } = options;
  const expiryByToken = new Map<string, number>();
  const userListeners: Array<(userGuid: string) => void> = [];
  const keyListeners: Array<() => void> = [];
  let sequence = 0;
  let freshAsOf = Number.NEGATIVE_INFINITY;
  let refreshes = 0;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  function apply(event: RevocationEvent): void {
    switch (event.kind) {
      case 'token_revoked':
        expiryByToken.set(event.tokenId, event.expiresAt);
        return;
      case 'user_changed':
        for (const listener of userListeners) listener(event.userGuid);
        return;
      case 'keys_changed':
        for (const listener of keyListeners) listener();
        return;
      default:
        event satisfies never;
    }
  }

  async function readAll(): Promise<void> {
    const startedAt = elapsedOf(clock);
    for (;;) {
      const page = await source.readAfter(sequence);
      for (const event of page.events) apply(event);
      sequence = page.sequence;
      if (!page.hasMore) break;
    }
    freshAsOf = startedAt;
    refreshes += 1;
    if (refreshes % SWEEP_EVERY === 0) sweepExpired(expiryByToken, clock.now());
  }

  function start(): Promise<void> {
    running = readAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  function refresh(): Promise<void> {
    if (running === undefined) return start();
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = undefined;
        return start();
      });
    return queued;
  }

  return {
    refresh,
    isRevoked: (tokenId) => expiryByToken.has(tokenId),
    isFresh: () => elapsedOf(clock) - freshAsOf <= FRESH_FOR_MS,
    sequence: () => sequence,
    onUserChanged: (listener) => userListeners.push(listener),
    onKeysChanged: (listener) => keyListeners.push(listener),
  };
}

function sweepExpired(expiryByToken: Map<string, number>, nowMs: number): void {
  for (const [tokenId, expiresAt] of expiryByToken) {
    if (expiresAt * 1000 < nowMs) expiryByToken.delete(tokenId);
  }
}
