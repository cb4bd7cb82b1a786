// Reads a CodeSystem as one JSON text of any length. Each concept is parsed separately, so that memory holds one
// concept for each level. Members must precede the nested concepts, as FHIR writes them.
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  RETURN,
  SPACE,
  TAB,
} from '#lib/json-characters.ts';
import { type Json, objects } from '../json.ts';
import { Assembly, type AssemblyOptions, FileUnreadable, NOWHERE } from './assembly.ts';

/** The most bytes of one concept without its nested ones. */
const MAX_OWN_BYTES = 1024 * 1024;
const MAX_LEVELS = 1000;
const KEY = 'concept';

/** The object whose members are being read: the resource, or a concept. */
interface Frame {
  readonly line: number;
  readonly pieces: Buffer[];
  length: number;
  /** The place of the concept, once its own members are read; undefined before. */
  place: number | undefined;
}

type State = 'start' | 'members' | 'list' | 'behind-item' | 'behind-list' | 'end';

export class JsonFile {
  readonly #options: AssemblyOptions;
  readonly #frames: Frame[] = [];
  #assembly: Assembly | undefined;
  #state: State = 'start';
  #line = 1;
  /** The number of open brackets within the innermost frame, its own included. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The first bytes of the last string among the frame's own members, and its offset in the frame. */
  #word = '';
  #wordStart = 0;
  /** Whether the last key was that of the nested concepts, whose value follows. */
  #isListNext = false;

  constructor(options: AssemblyOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#assembly?.size ?? 0;
  }

  /** @throws FileUnreadable */
  push(bytes: Buffer): void {
    let from = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === NEWLINE) this.#line += 1;
      if (this.#inString) {
        this.#readString(byte);
      } else if (this.#state === 'members') {
        const isOver = this.#readMember(byte, at - from);
        if (!isOver) continue;
        this.#append(bytes.subarray(from, at + 1));
        this.#leaveMembers(byte);
        from = at + 1;
      } else if (this.#readBetween(byte)) {
        from = at;
      }
    }
    if (this.#state === 'members') this.#append(bytes.subarray(from));
  }

  /** @throws FileUnreadable for a truncated text */
  end(): Assembly {
    if (this.#state === 'end' && this.#assembly !== undefined) return this.#assembly;
    throw new FileUnreadable(this.#line, 'the file ends before its JSON does');
  }

  #readString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
    if (this.#inString && this.#depth === 1 && this.#word.length <= KEY.length) this.#word += String.fromCharCode(byte);
  }

  /** Whether the members end, or the nested concepts begin. */
  #readMember(byte: number, offset: number): boolean {
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        if (this.#depth === 1) {
          this.#word = '';
          this.#wordStart = (this.#frames.at(-1)?.length ?? 0) + offset;
        }
        break;
      case COLON:
        if (this.#depth === 1 && this.#word === KEY) {
          this.#isListNext = true;
          return false;
        }
        break;
      case OPEN_BRACKET:
        if (this.#isListNext) return true;
        this.#depth += 1;
        return false;
      case OPEN_BRACE:
        this.#depth += 1;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        this.#depth -= 1;
        if (this.#depth === 0) return true;
        break;
      case COMMA:
        this.#word = '';
        break;
    }
    if (this.#isListNext && !isSpace(byte)) throw new FileUnreadable(this.#line, 'concept must be a list');
    return false;
  }

  #leaveMembers(byte: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (byte === OPEN_BRACKET) {
      this.#isListNext = false;
      frame.place = this.#take(frame, `${this.#before(frame)}}`);
      this.#state = 'list';
      return;
    }
    this.#take(frame, textOf(frame, frame.length));
    this.#close();
  }

  /** The members before the nested concepts. */
  #before(frame: Frame): string {
    const text = textOf(frame, this.#wordStart).trimEnd();
    if (text.endsWith(',')) return text.slice(0, -1);
    if (text === '{') return text;
    throw new FileUnreadable(this.#line, 'a comma is missing before concept');
  }

  /** Begins an object where one may begin. */
  #readBetween(byte: number): boolean {
    if (isSpace(byte)) return false;
    const state = this.#state;
    if (byte === OPEN_BRACE && (state === 'start' || state === 'list')) {
      this.#open();
      return true;
    }
    if (byte === COMMA && state === 'behind-item') this.#state = 'list';
    else if (byte === CLOSE_BRACKET && (state === 'behind-item' || state === 'list')) this.#state = 'behind-list';
    else if (byte === CLOSE_BRACE && state === 'behind-list') this.#close();
    else if (state === 'start')
      throw new FileUnreadable(this.#line, 'the file must hold a CodeSystem as a JSON object');
    else if (state === 'end') throw new FileUnreadable(this.#line, 'there is text after the CodeSystem');
    else if (state === 'behind-list')
      throw new FileUnreadable(
        this.#line,
        'all other members must stand before the nested concepts, as FHIR writes them',
      );
    else throw new FileUnreadable(this.#line, 'a concept must be an object, and a comma must stand between two');
    return false;
  }

  #open(): void {
    if (this.#frames.length > MAX_LEVELS)
      throw new FileUnreadable(this.#line, `there are more than ${MAX_LEVELS} levels`);
    this.#frames.push({ line: this.#line, pieces: [], length: 0, place: undefined });
    this.#state = 'members';
    this.#depth = 1;
    this.#word = '';
  }

  #close(): void {
    this.#frames.pop();
    this.#state = this.#frames.length === 0 ? 'end' : 'behind-item';
  }

  #append(bytes: Buffer): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    frame.length += bytes.length;
    if (frame.length > MAX_OWN_BYTES) throw new FileUnreadable(frame.line, 'one concept is longer than 1 MiB');
    // Copied, as the buffer is reused for the next piece.
    frame.pieces.push(Buffer.from(bytes));
  }

  /** Adds the concept of a text, and returns its place; `NOWHERE` for the resource itself. */
  #take(frame: Frame, text: string): number {
    const found = parsed(text, this.#assembly === undefined ? parseExactJson : JSON.parse);
    if (this.#assembly === undefined) {
      if (found === undefined) throw new FileUnreadable(this.#line, 'the text before the concepts is not valid JSON');
      this.#assembly = new Assembly(found, frame.line, this.#options);
      return NOWHERE;
    }
    if (found === undefined) {
      this.#assembly.issue(frame.line, 'the concept is not valid JSON');
      return NOWHERE;
    }
    return this.#assembly.addConcept(found, frame.line, { parent: this.#frames.at(-2)?.place ?? NOWHERE });
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

/** Invalid UTF-8 decodes to an empty text, which is not JSON. */
function textOf({ pieces, line }: Frame, end: number): string {
  const bytes = (pieces.length === 1 ? pieces[0] : undefined) ?? Buffer.concat(pieces);
  if (!isUtf8(bytes)) throw new FileUnreadable(line, 'the file is not in UTF-8');
  return bytes.toString('utf8', 0, end);
}

/** The members of the code system keep the digits of decimals. */
function parsed(text: string, parse: (text: string) => unknown): Json | undefined {
  try {
    return objects(parse(text))[0];
  } catch {
    return undefined;
  }
}
