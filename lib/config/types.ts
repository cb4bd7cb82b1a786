// The types of configuration variables. Each parses text into a value, or says what the text must be. Errors never
// repeat the text, so that they can be shown for secrets too.
import { Secret } from './secret.ts';

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly string[] };

export interface ValueType<T> {
  /** The label on the reference page. */
  readonly label: string;
  /** A secret is hidden in every error and may be given as a file by `<NAME>_FILE`. */
  readonly secret: boolean;
  readonly parse: (text: string) => Parsed<T>;
}

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function invalid(...issues: readonly string[]): Parsed<never> {
  return { ok: false, issues };
}

/** Any text; `example` in the label where the form is not obvious. */
export function text(label = 'text'): ValueType<string> {
  return { label, secret: false, parse: parsed };
}

/** Text that must never be shown. */
export function secretText(label = 'secret'): ValueType<Secret> {
  return { label, secret: true, parse: (value) => parsed(new Secret(value)) };
}

/** A text of a form; `issue` says what is expected of one that does not have it. */
export function textThat(label: string, hasForm: (value: string) => boolean, issue: string): ValueType<string> {
  return { label, secret: false, parse: (value) => (hasForm(value) ? parsed(value) : invalid(issue)) };
}

/** A whole number within bounds, both included. */
export function integer(bounds: { readonly min: number; readonly max: number }): ValueType<number> {
  const { min, max } = bounds;
  return {
    label: `integer, ${min} to ${max}`,
    secret: false,
    parse: (value) => {
      const number = Number(value);
      if (!/^-?\d{1,15}$/.test(value) || number < min || number > max) {
        return invalid(`must be a whole number from ${min} to ${max}`);
      }
      return parsed(number);
    },
  };
}

/** A number from 0 to 1. */
export function share(): ValueType<number> {
  return {
    label: 'number, 0 to 1',
    secret: false,
    parse: (value) =>
      /^(?:0|1|0?\.\d{1,9}|1\.0+)$/.test(value)
        ? parsed(Number(value))
        : invalid('must be a number from 0 to 1, such as 0.01'),
  };
}

export function boolean(): ValueType<boolean> {
  return {
    label: '`true` or `false`',
    secret: false,
    parse: (value) =>
      value === 'true' || value === 'false' ? parsed(value === 'true') : invalid('must be true or false'),
  };
}

/** One of the given words. */
export function oneOf<const W extends string>(words: readonly W[]): ValueType<W> {
  return {
    label: words.map((word) => `\`${word}\``).join(', '),
    secret: false,
    parse: (value) => {
      const word = words.find((candidate) => candidate === value);
      return word === undefined ? invalid(`must be one of ${words.join(', ')}`) : parsed(word);
    },
  };
}

/** A time zone by its name in the IANA database. */
export function timeZone(): ValueType<string> {
  return textThat('IANA time zone', isTimeZone, 'must be the IANA name of a time zone, such as Europe/Stockholm');
}

/** A language by its BCP 47 tag, one whose order of letters is known. */
export function sortLanguage(): ValueType<string> {
  const issue = 'must be the tag of a language whose order of letters is known, such as sv, nb or en';
  return textThat('language', isSortLanguage, issue);
}

function isSortLanguage(tag: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf([tag]).length === 1;
  } catch {
    return false;
  }
}

/** Offsets are refused: with summer time, days would be counted wrong for half of the year. */
function isTimeZone(name: string): boolean {
  try {
    return (
      /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
    );
  } catch {
    return false;
  }
}

/**
 * Comma-separated entries, at least one, each of the given type; spaces around an entry are ignored, doubles refused.
 */
export function listOf<T>(entry: ValueType<T>): ValueType<readonly T[]> {
  return {
    label: `comma-separated list: ${entry.label}`,
    secret: entry.secret,
    parse: (value) => parseList(entry, value, { mayRepeat: false }),
  };
}

/** Several values whose order matters; a value may occur twice. */
export function sequenceOf<T>(entry: ValueType<T>): ValueType<readonly T[]> {
  return { ...listOf(entry), parse: (value) => parseList(entry, value, { mayRepeat: true }) };
}

function parseList<T>(
  entry: ValueType<T>,
  value: string,
  { mayRepeat }: { readonly mayRepeat: boolean },
): Parsed<readonly T[]> {
  const texts = value.split(',').map((part) => part.trim());
  const values: T[] = [];
  const issues: string[] = [];
  for (const [index, part] of texts.entries()) {
    const place = texts.length === 1 ? '' : `entry ${index + 1} `;
    const result = part === '' ? invalid('must not be empty') : entry.parse(part);
    if (!result.ok) issues.push(...result.issues.map((issue) => place + issue));
    else if (!mayRepeat && texts.indexOf(part) < index) issues.push(`${place}must not be given twice`);
    else values.push(result.value);
  }
  return issues.length > 0 ? invalid(...issues) : parsed(values);
}

/** The value of the first type that accepts the text, of two. */
export function either<A, B>(first: ValueType<A>, second: ValueType<B>): ValueType<A | B> {
  return {
    label: `${first.label}, or ${second.label}`,
    secret: first.secret || second.secret,
    parse: (value) => {
      const one = first.parse(value);
      if (one.ok) return one;
      const other = second.parse(value);
      return other.ok ? other : invalid([...one.issues, ...other.issues].join(', or '));
    },
  };
}
