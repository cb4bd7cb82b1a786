// Parses FHIRPath expressions to syntax trees (hl7.org/fhirpath/N1, grammar and precedence). It covers the part of the
// language that FHIR's own invariants use. For the rest the parser returns `undefined`, and the fhirpath package
// evaluates it.

/** A FHIRPath expression. `of` is the operand of a step; undefined for the focus. */
export type PathNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'this' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'member'; readonly of: PathNode | undefined; readonly name: string }
  | {
      readonly kind: 'call';
      readonly of: PathNode | undefined;
      readonly name: string;
      readonly args: readonly PathNode[];
    }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: PathNode; readonly right: PathNode };

interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'symbol' | 'variable';
  readonly text: string;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

const TOKEN =
  /\s*(?:(?<string>'(?:[^'\\]|\\.)*')|(?<number>\d+(?:\.\d+)?)|`(?<quoted>[^`]+)`|(?<name>[A-Za-z_]\w*)|%(?<variable>\w+)|(?<symbol>\$this|<=|>=|!=|[.,()=<>|&+-]))/y;

const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['implies', 1],
  ['or', 2],
  ['xor', 2],
  ['and', 3],
  ['in', 4],
  ['=', 5],
  ['!=', 5],
  ['<', 6],
  ['>', 6],
  ['<=', 6],
  ['>=', 6],
  ['|', 7],
  ['is', 8],
  ['as', 8],
  ['+', 9],
]);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' };

/** The tree of an expression, or undefined when this parser does not support it. */
export function parsePath(expression: string): PathNode | undefined {
  const tokens = tokenise(expression);
  if (tokens === undefined) return undefined;
  const reader = { tokens, at: 0 };
  const node = parseBinary(reader, 1);
  return reader.at === tokens.length ? node : undefined;
}

function tokenise(expression: string): Token[] | undefined {
  const tokens: Token[] = [];
  const text = expression.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { string, number, quoted, name, variable, symbol } = groups;
    if (string !== undefined) tokens.push({ kind: 'string', text: unescaped(string.slice(1, -1)) });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (variable !== undefined) tokens.push({ kind: 'variable', text: variable });
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol });
    else tokens.push({ kind: 'name', text: quoted ?? name ?? '' });
  }
  return tokens;
}

function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) =>
    code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
  );
}

function parseBinary(reader: Reader, minimum: number): PathNode | undefined {
  let left = parseSteps(reader);
  for (;;) {
    const operator = reader.tokens[reader.at]?.kind === 'string' ? undefined : reader.tokens[reader.at]?.text;
    const precedence = operator === undefined ? undefined : PRECEDENCE.get(operator);
    if (left === undefined || operator === undefined || precedence === undefined || precedence < minimum) return left;
    reader.at += 1;
    const right = parseBinary(reader, precedence + 1);
    left = right && { kind: 'binary', operator, left, right };
  }
}

function parseSteps(reader: Reader): PathNode | undefined {
  let node = parseTerm(reader);
  while (node !== undefined && takeSymbol(reader, '.')) node = parseNamed(reader, node);
  return node;
}

function parseTerm(reader: Reader): PathNode | undefined {
  const token = reader.tokens[reader.at];
  if (token === undefined) return undefined;
  if (token.kind === 'name') return parseBooleanOrNamed(reader, token.text);
  reader.at += 1;
  if (token.kind === 'string') return { kind: 'literal', value: token.text };
  if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) };
  if (token.kind === 'variable') return { kind: 'variable', name: token.text };
  if (token.text === '$this') return { kind: 'this' };
  if (token.text !== '(') return undefined;
  const inner = parseBinary(reader, 1);
  return takeSymbol(reader, ')') ? inner : undefined;
}

function parseBooleanOrNamed(reader: Reader, text: string): PathNode | undefined {
  if (text !== 'true' && text !== 'false') return parseNamed(reader, undefined);
  reader.at += 1;
  return { kind: 'literal', value: text === 'true' };
}

function parseNamed(reader: Reader, of: PathNode | undefined): PathNode | undefined {
  const token = reader.tokens[reader.at];
  if (token?.kind !== 'name') return undefined;
  reader.at += 1;
  if (!takeSymbol(reader, '(')) return { kind: 'member', of, name: token.text };
  const args: PathNode[] = [];
  while (!takeSymbol(reader, ')')) {
    if (args.length > 0 && !takeSymbol(reader, ',')) return undefined;
    const argument = parseBinary(reader, 1);
    if (argument === undefined) return undefined;
    args.push(argument);
  }
  return { kind: 'call', of, name: token.text, args };
}

function takeSymbol(reader: Reader, text: string): boolean {
  const token = reader.tokens[reader.at];
  if (token?.kind !== 'symbol' || token.text !== text) return false;
  reader.at += 1;
  return true;
}
