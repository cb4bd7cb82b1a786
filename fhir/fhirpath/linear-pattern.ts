// Regular expressions of users' FHIRPath, in an engine whose time grows with the text and the pattern alone (RE2;
// docs/adr/0043). It has no backreferences and no looking around: what needs them is refused.
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
/** States of a pattern, each of which every character may visit. The largest that R5 publishes has 1,020. */
const MAX_STATES = 5_000;
/**
 * Characters times states: the slowest pattern known takes 1 ns for each, but the engine's own memory may make it take
 * ten.
 */
const MAX_VISITS = 100_000_000;
const MAX_RESULT = 10 * 1024 * 1024;
/** Compiled patterns that are kept: a pattern may be computed from a resource. */
const KEPT = 500;
/** What `\s` is to the engine that evaluates all other expressions: Unicode's spaces too. */
const SPACES = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

const known = new Map<string, LinearPattern>();

/**
 * A pattern as FHIRPath's `matches` has it; `flags` are FHIRPath's `i` and `m`
 * (hl7.org/fhirpath/#matchesregex-string-boolean).
 * @throws UnusablePattern for one that is none, needs what takes more than linear time, or is too large
 */
export function linearPattern(pattern: string, flags = ''): LinearPattern {
  const key = `${flags} ${pattern}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const made = asPattern(compile(pattern, flagsOf(flags)), pattern);
  if (known.size >= KEPT) known.clear();
  known.set(key, made);
  return made;
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

/**
 * The pattern with its spaces written out; undefined for a named backreference, which the engine would take for
 * letters.
 */
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
