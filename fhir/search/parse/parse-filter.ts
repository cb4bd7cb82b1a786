// Parses the text of `_filter` to a tree (hl7.org/fhir/R5/search_filter.html): tests, `and`, `or`, `not`, parentheses,
// paths with a filter in brackets. filter-criterion.ts converts the tests to conditions.
import { UnreadableValue } from './parse-value.ts';

export const OPERATORS = [
  'eq',
  'ne',
  'co',
  'sw',
  'ew',
  'gt',
  'lt',
  'ge',
  'le',
  'ap',
  'sa',
  'eb',
  'pr',
  'po',
  'ss',
  'sb',
  'in',
  'ni',
  're',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** One name of a path: `subject`, `subject:Patient`, `subject[active eq true]`. */
export interface PathStep {
  readonly name: string;
  readonly filter: Filter | undefined;
}

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'test'; readonly path: readonly PathStep[]; readonly operator: Operator; readonly value: string };

/** The deepest nesting; more is a mistake or an attack. */
const MAX_DEPTH = 20;
const MAX_LENGTH = 4000;
const NAME = /[A-Za-z_][A-Za-z0-9_:-]*/y;
const WORD = /[a-z]+/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const PLAIN = /[^\s)\]]+/y;

/** @throws UnreadableValue naming the place that cannot be parsed */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_LENGTH) throw new UnreadableValue(`must have at most ${MAX_LENGTH} characters`);
  const reader = new Reader(text);
  const filter = reader.filter(0);
  reader.end();
  return filter;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Terms joined by `and` and `or`, which have equal precedence, from left to right. */
  filter(depth: number): Filter {
    if (depth > MAX_DEPTH) throw new UnreadableValue(`is nested more than ${MAX_DEPTH} deep`);
    let left = this.#term(depth);
    for (;;) {
      const kind = this.#word(['and', 'or']);
      if (kind === undefined) return left;
      const right = this.#term(depth);
      left = left.kind === kind ? { kind, filters: [...left.filters, right] } : { kind, filters: [left, right] };
    }
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#issue('"and", "or" or the end');
  }

  #term(depth: number): Filter {
    this.#space();
    if (this.#take('(')) return this.#closed(depth);
    const start = this.#at;
    if (this.#word(['not']) !== undefined) {
      this.#space();
      if (this.#take('(')) return { kind: 'not', filter: this.#closed(depth) };
      this.#at = start;
    }
    return this.#test(depth);
  }

  #closed(depth: number): Filter {
    const filter = this.filter(depth + 1);
    this.#space();
    if (!this.#take(')')) throw this.#issue('")"');
    return filter;
  }

  #test(depth: number): Filter {
    const path = this.#path(depth);
    const operator = this.#word(OPERATORS);
    if (operator === undefined) throw this.#issue(`one of ${OPERATORS.join(', ')}`);
    this.#space();
    return { kind: 'test', path, operator, value: this.#value() };
  }

  #path(depth: number): PathStep[] {
    const steps: PathStep[] = [];
    do {
      const name = this.#match(NAME);
      if (name === undefined) throw this.#issue('the name of a search parameter');
      let filter: Filter | undefined;
      if (this.#take('[')) {
        filter = this.filter(depth + 1);
        this.#space();
        if (!this.#take(']')) throw this.#issue('"]"');
      }
      steps.push({ name, filter });
    } while (this.#take('.'));
    if (steps.at(-1)?.filter !== undefined) throw this.#issue('"." and a name after "]"');
    return steps;
  }

  #value(): string {
    const quoted = this.#match(STRING);
    if (quoted !== undefined) return unquoted(quoted);
    const plain = this.#match(PLAIN);
    if (plain === undefined || plain.startsWith('"')) throw this.#issue('a value');
    return plain;
  }

  /** Reads one of the words, as a whole token. */
  #word<T extends string>(words: readonly T[]): T | undefined {
    this.#space();
    const start = this.#at;
    const word = this.#match(WORD);
    const found = words.find((each) => each === word);
    const next = this.#text[this.#at];
    if (found !== undefined && (next === undefined || /[\s(]/.test(next))) return found;
    this.#at = start;
    return undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #issue(expected: string): UnreadableValue {
    return new UnreadableValue(`cannot be read at character ${this.#at + 1}: expected ${expected}`);
  }
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw new UnreadableValue(`has a string that is no JSON string: ${text}`);
  }
}
