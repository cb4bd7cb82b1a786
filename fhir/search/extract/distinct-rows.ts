// Rows without doubles: an element may say the same thing often, several elements may, and parameters that share their
// rows do.

/** Up to so many rows are compared one by one; more are kept in a set of their texts. */
const FEW = 64;

/** Texts without doubles: hardly ever is there more than one, and a set of it would cost more than all else. */
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

/** A row whose other values are all that makes it distinct. */
interface Masked {
  readonly param: number;
  readonly mask?: number;
}

/** Gathers rows, each once, with the bits of all that are the same. */
export class DistinctRows<R extends Masked> {
  readonly rows: R[] = [];
  readonly #isSame: (a: R, b: R) => boolean;
  #places: Map<string, number> | undefined;

  /** @param isSame whether two rows are doubles: whether all but the mask that JSON shows of them is equal */
  constructor(isSame: (a: R, b: R) => boolean) {
    this.#isSame = isSame;
  }

  /** Adds a row, or its bits to the one that is there. */
  add(row: R): void {
    const place = this.#placeOf(row);
    const known = this.rows[place];
    if (known === undefined) this.rows.push(row);
    else this.rows[place] = withBits(known, row.mask);
  }

  /** Where the same row is; beyond the end when it is not there, and then the next place. */
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
