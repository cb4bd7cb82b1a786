// Finds where a text stops being JSON (RFC 8259), for texts that JSON.parse has refused: its own messages seldom tell the place
// and quote the body, which may be personal data.
const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const SPECIAL = /[^\u0020-\uffff]|["\\]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expecting = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

/** The index of the first character that cannot stand where it stands; the text's length when it only ends too early. */
export function jsonFaultIndex(text: string): number {
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

/** Reads one token; a number is the index of the fault in it. */
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

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
