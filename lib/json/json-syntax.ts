// Finds JSON errors (RFC 8259) that JSON.parse does not report well. It finds the position of a syntax error, without
// quoting the body, which may be personal data. Also finds excessive nesting and duplicate members.
const [QUOTE, COMMA, OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [34, 44, 91, 92, 93, 123, 125];
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const SPECIAL = /[^\u0020-\uffff]|["\\]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expecting = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

/**
 * The index of the first unexpected character; the text's length when it only ends too early.
 */
export function jsonIssueIndex(text: string): number {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let at = match(SPACE, text, 0) ?? 0;
  while (at < text.length) {
    const step = read(text, at, expecting, open);
    if (typeof step === 'number') return step;
    expecting = step.next;
    at = match(SPACE, text, step.end) ?? step.end;
    if (open.length === 0 && expecting === 'commaOrEnd') return at;
  }
  return text.length;
}

interface Step {
  readonly end: number;
  readonly next: Expecting;
}

/** Reads one token; a number is the index of the error in it. */
function read(text: string, at: number, expecting: Expecting, open: ('{' | '[')[]): Step | number {
  const char = text[at];
  if (expecting === 'colon') return char === ':' ? { end: at + 1, next: 'value' } : at;
  if (expecting === 'commaOrEnd' && char === ',') {
    return { end: at + 1, next: open.at(-1) === '{' ? 'key' : 'value' };
  }
  if (isClosing(char, expecting, open)) {
    open.pop();
    return { end: at + 1, next: 'commaOrEnd' };
  }
  if (expecting === 'commaOrEnd') return at;
  const isKey = expecting === 'key' || expecting === 'keyOrEnd';
  if (char === '"') return readString(text, at, isKey ? 'colon' : 'commaOrEnd');
  if (isKey) return at;
  if (char === '{' || char === '[') {
    open.push(char);
    return { end: at + 1, next: char === '{' ? 'keyOrEnd' : 'valueOrEnd' };
  }
  const end = match(SCALAR, text, at);
  return end === undefined ? at : { end, next: 'commaOrEnd' };
}

function isClosing(char: string | undefined, expecting: Expecting, open: readonly string[]): boolean {
  if (expecting !== 'commaOrEnd' && expecting !== 'keyOrEnd' && expecting !== 'valueOrEnd') return false;
  return open.at(-1) === '{' ? char === '}' : open.at(-1) === '[' && char === ']';
}

function readString(text: string, at: number, next: Expecting): Step | number {
  let from = at + 1;
  for (;;) {
    SPECIAL.lastIndex = from;
    const special = SPECIAL.exec(text);
    if (special === null) return text.length;
    if (special[0] === '"') return { end: special.index + 1, next };
    const end = special[0] === '\\' ? match(ESCAPE, text, special.index) : undefined;
    if (end === undefined) return special.index;
    from = end;
  }
}

/**
 * Which limit a text exceeds, whether or not it is JSON: levels of objects and lists, or values. It creates none of
 * them.
 */
export function excessOf(
  text: string,
  most: { readonly levels: number; readonly values: number },
): 'levels' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (depth > most.levels) return 'levels';
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return values > most.values ? 'values' : undefined;
}

/** The index of the quote that ends the string at `at`; the text's length when none does. */
function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return text.length;
}

interface Level {
  /** The members of an object; undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The path of the object or list, written out when it is needed. */
  key: string;
  index: number;
}

/** The paths of duplicate members of objects, at most `most`. The text has passed JSON.parse. */
export function duplicateMembers(text: string, most: number): string[] {
  const found: string[] = [];
  for (const _step of findDuplicates(text, most, found));
  return found;
}

/** The number of members between two yields to the event loop. */
const STRIDE = 1_000;

/** Adds the paths to `found`, in steps of a fraction of a millisecond. */
export function* findDuplicates(text: string, most: number, found: string[]): Generator<void, void, void> {
  let count = 0;
  const open: Level[] = [];
  let isKey = false;
  for (let at = 0; at < text.length && found.length < most; at += 1) {
    const code = text.charCodeAt(at);
    const level = open.at(-1);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (isKey && level !== undefined) addMember(String(JSON.parse(text.slice(at, end + 1))), level, open, found);
      isKey = false;
      at = end;
      count += 1;
      if (count % STRIDE === 0) yield;
    } else if (code === OPEN_BRACE) {
      open.push({ names: new Set(), key: '', index: 0 });
      isKey = true;
    } else if (code === OPEN_BRACKET) open.push({ names: undefined, key: '', index: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    else if (code === COMMA && level !== undefined) {
      level.index += 1;
      isKey = level.names !== undefined;
    }
  }
}

function addMember(key: string, level: Level, open: readonly Level[], found: string[]): void {
  level.key = key;
  if (level.names?.has(key) === true) found.push(pathOf(open));
  level.names?.add(key);
}

function pathOf(open: readonly Level[]): string {
  let path = '';
  for (const { names, key, index } of open) {
    if (names === undefined) path += `[${index}]`;
    else path += path === '' ? key : `.${key}`;
  }
  return path;
}

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
