// Removes duplicate index rows: elements may repeat a value, and parameters that share rows do.

/** Up to this many rows are compared one by one; more are compared by a map of their texts. */
const FEW = 64;

/** Distinct texts: mostly there is one, for which a set would be too costly. */
export class DistinctTexts {
  readonly texts: string[] = [];
  #many: Set<string> | undefined;

  add(text: string): void {
    const { texts } = this;
    if (texts.length >= FEW) this.#many ??= new Set(texts);
    if (this.#many?.has(text) ?? texts.includes(text)) return;
    texts.push(text);
    this.#many?.add(text);
  }
}

/** A row with a mask; its other values decide whether it is distinct. */
interface Masked {
  readonly param: number;
  readonly mask?: number;
}

/** Collects distinct rows; a row has the bits of all its duplicates. */
export class DistinctRows<R extends Masked> {
  readonly rows: R[] = [];
  readonly #isSame: (a: R, b: R) => boolean;
  #places: Map<string, number> | undefined;

  /** @param isSame whether two rows are duplicates: all members in their JSON except the mask are equal */
  constructor(isSame: (a: R, b: R) => boolean) {
    this.#isSame = isSame;
  }

  /** Adds a row, or its bits to the existing one. */
  add(row: R): void {
    const place = this.#placeOf(row);
    const known = this.rows[place];
    if (known === undefined) this.rows.push(row);
    else this.rows[place] = withBits(known, row.mask);
  }

  /** The index of the same row; the next free index when there is none. */
  #placeOf(row: R): number {
    const { rows } = this;
    if (rows.length < FEW) {
      let place = 0;
      for (const known of rows) {
        if (this.#isSame(known, row)) return place;
        place += 1;
      }
      return place;
    }
    this.#places ??= new Map(rows.map((known, place) => [textOf(known), place]));
    const text = textOf(row);
    const place = this.#places.get(text);
    if (place === undefined) this.#places.set(text, rows.length);
    return place ?? rows.length;
  }
}

/** The row with the bits added; the row itself when it has them. */
function withBits<R extends Masked>(row: R, bits = 0): R {
  const mask = (row.mask ?? 0) | bits;
  return mask === (row.mask ?? 0) ? row : { ...row, mask };
}

function textOf(row: Masked): string {
  return JSON.stringify({ ...row, mask: undefined });
}
