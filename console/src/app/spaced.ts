// Many calls become few.

export interface Spaced {
  (): void;
  /** Forgets the one that waits. */
  cancel(): void;
}

/**
 * Does it at once, and then at most once in so many milliseconds; the last call always counts. `act` is given whether
 * it is done at once.
 */
export function spaced(milliseconds: number, act: (isAtOnce: boolean) => void): Spaced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  const run = (isAtOnce: boolean) => {
    isWanted = false;
    act(isAtOnce);
    timer = setTimeout(() => {
      timer = undefined;
      if (isWanted) run(false);
    }, milliseconds);
  };
  const call = () => {
    if (timer === undefined) run(true);
    else isWanted = true;
  };
  return Object.assign(call, {
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      isWanted = false;
    },
  });
}
