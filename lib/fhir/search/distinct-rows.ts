// Rows without doubles: an element may say the same thing often, and several elements may.

/** Up to so many rows are compared one by one; more are kept in a set of their texts. */
const FEW = 64;

/** Gathers rows, each once. */
export class DistinctRows<R> {
  readonly rows: R[] = [];
  readonly #isSame: (a: R, b: R) => boolean;
  #texts: Set<string> | undefined;

  /** @param isSame whether two rows are doubles: whether all that JSON shows of them is equal */
  constructor(isSame: (a: R, b: R) => boolean) {
    this.#isSame = isSame;
  }

  /** Adds a row unless it is there; whether it was added. */
  add(row: R): boolean {
    if (this.rows.length < FEW) {
      for (const known of this.rows) if (this.#isSame(known, row)) return false;
      this.rows.push(row);
      return true;
    }
    this.#texts ??= new Set(this.rows.map((known) => JSON.stringify(known)));
    const { size } = this.#texts;
    if (this.#texts.add(JSON.stringify(row)).size === size) return false;
    this.rows.push(row);
    return true;
  }
}
