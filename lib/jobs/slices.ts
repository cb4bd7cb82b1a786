// Long work on the main thread in slices, between which others are served.
import { setImmediate as others } from 'node:timers/promises';

export interface Slices {
  /** Lets others go on when enough time has passed since they last did; nothing otherwise. */
  rest(): Promise<void> | undefined;
}

/** Milliseconds of a slice. */
const SLICE_MS = 10;

export function createSlices(): Slices {
  let until = performance.now() + SLICE_MS;
  const pause = async (): Promise<void> => {
    await others();
    until = performance.now() + SLICE_MS;
  };
  return { rest: () => (performance.now() < until ? undefined : pause()) };
}
