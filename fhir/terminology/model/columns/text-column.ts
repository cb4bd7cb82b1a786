// One text of each concept: its code, display or definition.
import type { JsonWriter } from '#lib/json/json-writer.ts';
import { NO_TEXT, type StringPool } from '../string-pool.ts';
import type { StridedColumn } from './interleaved-columns.ts';

export class TextColumn {
  readonly #offsets: StridedColumn;
  readonly #pool: StringPool;

  /** `offsets` has the place in the pool of each concept's text. */
  constructor(offsets: StridedColumn, pool: StringPool) {
    this.#offsets = offsets;
    this.#pool = pool;
  }

  has(place: number): boolean {
    return this.#offsets.at(place) !== NO_TEXT;
  }

  /** Writes the text as a JSON string; it must be there. */
  write(place: number, writer: JsonWriter): void {
    this.#pool.write(this.#offsets.at(place), writer);
  }
}
