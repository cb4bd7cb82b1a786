// Time that a test may bound on a machine that others use too: the processor time of its own thread.

/** Milliseconds of processor time that this thread has used. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
