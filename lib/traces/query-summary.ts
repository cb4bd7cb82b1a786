// `db.query.summary` of a statement: its operations and the tables that they name, without values, such as
// `INSERT delivery SELECT receipt` (opentelemetry.io/docs/specs/semconv/database).

const MAX_LENGTH = 120;
/** Searches make statements of their own, so there are texts without number. */
const MAX_KNOWN = 1_000;
/** The rest of a long statement repeats what its beginning says. */
const MAX_READ = 20_000;

const OPERATIONS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE']);
/** Words after which a table is named. */
const BEFORE_TABLE: ReadonlySet<string> = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE', 'COPY', 'TABLE', 'ONLY']);
/** Words before UPDATE and FROM where these are no operation: `FOR UPDATE`, `DO UPDATE`, `IS DISTINCT FROM`. */
const NO_OPERATION: ReadonlySet<string> = new Set(['FOR', 'KEY', 'DO', 'DISTINCT']);
/** Comments and texts are one token each, and are passed over. */
const TOKEN = /\/\*[\s\S]*?\*\/|--[^\n]*|'(?:[^']|'')*'|[A-Za-z_]\w*|\S/g;
/** Names that a statement gives to its own parts: `WITH found AS (…)`. */
const PART = /\b(\w+)(?:\s*\([^()]*\))?\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s*)?\(/g;
const TABLE_NAME = /^[a-z_][a-z0-9_]*$/;

const known = new Map<string, string>();

/** The summary of one of our statements, whose values are placeholders. */
export function summarize(statement: string): string {
  const cached = known.get(statement);
  if (cached !== undefined) return cached;
  if (known.size >= MAX_KNOWN) known.clear();
  const summary = summaryOf(statement.slice(0, MAX_READ));
  known.set(statement, summary);
  return summary;
}

function summaryOf(text: string): string {
  const parts = new Set([...text.matchAll(PART)].map(([, name = '']) => name));
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^(?:\/\*|--|')/.test(token));
  const words: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const word = wordAt(tokens, at, parts);
    if (word !== undefined && words.at(-1) !== token) words.push(token);
  }
  const [first = 'statement'] = tokens;
  const all = words.length > 0 && OPERATIONS.has(words[0] ?? '') ? words : [first, ...words];
  return all.join(' ').slice(0, MAX_LENGTH);
}

/** The operation or table that the token is; undefined for another one. */
function wordAt(tokens: readonly string[], at: number, parts: ReadonlySet<string>): string | undefined {
  const token = tokens[at] ?? '';
  const before = tokens[at - 1] ?? '';
  if (OPERATIONS.has(token)) return NO_OPERATION.has(before) ? undefined : token;
  if (!BEFORE_TABLE.has(before) || !TABLE_NAME.test(token) || parts.has(token)) return undefined;
  if (NO_OPERATION.has(tokens[at - 2] ?? '')) return undefined;
  // `extract(epoch FROM next_at)`, and functions that return rows.
  const isOfFunction =
    tokens[at - 4] === 'extract' || (tokens[at + 1] === '(' && before !== 'INTO' && before !== 'COPY');
  return isOfFunction ? undefined : token;
}
