// Reads large code systems into columns beside whatever else the process does.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Json } from '../json.ts';
import type { Columns } from './code-system-model.ts';

export interface BuiltCodeSystem {
  /** The resource without its concepts. */
  readonly head: Json;
  /** Undefined for one without a URL, which nothing can name. */
  readonly columns: Columns | undefined;
}

/** In a thread of its own, with the words of its names. @param text the CodeSystem as JSON. @throws what is wrong with the text */
export async function buildAside(text: string): Promise<BuiltCodeSystem> {
  const worker = new Worker(new URL('./build-worker.ts', import.meta.url));
  try {
    worker.postMessage(text);
    const [built] = (await once(worker, 'message')) as [BuiltCodeSystem];
    return built;
  } finally {
    await worker.terminate();
  }
}
