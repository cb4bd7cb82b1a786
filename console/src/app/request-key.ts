// The Idempotency-Key of what is made by a press of a button (docs/reference/idempotency.md). A press after a lost
// connection sends the same body under the same key, so that nothing is made twice; after a reload, too.
import { useMemo } from 'react';
import { Problem } from '../api/problem.ts';
import { dropKept, keep, readKept } from './kept.ts';

export interface RequestKey {
  /** The key of this body: the one that it was sent under before, while nothing has decided about it. */
  of(body: unknown): string;
  /** Call it when the request has ended. A response that decides about it ends the key. */
  settled(error: Error | null): void;
}

interface Sent {
  readonly key: string;
  /** Of the body. */
  readonly digest: string;
}

/** Where what was sent is remembered. */
export interface SentPlace {
  read(): Sent | undefined;
  write(sent: Sent | undefined): void;
}

/** @param name of what is made, with the record that it is made for; it is kept for the tab by that name */
export function useRequestKey(name: string): RequestKey {
  return useMemo(() => createRequestKey(placeOf(name)), [name]);
}

/** @param place without one it is forgotten with the page */
export function createRequestKey(place: SentPlace = createPlace()): RequestKey {
  return {
    of(body) {
      const digest = digestOf(JSON.stringify(body) ?? '');
      const sent = place.read();
      if (sent?.digest === digest) return sent.key;
      const key = crypto.randomUUID();
      place.write({ key, digest });
      return key;
    },
    settled(error) {
      if (error === null || isRefusal(error)) place.write(undefined);
    },
  };
}

function createPlace(): SentPlace {
  let held: Sent | undefined;
  return {
    read: () => held,
    write: (sent) => {
      held = sent;
    },
  };
}

function placeOf(name: string): SentPlace {
  const keptName = `sent-${name}`;
  return {
    read() {
      const text = readKept(keptName);
      return text === undefined ? undefined : (JSON.parse(text) as Sent);
    },
    write(sent) {
      if (sent === undefined) dropKept(keptName);
      else keep(keptName, JSON.stringify(sent));
    },
  };
}

/**
 * Not the body itself, which has no place in two. Two bodies with the same digest would be refused by the service: the
 * key with another body is 422.
 */
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}-${(hash >>> 0).toString(36)}`;
}

/** Whether the service has refused it, so that nothing was stored. Other failures leave it open. */
export function isRefusal(error: Error): boolean {
  return error instanceof Problem && error.status < 500 && error.status !== 429 && !error.isUnderWay;
}
