// Decodes the pieces of a file as UTF-8, and names the line of what is none.
import { isUtf8 } from 'node:buffer';
import { FileUnreadable } from './assembly.ts';

const NEWLINE = 0x0a;

export class Utf8Text {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** Line ends in the pieces so far. */
  #ends = 0;

  /** The text of a piece; of what remains at the end, without one. @throws FileUnreadable */
  decode(bytes?: Buffer): string {
    try {
      const text = bytes === undefined ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
      this.#ends += bytes === undefined ? 0 : linesIn(bytes).length - 1;
      return text;
    } catch {
      const wrong = bytes === undefined ? -1 : linesIn(bytes).findIndex((line) => !isUtf8(line));
      throw new FileUnreadable(this.#ends + Math.max(0, wrong) + 1, 'the line is not in UTF-8');
    }
  }
}

/** The line ends of a piece. They are single bytes, so that a character split between pieces does not matter. */
function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}
