// JSON (RFC 8259) with the place of each value in its text. Numbers stay as they are written, as `70.0` and `70` are
// different decimals in FHIR.

export interface Member {
  /** Where its name begins. */
  readonly at: number;
  readonly value: JsonNode;
}

/** `start` is the offset of its first character, `end` that behind its last one. */
export type JsonNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly text: string }
  /** A number, `true`, `false` or `null`, as it is written. */
  | { readonly kind: 'literal'; readonly text: string }
);

/** A text that is no JSON: what was found where something else was expected. */
export class JsonSyntaxError extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('No JSON');
    this.name = 'JsonSyntaxError';
    this.offset = offset;
  }
}

const MOST_DEPTH = 200;
const SPACE = /[\t\n\r ]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them within strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b/y;

/** @throws JsonSyntaxError */
export function readTree(text: string): JsonNode {
  const reader = createReader(text);
  const node = readValue(reader, 0);
  reader.skip();
  if (reader.at() < text.length) throw new JsonSyntaxError(reader.at());
  return node;
}

interface Reader {
  at(): number;
  skip(): void;
  /** What the pattern matches here, if it does. */
  take(pattern: RegExp): string | undefined;
  /** Whether the character is next, behind spaces; it is taken then. */
  takeSign(sign: string): boolean;
}

function createReader(text: string): Reader {
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const skip = () => void take(SPACE);
  return {
    at: () => at,
    skip,
    take,
    takeSign: (sign) => {
      skip();
      if (text[at] !== sign) return false;
      at += 1;
      return true;
    },
  };
}

function readValue(reader: Reader, depth: number): JsonNode {
  reader.skip();
  const start = reader.at();
  if (depth > MOST_DEPTH) throw new JsonSyntaxError(start);
  if (reader.takeSign('{')) {
    const members = readMembers(reader, depth);
    return { kind: 'object', start, end: reader.at(), members };
  }
  if (reader.takeSign('[')) {
    const items = readItems(reader, depth);
    return { kind: 'array', start, end: reader.at(), items };
  }
  const quoted = reader.take(STRING);
  if (quoted !== undefined) return { kind: 'string', start, end: reader.at(), text: JSON.parse(quoted) as string };
  const literal = reader.take(LITERAL);
  if (literal === undefined) throw new JsonSyntaxError(start);
  return { kind: 'literal', start, end: reader.at(), text: literal };
}

function readMembers(reader: Reader, depth: number): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  if (reader.takeSign('}')) return members;
  do {
    reader.skip();
    const at = reader.at();
    const quoted = reader.take(STRING);
    if (quoted === undefined) throw new JsonSyntaxError(at);
    expectSign(reader, ':');
    members.set(JSON.parse(quoted) as string, { at, value: readValue(reader, depth + 1) });
  } while (reader.takeSign(','));
  expectSign(reader, '}');
  return members;
}

function readItems(reader: Reader, depth: number): readonly JsonNode[] {
  const items: JsonNode[] = [];
  if (reader.takeSign(']')) return items;
  do items.push(readValue(reader, depth + 1));
  while (reader.takeSign(','));
  expectSign(reader, ']');
  return items;
}

function expectSign(reader: Reader, sign: string): void {
  if (!reader.takeSign(sign)) throw new JsonSyntaxError(reader.at());
}
