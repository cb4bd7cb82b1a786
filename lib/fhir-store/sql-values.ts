// Statements that are put together from parts: their values ($n placeholders only), and which of them are worth preparing.
import { createHash } from 'node:crypto';
import type { PreparedStatement } from '#lib/db/database.ts';

export type SqlType = 'bigint' | 'int' | 'uuid' | 'text' | 'timestamptz' | 'float8' | 'int[]' | 'uuid[]' | 'text[]';

export class SqlValues {
  readonly list: unknown[] = [];

  /** Answers the placeholder, with its type. */
  bind(value: unknown, type: SqlType): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }

  /**
   * A key of ours (type, parameter) as a literal: the planner then knows how common that parameter is, also in the plan of a
   * prepared statement.
   */
  key(key: number): string {
    return `${Math.trunc(key)}`;
  }
}

/** So many shapes of statements are prepared on each connection; rarer ones are sent as text. */
const MAX_PREPARED = 200;
/** Longer statements are rare, and would fill the memory. */
const MAX_REUSED_LENGTH = 20_000;
/** Shapes remembered while it is not known yet whether they come again. */
const MAX_SEEN = 2000;
const prepared = new Map<string, PreparedStatement>();
const seen = new Set<string>();

/** The statement to run for this text: prepared from its second appearance on. */
export function reusable(text: string): PreparedStatement | string {
  if (text.length > MAX_REUSED_LENGTH) return text;
  const known = prepared.get(text);
  if (known !== undefined) return known;
  if (prepared.size >= MAX_PREPARED) return text;
  if (!seen.has(text)) {
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.add(text);
    return text;
  }
  seen.delete(text);
  const statement = { name: `fhir_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`, text };
  prepared.set(text, statement);
  return statement;
}
