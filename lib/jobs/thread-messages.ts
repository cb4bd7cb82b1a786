// The messages between the main thread and a thread of ./worker-pool.ts.
import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode, Issue } from '../errors.ts';

export type ToThread = { readonly kind: 'work'; readonly message: unknown } | { readonly kind: 'next' };

/** An error in a form that can be posted: a ServiceError with its code and issues. */
export type SentError =
  | { readonly code: ErrorCode; readonly message: string; readonly issues: readonly Issue[] }
  | { readonly message: string; readonly stack: string | undefined };

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'done'; readonly result: unknown; readonly usedMs: number }
  | { readonly kind: 'failed'; readonly error: SentError; readonly usedMs: number };

/** The shared memory on which a thread sleeps until the main thread responds. */
export interface ThreadMemory {
  readonly cell: Int32Array;
  /** Set by the main thread when it has sent its response. */
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
