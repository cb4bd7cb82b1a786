// How much a regular expression of RE2's syntax costs to compile, estimated beforehand. Compiling takes time and
// memory by the number of instructions: a repetition `{1,1000}` multiplies what it repeats, and groups multiply again.

/** Instructions of one character or sign, and of one class of Unicode, whose table is read each time. */
const OF_CHARACTER = 1;
const OF_UNICODE_CLASS = 30;
/** Of a group, and of an alternative, without what is in it. */
const OF_GROUP = 3;

/**
 * At least as many as the instructions of the compiled pattern; the counting ends above `most`. A pattern that is not
 * valid has a size, too.
 */
export function patternSize(pattern: string, most: number): number {
  // Where each open group began to count, and the size of the last piece, which a repetition repeats.
  const begun: number[] = [];
  let size = 0;
  let last = 0;
  const add = (more: number): void => {
    size += more;
    last = more;
  };
  for (let at = 0; at < pattern.length && size <= most; at += 1) {
    const char = pattern[at];
    if (char === '(') {
      begun.push(size);
      size += OF_GROUP;
    } else if (char === ')') last = size - (begun.pop() ?? size);
    else if (char === '[' || char === '\\') {
      const end = char === '[' ? endOfClass(pattern, at) : endOfEscape(pattern, at);
      add(sizeOfClass(pattern.slice(at, end + 1)));
      at = end;
    } else if (char === '{') {
      const repeated = repetitionAt(pattern, at);
      if (repeated === undefined) add(OF_CHARACTER);
      else {
        size += last * (repeated.times - 1);
        last *= repeated.times;
        at = repeated.end;
      }
    } else if (char === '|') size += OF_GROUP;
    else if (char === '*' || char === '+' || char === '?') {
      size += OF_CHARACTER;
      last += OF_CHARACTER;
    } else add(OF_CHARACTER);
  }
  return size;
}

/** The last character of a class in brackets: a bracket that comes first is one of its characters. */
function endOfClass(pattern: string, start: number): number {
  let at = start + (pattern[start + 1] === '^' ? 3 : 2);
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

/** Characters of the longest escape with a name in braces, `\\p{…}`. */
const LONGEST_NAME = 40;

function endOfEscape(pattern: string, start: number): number {
  const isNamed = /[pPx]/.test(pattern[start + 1] ?? '') && pattern[start + 2] === '{';
  const length = isNamed ? pattern.slice(start, start + LONGEST_NAME).indexOf('}') : -1;
  return length === -1 ? start + 1 : start + length;
}

function sizeOfClass(text: string): number {
  return OF_CHARACTER + (text.split(/\\[pP]/).length - 1) * OF_UNICODE_CLASS;
}

/** Each repetition of what may be left out takes one more instruction. */
const OF_OPTION = 2;

interface Repetition {
  readonly times: number;
  /** Where its last character is. */
  readonly end: number;
}

/** Undefined where the brace is a character as others are. */
function repetitionAt(pattern: string, start: number): Repetition | undefined {
  const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(pattern.slice(start, start + 12));
  if (found === null) return undefined;
  const [text, from, range, to] = found;
  const times = Math.max(Number(from), Number(to ?? 0)) + 1;
  return { times: range === undefined ? times : times * OF_OPTION, end: start + text.length - 1 };
}
