// The options of every benchmark, as the command line gives them.

export interface BenchmarkOptions {
  readonly isQuick: boolean;
  /** Only the cases whose name holds one of these texts, parted by commas; all when empty. */
  readonly only: string;
  /** How much is stored, where a benchmark measures by that; its own sizes when left out. */
  readonly sizes: readonly number[] | undefined;
}
