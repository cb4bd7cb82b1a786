// Regular expressions of users' FHIRPath, run by RE2 in time linear in text and pattern (docs/adr/0043). RE2 has no
// backreferences and no lookaround, so patterns that need them are refused.
import { RE2JS } from 're2js';

/** Why a pattern cannot be used. */
export class UnusablePattern extends Error {}

export interface LinearPattern {
  /** Whether some part of the text matches. @throws UnusablePattern for a text that is too long for the pattern */
  readonly matches: (text: string) => boolean;
  /** The text with each match replaced, by FHIRPath's `replaceMatches`. @throws UnusablePattern */
  readonly replaceAll: (text: string, substitution: string) => string;
}

/** Characters of a pattern. */
const MAX_LENGTH = 10_000;
/** States of a pattern: each character may visit all of them. The largest pattern that R5 publishes has 1,020. */
const MAX_STATES = 5_000;
/**
 * Characters times states. The slowest known pattern takes 1 ns for each; the engine's memory limit may make that 10
 * ns.
 */
const MAX_VISITS = 100_000_000;
const MAX_RESULT = 10 * 1024 * 1024;
/** Compiled patterns in the cache. It is bounded, as a pattern may be computed from a resource. */
const MAX_CACHED = 500;
/** `\s` as JavaScript reads it, Unicode's spaces included: the fhirpath package evaluates all other expressions so. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

const known = new Map<string, LinearPattern>();

/**
 * A pattern as FHIRPath's `matches` has it; `flags` are FHIRPath's `i` and `m`
 * (hl7.org/fhirpath/#matchesregex-string-boolean).
 * @throws UnusablePattern for a malformed pattern, one that needs more than linear time, or one that is too large
 */
export function linearPattern(pattern: string, flags = ''): LinearPattern {
  const key = `${flags} ${pattern}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const created = asPattern(compile(pattern, flagsOf(flags)), pattern);
  if (known.size >= MAX_CACHED) known.clear();
  known.set(key, created);
  return created;
}

function asPattern(compiled: RE2JS, pattern: string): LinearPattern {
  const longest = Math.floor(MAX_VISITS / compiled.programSize());
  const requireShort = ({ length }: string): void => {
    if (length > longest) throw unusable(pattern, `it is too costly for a text of ${length} characters`);
  };
  return {
    matches: (text) => {
      requireShort(text);
      return compiled.test(text);
    },
    replaceAll: (text, substitution) => {
      requireShort(text);
      if ((text.length + 1) * (substitution.length + 1) > MAX_RESULT)
        throw unusable(pattern, `what it replaces may come to more than ${MAX_RESULT} characters`);
      return compiled.matcher(text).replaceAll(substitution);
    },
  };
}

function compile(pattern: string, flags: number): RE2JS {
  if (pattern.length > MAX_LENGTH) throw unusable(pattern, `it has more than ${MAX_LENGTH} characters`);
  const translated = translate(pattern);
  if (translated === undefined) throw unusable(pattern, 'it refers back to a group');
  const compiled = compiledBy(() => RE2JS.compile(RE2JS.translateRegExp(translated), flags), pattern);
  if (compiled.programSize() > MAX_STATES) throw unusable(pattern, 'its repetitions make it too large');
  return compiled;
}

function compiledBy(make: () => RE2JS, pattern: string): RE2JS {
  try {
    return make();
  } catch (error) {
    const why = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    throw unusable(pattern, why);
  }
}

function unusable(pattern: string, why: string): UnusablePattern {
  const shown = pattern.length <= 100 ? pattern : `${pattern.slice(0, 100).toWellFormed()}…`;
  return new UnusablePattern(`the regular expression ${shown} cannot be run in linear time: ${why}`);
}

function flagsOf(flags: string): number {
  let all = RE2JS.DOTALL;
  for (const flag of flags) {
    if (flag === 'i') all |= RE2JS.CASE_INSENSITIVE;
    else if (flag === 'm') all |= RE2JS.MULTILINE;
    else throw new UnusablePattern('the flags of a regular expression are i and m');
  }
  return all;
}

/** The pattern with `\s` written out. Undefined for a named backreference, which RE2 would read as letters. */
function translate(pattern: string): string | undefined {
  let text = '';
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '[') isInClass = true;
    else if (char === ']') isInClass = false;
    if (char !== '\\') {
      text += char;
      continue;
    }
    at += 1;
    const escaped = pattern[at];
    if (escaped === 'k') return undefined;
    if (escaped === 's') text += isInClass ? SPACES : `[${SPACES}]`;
    else if (escaped === 'S' && !isInClass) text += `[^${SPACES}]`;
    else text += `\\${escaped ?? ''}`;
  }
  return text;
}
