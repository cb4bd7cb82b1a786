// Clean-up in the reverse order of setting up, which `after` of node:test does not keep.

/** A test's context, or `{ after }` of `node:test` for a whole file. */
export interface Hooks {
  after(cleanUp: () => Promise<void>): void;
}

/** Hooks whose clean-ups run last one first, all of them even when one fails: what stays open keeps the process from ending. */
export function lastFirst(hooks: Hooks): Hooks {
  const cleanUps: (() => Promise<void>)[] = [];
  hooks.after(async () => {
    const faults: unknown[] = [];
    for (const cleanUp of cleanUps.reverse()) await cleanUp().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, 'Clean-ups failed');
  });
  return { after: (cleanUp) => void cleanUps.push(cleanUp) };
}
