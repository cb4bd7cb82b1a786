// Reads the characters of an expression constraint: white space with comments, symbols, keywords, identifiers.
import { TerminologyError } from '../terminology-error.ts';
import type { Expression } from './syntax.ts';

/** The longest expression, and the most levels of brackets; also the most dots or braces behind one expression. */
const MAX_LENGTH = 32_768;
const MAX_DEPTH = 100;

const DIGITS = /\d+/y;
const WORD = /[A-Za-z]+/y;
const SPACE = /[ \t\r\n]+/y;

/** The rules that are used within others. */
interface Rules {
  readonly expression: (scanner: Scanner) => Expression;
  readonly subExpression: (scanner: Scanner) => Expression;
}

export class Scanner {
  readonly text: string;
  at = 0;
  readonly #rules: Rules;
  #depth = 0;

  /** @throws TerminologyError for a text that is too long */
  constructor(text: string, rules: Rules) {
    this.text = text;
    this.#rules = rules;
    if (text.length > MAX_LENGTH) {
      const message = `an expression constraint has at most ${MAX_LENGTH} characters; this one has ${text.length}`;
      throw new TerminologyError('too-costly', message);
    }
  }

  /** The current position, from 1. */
  get position(): number {
    return this.at + 1;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Reads a whole expression. */
  expression(): Expression {
    return this.#rules.expression(this);
  }

  /** Reads an expression that needs no brackets. */
  subExpression(): Expression {
    return this.#rules.subExpression(this);
  }

  /** Skips white space and comments. */
  skip(): void {
    for (;;) {
      this.take(SPACE);
      if (!this.text.startsWith('/*', this.at)) return;
      const end = this.text.indexOf('*/', this.at + 2);
      if (end === -1) throw this.error('the end of the comment (*/)');
      this.at = end + 2;
    }
  }

  /** Whether the symbol comes next, after white space. */
  isNext(symbol: string): boolean {
    this.skip();
    return this.text.startsWith(symbol, this.at);
  }

  /** Skips the symbol, if it comes next. */
  eat(symbol: string): boolean {
    if (!this.isNext(symbol)) return false;
    this.at += symbol.length;
    return true;
  }

  expect(symbol: string): void {
    if (!this.eat(symbol)) throw this.error(symbol);
  }

  /** The next word in lower case, without skipping it; `''` for none. */
  peekWord(): string {
    this.skip();
    WORD.lastIndex = this.at;
    return (WORD.exec(this.text)?.[0] ?? '').toLowerCase();
  }

  /** Skips one of the words in any case, if it comes next, and answers it in lower case. */
  eatWord(words: readonly string[]): string | undefined {
    const word = this.peekWord();
    if (!words.includes(word)) return undefined;
    this.at += word.length;
    return word;
  }

  /** The match of a sticky expression at the current position, which is skipped. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  digits(): string | undefined {
    this.skip();
    return this.take(DIGITS);
  }

  /** Reads with `read`, or answers undefined and stays where it was. */
  attempt<T>(read: () => T | undefined): T | undefined {
    const start = this.at;
    const found = read();
    if (found === undefined) this.at = start;
    return found;
  }

  /** Reads what is in brackets. @throws TerminologyError for too many levels */
  nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      const message = `the expression constraint has more than ${MAX_DEPTH} levels of brackets, at character ${this.position}`;
      throw new TerminologyError('too-costly', message);
    }
    const found = read();
    this.#depth -= 1;
    return found;
  }

  /** @throws TerminologyError for too many dots or braces behind one expression */
  requireShort(chain: number): void {
    if (chain <= MAX_DEPTH) return;
    const message = `the expression constraint has more than ${MAX_DEPTH} dots or braces behind an expression, at character ${this.position}`;
    throw new TerminologyError('too-costly', message);
  }

  /** The error of a text that does not go on as it must. */
  error(expected: string, at = this.position): TerminologyError {
    const rest = this.text.slice(at - 1, at - 1 + SHOWN);
    const found = rest === '' ? 'the text ends' : `${rest}${this.text.length > at - 1 + SHOWN ? '…' : ''} is there`;
    const message = `the expression constraint is not valid at character ${at}: ${expected} is expected, and ${found}`;
    return new TerminologyError('invalid', message, 'vs-invalid');
  }
}

/** Characters that an error repeats. */
const SHOWN = 20;
