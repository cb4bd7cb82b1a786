// Bound values ($n placeholders) of composed statements, and the cache of statements that are prepared.
import { createHash } from 'node:crypto';
import type { PreparedStatement } from '#lib/db/database.ts';

export type SqlType = 'bigint' | 'int' | 'uuid' | 'text' | 'timestamptz' | 'float8' | 'int[]' | 'uuid[]' | 'text[]';

export class SqlValues {
  readonly list: unknown[] = [];
  /** By type. */
  readonly #scalars = new Map<SqlType, Map<unknown, string>>();
  /** By type, length and first item. */
  readonly #arrays = new Map<string, [array: readonly unknown[], placeholder: string][]>();

  /**
   * Answers the placeholder, with its type. It is the same for an equal value of the same type. A condition may be many
   * times in a statement, which takes 65,535 values at most.
   */
  bind(value: unknown, type: SqlType): string {
    return Array.isArray(value) ? this.#bindArray(value, type) : this.#bindScalar(value, type);
  }

  #bindScalar(value: unknown, type: SqlType): string {
    const ofType = this.#scalars.get(type) ?? new Map<unknown, string>();
    this.#scalars.set(type, ofType);
    const bound = ofType.get(value) ?? this.#push(value, type);
    ofType.set(value, bound);
    return bound;
  }

  #bindArray(value: readonly unknown[], type: SqlType): string {
    const name = `${type} ${value.length} ${String(value[0])}`;
    const alike = this.#arrays.get(name) ?? [];
    this.#arrays.set(name, alike);
    const found = alike.find(([array]) => array.every((item, at) => item === value[at]));
    if (found !== undefined) return found[1];
    const bound = this.#push(value, type);
    alike.push([value, bound]);
    return bound;
  }

  #push(value: unknown, type: SqlType): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }

  /**
   * A key of ours (type, parameter) as a literal. By it the planner then knows how common that parameter is, also in
   * the plan of a prepared statement.
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
