// The machine's monotonic clock, by which what happens in several processes can be compared.

/** Milliseconds since an instant that is the same for all processes of this machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
