// The Idempotency-Key of what is made by a press of a button (docs/reference/idempotency.md). A press after a lost
// connection sends the same body under the same key, so that nothing is made twice.
import { useState } from 'react';
import { Problem } from '../api/problem.ts';

export interface RequestKey {
  /** The key of this body: the one that it was sent under before, while nothing has decided about it. */
  of(body: unknown): string;
  /** Call it when the request has ended. A response that decides about it ends the key. */
  settled(error: Error | null): void;
}

export function useRequestKey(): RequestKey {
  const [key] = useState(createRequestKey);
  return key;
}

export function createRequestKey(): RequestKey {
  let sent: { readonly key: string; readonly text: string } | undefined;
  return {
    of(body) {
      const text = JSON.stringify(body);
      if (sent?.text !== text) sent = { key: crypto.randomUUID(), text };
      return sent.key;
    },
    settled(error) {
      if (error === null || isRefusal(error)) sent = undefined;
    },
  };
}

/** Whether the service has refused it, so that nothing was stored. Other failures leave it open. */
export function isRefusal(error: Error): boolean {
  return error instanceof Problem && error.status < 500 && error.status !== 429;
}
