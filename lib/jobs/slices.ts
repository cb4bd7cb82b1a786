// Splits long work on the main thread into slices, so that other requests are served in between.
import { setImmediate as others } from 'node:timers/promises';

export interface Slices {
  /** Yields to the event loop when the slice is used up; returns at once otherwise. */
  rest(): Promise<void> | undefined;
}

/** Milliseconds of a slice. */
const SLICE_MS = 10;

export function createSlices(): Slices {
  let until = performance.now() + SLICE_MS;
  // Callers that share the object share one slice. Waiting immediates run in one turn, where separate slices would add
  // up.
  let pausing: Promise<void> | undefined;
  const pause = async (): Promise<void> => {
    await others();
    until = performance.now() + SLICE_MS;
    pausing = undefined;
  };
  const rest = (): Promise<void> | undefined => {
    if (pausing === undefined && performance.now() < until) return undefined;
    pausing ??= pause();
    return pausing;
  };
  return { rest };
}

/** Maps the items with `make`, in slices. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  make: (item: T) => R,
  slices = createSlices(),
): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) {
    made.push(make(item));
    await slices.rest();
  }
  return made;
}

/** The number of texts that are sorted at once, in a few milliseconds. */
const RUN = 2_000;
/** The number of texts that are merged between two readings of the clock. */
const STRIDE = 256;

/** The texts in their order by UTF-16 units, as `toSorted` gives it. */
export async function sortInSlices(texts: readonly string[], slices = createSlices()): Promise<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let start = 0; start < texts.length; start += RUN) {
    runs.push(texts.slice(start, start + RUN).sort());
    await slices.rest();
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], slices));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(left: readonly string[], right: readonly string[], slices: Slices): Promise<readonly string[]> {
  const merged: string[] = [];
  let [a, b] = [0, 0];
  for (;;) {
    const [one, other] = [left[a], right[b]];
    if (one === undefined && other === undefined) return merged;
    if (other === undefined || (one !== undefined && one <= other)) {
      merged.push(one ?? '');
      a += 1;
    } else {
      merged.push(other);
      b += 1;
    }
    if (merged.length % STRIDE === 0) await slices.rest();
  }
}
