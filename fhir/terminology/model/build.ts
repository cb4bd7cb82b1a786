// Reads large code systems into columns in a worker thread.
import { once } from 'node:events';
import { setImmediate as others } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { makeThread } from '#lib/jobs/spare-memory.ts';
import type { Json } from '../json.ts';
import type { Columns } from './code-system-model.ts';
import type { ConceptChange } from './flat-concepts.ts';

export interface BuiltCodeSystem {
  /** The resource without its concepts. */
  readonly head: Json;
  /** Undefined for one without a URL, which no canonical can name. */
  readonly columns: Columns | undefined;
}

/** Messages to the thread: a whole resource, or the columns of a code system and its changes, in parts. */
export type BuildMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'begin'; readonly head: Json; readonly columns: Columns | undefined }
  | { readonly kind: 'changes'; readonly changes: readonly ConceptChange[] }
  | { readonly kind: 'end' };

/** Concepts in one message: each is copied. */
const BATCH_SIZE = 1_000;

/**
 * Reads a code system in a worker thread, with the words of its names.
 * @param text the CodeSystem as JSON.
 * @throws the error of reading the text
 */
export async function buildInThread(text: string): Promise<BuiltCodeSystem> {
  return workerThreads(async (worker) => worker.postMessage({ kind: 'text', text } satisfies BuildMessage));
}

/** A code system without a hierarchy, and its changes. */
export interface FlatChanges {
  /** The CodeSystem without its concepts. */
  readonly head: Json;
  /** The model before the changes; undefined for one without concepts. It stays usable. */
  readonly columns: Columns | undefined;
  readonly changes: ReadonlyMap<string, Json | undefined>;
}

/**
 * Applies changes of single concepts to a code system, in a worker thread.
 * @throws the reason of `signal` when it is aborted
 */
export async function changeInThread(
  { head, columns, changes }: FlatChanges,
  signal: AbortSignal,
): Promise<BuiltCodeSystem> {
  return workerThreads(async (worker) => {
    const send = (message: BuildMessage): void => worker.postMessage(message);
    send({ kind: 'begin', head, columns });
    const entries = changes.entries();
    for (let sent = 0; sent < changes.size; sent += BATCH_SIZE) {
      send({ kind: 'changes', changes: [...entries.take(BATCH_SIZE)] });
      await others(undefined, { signal });
    }
    send({ kind: 'end' });
  }, signal);
}

async function workerThreads(send: (worker: Worker) => Promise<void>, signal?: AbortSignal): Promise<BuiltCodeSystem> {
  const worker = makeThread(() => new Worker(new URL('./build-worker.ts', import.meta.url)));
  try {
    const received = once(worker, 'message', signal === undefined ? {} : { signal }) as Promise<[BuiltCodeSystem]>;
    const [[built]] = await Promise.all([received, send(worker)]);
    return built;
  } finally {
    await worker.terminate();
  }
}
