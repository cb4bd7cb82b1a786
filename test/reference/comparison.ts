// Holds an answer against what a page shows of it. In the page, `…` stands for what differs from call to call, and
// `0190…` for a guid. A time stands for any time in the same form. Everything else is literal, and there are neither
// more fields nor fewer.

/** In the page's JSON, a bare `…`: any value, or any further elements of a list. */
const ANYTHING = '\u0000…';
const GUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.:Z+-]*$/;

/** The page's JSON as a value whose texts are patterns. @throws SyntaxError */
export function readPattern(json: string): unknown {
  return JSON.parse(
    json.replaceAll(/"(?:[^"\\]|\\.)*"|…/g, (token) => (token === '…' ? JSON.stringify(ANYTHING) : token)),
  );
}

/** Every difference between a JSON answer and the page's, with its place; none when they agree. */
export function differences(actual: unknown, pattern: unknown, place = ''): string[] {
  if (pattern === ANYTHING) return [];
  if (Array.isArray(pattern)) return differencesOfLists(actual, pattern, place);
  if (isObject(pattern)) return differencesOfObjects(actual, pattern, place);
  const isEqual =
    typeof pattern === 'string' && typeof actual === 'string' ? matchesText(actual, pattern) : actual === pattern;
  return isEqual
    ? []
    : [`${place || 'the answer'} is ${JSON.stringify(actual)}, the page shows ${JSON.stringify(pattern)}`];
}

/** Lines of text, where a line `…` stands for any number of lines. */
export function matchesLines(actual: string, pattern: string): boolean {
  const expression = pattern
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '…' ? '[\\s\\S]*' : `${expressionOf(line)}\\r?`))
    .join('\n');
  return new RegExp(`^${expression.replaceAll('[\\s\\S]*\n', '(?:[\\s\\S]*\n)?')}$`).test(actual.trimEnd());
}

export function matchesText(actual: string, pattern: string): boolean {
  const form = TIME.test(pattern)
    ? pattern.replaceAll(/[.+]/g, '\\$&').replaceAll(/\d/g, '\\d')
    : expressionOf(pattern);
  return new RegExp(`^${form}$`).test(actual);
}

function expressionOf(pattern: string): string {
  return pattern
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('0190…', GUID)
    .replaceAll('…', '.*');
}

function differencesOfLists(actual: unknown, pattern: readonly unknown[], place: string): string[] {
  if (!Array.isArray(actual)) return [`${place || 'the answer'} is no list`];
  const isOpen = pattern.at(-1) === ANYTHING;
  const shown = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? actual.length < shown.length : actual.length !== shown.length) {
    return [`${place || 'the answer'} has ${actual.length} elements, the page shows ${shown.length}`];
  }
  return shown.flatMap((element, index) => differences(actual[index], element, `${place}[${index}]`));
}

function differencesOfObjects(actual: unknown, pattern: Readonly<Record<string, unknown>>, place: string): string[] {
  if (!isObject(actual)) return [`${place || 'the answer'} is no object`];
  const at = (name: string) => (place === '' ? name : `${place}.${name}`);
  const missing = Object.keys(pattern).filter((name) => !(name in actual));
  const extra = Object.keys(actual).filter((name) => !(name in pattern));
  return [
    ...missing.map((name) => `${at(name)} is not in the answer`),
    ...extra.map((name) => `${at(name)} is not on the page`),
    ...Object.entries(pattern)
      .filter(([name]) => name in actual)
      .flatMap(([name, value]) => differences(actual[name], value, at(name))),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
