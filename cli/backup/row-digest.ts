// Count and digest of a table's rows, in whatever order they come. They are the sums, lane by lane, of the SHA-256 of
// each row as COPY writes it in text format. A restored table has the same rows exactly when its sum is the same.
import { hash } from 'node:crypto';
import type { TableSum } from './records.ts';

const NEWLINE = 0x0a;
const LANES = 8;

export class RowDigest {
  readonly #lanes = new Uint32Array(LANES);
  #rows = 0;
  /** The beginning of a row that the next bytes continue. */
  #open: Uint8Array[] = [];

  get rows(): number {
    return this.#rows;
  }

  /** Bytes of COPY, cut anywhere: each row ends with a newline, and has none within it. */
  add(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#addRow(bytes.subarray(start, end));
      start = end + 1;
    }
    if (start < bytes.length) this.#open.push(bytes.subarray(start));
  }

  sum(): TableSum {
    if (this.#open.length > 0) throw new Error('The rows end within a row');
    return { rows: this.#rows, digest: Buffer.from(this.#lanes.buffer).toString('hex') };
  }

  #addRow(last: Buffer): void {
    const row = this.#open.length === 0 ? last : Buffer.concat([...this.#open, last]);
    this.#open = [];
    const digest = hash('sha256', row, 'buffer');
    for (let lane = 0; lane < LANES; lane += 1) {
      this.#lanes[lane] = (this.#lanes[lane] ?? 0) + digest.readUInt32LE(lane * 4);
    }
    this.#rows += 1;
  }
}
