// Clean-up in the reverse order of setting up, which `after` of node:test does not keep.

/** A test's context, or `{ after }` of `node:test` for a whole file. */
export interface Hooks {
  after(cleanUp: () => Promise<void>): void;
}

/** Hooks whose clean-ups run last one first. */
export function lastFirst(hooks: Hooks): Hooks {
  const cleanUps: (() => Promise<void>)[] = [];
  hooks.after(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });
  return { after: (cleanUp) => void cleanUps.push(cleanUp) };
}
