// Parses long JSON on the main thread in slices, so that other requests are served in between; one JSON.parse would
// take tenths of a second. The text is scanned once for brackets and commas. The parts between them are parsed in runs
// of some tens of KiB and assembled.
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../json-characters.ts';
import { createSlices, type Slices } from './slices.ts';

/**
 * The most UTF-16 units of one run, which take a millisecond. Only a single value without members may be longer.
 */
const RUN = 32 * 1024;
const NO_PLACE = -1;

type Parse = (text: string) => unknown;
type Members = Record<string, unknown>;

export interface SlicedJsonOptions {
  readonly slices?: Slices;
  /** How a run is parsed; JSON.parse when left out. */
  readonly parse?: Parse;
}

/** An object or list that is open at the current position. */
interface Frame {
  readonly start: number;
  readonly isList: boolean;
  /** Its parsed part; undefined while all of it may still be parsed with its parent. */
  target: unknown[] | Members | undefined;
  /** Its key or index in its parent; set once it has a target. */
  key: string | undefined;
  /** The position where its unparsed rest begins. */
  pending: number;
  /** The position of its last comma. */
  comma: number;
  /** Its last value is already in the target. */
  isBehindValue: boolean;
}

/** The same as JSON.parse returns, computed in slices of some milliseconds. @throws SyntaxError */
export async function parseInSlices(text: string, options: SlicedJsonOptions = {}): Promise<unknown> {
  const { parse = JSON.parse as Parse, slices = createSlices() } = options;
  if (text.length <= RUN) return parse(text);
  return new SlicedText(text, parse).read(slices);
}

class SlicedText {
  readonly #text: string;
  readonly #parse: Parse;
  readonly #frames: Frame[] = [];
  /** The outermost value, once it is closed. */
  #root: Frame | undefined;

  constructor(text: string, parse: Parse) {
    this.#text = text;
    this.#parse = parse;
  }

  async read(slices: Slices): Promise<unknown> {
    const text = this.#text;
    let next = RUN;
    for (let at = 0; at < text.length; at += 1) {
      if (at >= next) {
        await slices.rest();
        next = at + RUN;
      }
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfString(at);
      else if (code === COMMA) this.#separate(at);
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#open(at, code === OPEN_BRACKET);
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#close(at, code === CLOSE_BRACKET);
    }
    const root = this.#root;
    if (root?.target === undefined || this.#frames.length > 0) return this.#parse(text);
    if (!isBlank(text.slice(0, root.start)) || !isBlank(text.slice(root.pending))) throw notJson();
    return root.target;
  }

  #endOfString(start: number): number {
    const text = this.#text;
    for (let from = start + 1; ; ) {
      const quote = text.indexOf('"', from);
      if (quote === -1) throw notJson();
      let before = quote - 1;
      while (text.charCodeAt(before) === BACKSLASH) before -= 1;
      if ((quote - before) % 2 === 1) return quote;
      from = quote + 1;
    }
  }

  #open(at: number, isList: boolean): void {
    if (this.#root !== undefined) throw notJson();
    this.#frames.push({
      start: at,
      isList,
      target: undefined,
      key: undefined,
      pending: at + 1,
      comma: NO_PLACE,
      isBehindValue: false,
    });
  }

  #separate(at: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw notJson();
    if (frame.isBehindValue) this.#passBlank(frame, at);
    else if (at - frame.pending > RUN) {
      this.#keep();
      this.#flush(frame, at);
    } else {
      frame.comma = at;
      return;
    }
    frame.pending = at + 1;
    frame.comma = NO_PLACE;
  }

  #close(at: number, isList: boolean): void {
    const frame = this.#frames.pop();
    if (frame === undefined || frame.isList !== isList) throw notJson();
    const around = this.#frames.at(-1);
    if (frame.target !== undefined) {
      if (frame.isBehindValue) this.#passBlank(frame, at);
      else this.#flush(frame, at);
      if (around !== undefined) {
        put(around, frame.key, frame.target);
        around.pending = at + 1;
        around.isBehindValue = true;
      }
    }
    if (around === undefined) this.#root = { ...frame, pending: at + 1 };
  }

  /** Parses an open value separately from now on, because it is longer than a run. */
  #keep(): void {
    for (const [depth, frame] of this.#frames.entries()) {
      if (frame.target !== undefined) continue;
      frame.target = frame.isList ? [] : {};
      const around = this.#frames[depth - 1];
      if (around !== undefined) frame.key = this.#keyOf(frame, around);
    }
  }

  /** Parses what precedes it in its parent. The rest is its key. */
  #keyOf({ start }: Frame, around: Frame): string | undefined {
    if (around.isBehindValue) throw notJson();
    if (around.comma !== NO_PLACE) {
      this.#flush(around, around.comma);
      around.pending = around.comma + 1;
      around.comma = NO_PLACE;
    }
    const before = this.#text.slice(around.pending, start);
    if (around.isList) {
      if (!isBlank(before)) throw notJson();
      return undefined;
    }
    const colon = before.lastIndexOf(':');
    const key: unknown = isBlank(before.slice(colon + 1)) ? JSON.parse(before.slice(0, Math.max(colon, 0))) : undefined;
    if (typeof key !== 'string') throw notJson();
    return key;
  }

  #flush(frame: Frame, end: number): void {
    const run = this.#text.slice(frame.pending, end);
    if (isBlank(run)) throw notJson();
    const { target } = frame;
    const parsed = this.#parse(frame.isList ? `[${run}]` : `{${run}}`);
    if (Array.isArray(target)) for (const item of parsed as unknown[]) target.push(item);
    else for (const [key, value] of Object.entries(parsed as Members)) put(frame, key, value);
  }

  #passBlank(frame: Frame, end: number): void {
    if (!isBlank(this.#text.slice(frame.pending, end))) throw notJson();
    frame.isBehindValue = false;
  }
}

/** As JSON.parse does it: a member is the object's own, whatever it is called. */
function put({ target }: Frame, key: string | undefined, value: unknown): void {
  if (Array.isArray(target)) target.push(value);
  else if (target !== undefined && key !== undefined) {
    if (key === '__proto__')
      Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
    else target[key] = value;
  }
}

/** White space of JSON alone. */
function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text);
}

function notJson(): SyntaxError {
  return new SyntaxError('The text is no JSON');
}
