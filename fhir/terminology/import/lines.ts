// Splits bytes into lines of text.
import { isUtf8 } from 'node:buffer';
import { FileUnreadable } from './assembly.ts';

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 1024 * 1024;

/** Calls with each line without its end, numbered from 1; an empty one too. */
export class Lines {
  readonly #visit: (text: string, line: number) => void;
  #begun: Buffer[] = [];
  #length = 0;
  #line = 1;

  constructor(visit: (text: string, line: number) => void) {
    this.#visit = visit;
  }

  /** @throws FileUnreadable for a line that is too long, or not UTF-8 */
  push(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#emit(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#length += bytes.length - start;
    if (this.#length > MAX_LINE_BYTES) throw new FileUnreadable(this.#line, 'the line is longer than 1 MiB');
    // Copied, as the buffer is reused for the next piece.
    if (start < bytes.length) this.#begun.push(Buffer.from(bytes.subarray(start)));
  }

  end(): void {
    if (this.#length > 0) this.#emit(Buffer.alloc(0));
  }

  #emit(last: Buffer): void {
    const bytes = this.#begun.length === 0 ? last : Buffer.concat([...this.#begun, last]);
    this.#begun = [];
    this.#length = 0;
    if (!isUtf8(bytes)) throw new FileUnreadable(this.#line, 'the line is not in UTF-8');
    this.#visit(bytes.toString('utf8'), this.#line);
    this.#line += 1;
  }
}
