// Runs clean-ups in the reverse order of setup, which `after` of node:test does not do.

/** A test's context, or `{ after }` of `node:test` for a whole file. */
export interface Hooks {
  after(cleanUp: () => Promise<void>): void;
}

/**
 * Hooks whose clean-ups run last one first, all of them even when one fails: what stays open keeps the process from
 * ending.
 */
export function lastFirst(hooks: Hooks): Hooks {
  const cleanUps: (() => Promise<void>)[] = [];
  hooks.after(async () => {
    const issues: unknown[] = [];
    for (const cleanUp of cleanUps.reverse()) await cleanUp().catch((issue: unknown) => issues.push(issue));
    if (issues.length > 0) throw issues.length === 1 ? issues[0] : new AggregateError(issues, 'Clean-ups failed');
  });
  return { after: (cleanUp) => void cleanUps.push(cleanUp) };
}
