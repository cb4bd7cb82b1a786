// A bound on how much of one kind of work is under way: the rest waits for its turn, in the order in which it came.

/** Runs work, at once or when it is its turn. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (work) => {
    // Who ends hands the turn on, so that nobody who comes meanwhile takes it.
    if (underWay >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}
