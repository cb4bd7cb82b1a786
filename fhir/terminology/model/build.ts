// Reads large code systems into columns beside whatever else the process does.
import { once } from 'node:events';
import { setImmediate as others } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Json } from '../json.ts';
import type { Columns } from './code-system-model.ts';
import type { ConceptChange } from './flat-concepts.ts';

export interface BuiltCodeSystem {
  /** The resource without its concepts. */
  readonly head: Json;
  /** Undefined for one without a URL, which nothing can name. */
  readonly columns: Columns | undefined;
}

/** What the thread is told: a whole resource, or what a code system was and what has changed of it, part by part. */
export type BuildMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'begin'; readonly head: Json; readonly columns: Columns | undefined }
  | { readonly kind: 'changes'; readonly changes: readonly ConceptChange[] }
  | { readonly kind: 'end' };

/** Concepts that are handed over at once: each is copied. */
const AT_ONCE = 1_000;

/**
 * In a thread of its own, with the words of its names.
 * @param text the CodeSystem as JSON.
 * @throws what is wrong with the text
 */
export async function buildInThread(text: string): Promise<BuiltCodeSystem> {
  return workerThreads(async (worker) => worker.postMessage({ kind: 'text', text } satisfies BuildMessage));
}

/** A code system without a hierarchy, and what is to be changed of it. */
export interface FlatChanges {
  /** The CodeSystem without its concepts. */
  readonly head: Json;
  /** As it was; undefined: without concepts. It can be asked all the while. */
  readonly columns: Columns | undefined;
  readonly changes: ReadonlyMap<string, Json | undefined>;
}

/**
 * The same, in a thread of its own, of a code system whose concepts change one by one.
 * @throws the reason of `signal` when it is aborted
 */
export async function changeInThread(
  { head, columns, changes }: FlatChanges,
  signal: AbortSignal,
): Promise<BuiltCodeSystem> {
  return workerThreads(async (worker) => {
    const tell = (message: BuildMessage): void => worker.postMessage(message);
    tell({ kind: 'begin', head, columns });
    const entries = changes.entries();
    for (let sent = 0; sent < changes.size; sent += AT_ONCE) {
      tell({ kind: 'changes', changes: [...entries.take(AT_ONCE)] });
      await others(undefined, { signal });
    }
    tell({ kind: 'end' });
  }, signal);
}

async function workerThreads(tell: (worker: Worker) => Promise<void>, signal?: AbortSignal): Promise<BuiltCodeSystem> {
  const worker = new Worker(new URL('./build-worker.ts', import.meta.url));
  try {
    const answered = once(worker, 'message', signal === undefined ? {} : { signal }) as Promise<[BuiltCodeSystem]>;
    const [[built]] = await Promise.all([answered, tell(worker)]);
    return built;
  } finally {
    await worker.terminate();
  }
}
