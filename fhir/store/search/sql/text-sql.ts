// SQL helpers that several criteria share: prefix match, AND, OR.
import type { SqlValues } from './sql-values.ts';

/** After every text that begins with a prefix comes, in code point order, the prefix followed by this. */
const LAST_CHARACTER = '\u{10FFFF}';

/** Whether a text column begins so, by a range of its index. */
export function beginsWith(prefix: string, values: SqlValues, column = 'i.value'): string {
  return `${column} >= ${values.bind(prefix, 'text')} AND ${column} < ${values.bind(prefix + LAST_CHARACTER, 'text')}`;
}

/** At least one of the conditions; none is never fulfilled. */
export function anyOf(conditions: readonly string[]): string {
  if (conditions.length === 0) return 'FALSE';
  return conditions.length === 1 ? `(${conditions[0]})` : `(${conditions.map((part) => `(${part})`).join(' OR ')})`;
}

/** Every one of the conditions; none is always fulfilled. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'TRUE' : `(${conditions.map((part) => `(${part})`).join(' AND ')})`;
}
