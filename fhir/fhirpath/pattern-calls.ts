// Checks the literal regular expressions of a user's FHIRPath expression when it is stored: those that cannot run in
// linear time are refused (docs/adr/0043). A computed regular expression is checked when it is run.
import { linearPattern, UnusablePattern } from './linear-pattern.ts';

const TOKEN = /'((?:[^'\\]|\\.)*)'|`[^`]*`|\/\/[^\n]*|\/\*.*?\*\/|[A-Za-z_]\w*|\S/gs;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' };
const FUNCTIONS: ReadonlySet<string> = new Set(['matches', 'matchesFull', 'replaceMatches']);

/** Characters of an expression. The longest of R5 has 2,500. */
const MAX_EXPRESSION = 20_000;

/** The reasons why a user's FHIRPath expression could take too much time. */
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

/** The first arguments of function calls, where they are string literals. */
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
