// How parts are stopped at the end of a process: each of them, also when another one fails, as without its database.

type Stop = () => Promise<unknown> | undefined;

/** Runs the steps one after the other, each also after an error. @throws the first error, when all have run */
export async function stopInTurn(steps: readonly Stop[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Stops all at once. @throws the first error, when all have settled */
export async function stopTogether(parts: readonly ({ stop(): Promise<unknown> } | undefined)[]): Promise<void> {
  const outcomes = await Promise.allSettled(parts.map((part) => part?.stop()));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
