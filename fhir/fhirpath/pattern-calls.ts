// The regular expressions that a FHIRPath expression names as literals, so that what cannot be run in linear time is
// refused when it is stored (docs/adr/0043). One that is computed is judged when it is run.
import { linearPattern, UnusablePattern } from './linear-pattern.ts';

const TOKEN = /'((?:[^'\\]|\\.)*)'|`[^`]*`|\/\/[^\n]*|\/\*.*?\*\/|[A-Za-z_]\w*|\S/gs;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' };
const FUNCTIONS: ReadonlySet<string> = new Set(['matches', 'matchesFull', 'replaceMatches']);

/** Characters of an expression: the longest of R5 has 2,500. */
const MAX_EXPRESSION = 20_000;

/** Why a user's FHIRPath expression takes too much time, whatever it is about. */
export function expressionIssues(expression: string): string[] {
  if (expression.length > MAX_EXPRESSION) return [`its expression has more than ${MAX_EXPRESSION} characters`];
  return literalPatterns(expression).flatMap((pattern) => {
    try {
      linearPattern(pattern);
      return [];
    } catch (error) {
      if (error instanceof UnusablePattern) return [error.message];
      throw error;
    }
  });
}

/** The first arguments of calls that are texts and nothing else. */
function literalPatterns(expression: string): string[] {
  const tokens = [...expression.matchAll(TOKEN)].filter(([token]) => !/^\/[/*]/.test(token));
  return tokens.flatMap(([name], at) => {
    const [open, argument, end] = [tokens[at + 1]?.[0], tokens[at + 2]?.[1], tokens[at + 3]?.[0]];
    const isCall = FUNCTIONS.has(name) && open === '(' && argument !== undefined && (end === ')' || end === ',');
    return isCall ? [unescaped(argument)] : [];
  });
}

function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, code: string) =>
    code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
  );
}
