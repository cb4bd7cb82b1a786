// What the main thread and a thread of ./worker-pool.ts say to each other.
import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode, Issue } from '../errors.ts';

export type ToThread = { readonly kind: 'work'; readonly message: unknown } | { readonly kind: 'next' };

/** An error as it can be sent: of a ServiceError its code and errors. */
export type SentError =
  | { readonly code: ErrorCode; readonly message: string; readonly issues: readonly Issue[] }
  | { readonly message: string; readonly stack: string | undefined };

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'done'; readonly result: unknown; readonly usedMs: number }
  | { readonly kind: 'failed'; readonly error: SentError; readonly usedMs: number };

/** Where a thread sleeps until its question is answered. */
export interface ThreadMemory {
  readonly cell: Int32Array;
  /** Of the main thread: the answer has been sent. */
  readonly wake: () => void;
}

export interface ThreadData {
  readonly given: unknown;
  readonly questions: MessagePort;
  readonly memory: Pick<ThreadMemory, 'cell'>;
}

export function createThreadMemory(): ThreadMemory {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  return {
    cell,
    wake: () => {
      Atomics.store(cell, 0, 1);
      Atomics.notify(cell, 0);
    },
  };
}
