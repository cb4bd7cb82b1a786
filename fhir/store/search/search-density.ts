// Whether so many resources of a type fulfil a search that asking one after the other soon finds as many as are
// counted: then nothing has to be joined or gathered from end to end (docs/adr/0012).

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { furtherConditions, type SearchOptions } from './search-sql.ts';
import { EACH } from './search-start.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';
import type { StatisticsCache } from './statistics-cache.ts';

/** So many of the first and of the last resources are asked. */
const ASKED = 250;
/** Among so many one must fulfil the search. */
const ONE_OF = 6;
/** Of fewer resources all are gathered as fast. */
const LARGE = 30_000;

/**
 * Looks at a few resources of the type; the answer is remembered for a minute, and decides the way, never the result.
 */
export async function isDense(
  db: Queryable,
  query: SearchQuery,
  { options, memory }: { readonly options: SearchOptions; readonly memory: StatisticsCache },
): Promise<boolean> {
  if (!(await isLarge(db, query.resourceType, memory))) return false;
  const values = new SqlValues();
  const type = values.key(nameKey(query.resourceType));
  const context = { values, access: options.access, isFenced: true };
  const conditions = furtherConditions({ query, options, start: EACH, values }, { alias: 'r', isRow: true }, context);
  const rows = ['ASC', 'DESC'].map(
    (direction) =>
      `(SELECT f.* FROM fhir_resource f WHERE f.type = ${type} AND NOT f.deleted ORDER BY f.rid ${direction} LIMIT ${ASKED})`,
  );
  const text = `SELECT count(*)::int AS found FROM (${rows.join(' UNION ALL ')} OFFSET 0) r WHERE ${conditions.join(' AND ')}`;
  const key = JSON.stringify([text, values.list]);
  const found = await memory.learn(key, async () => {
    const { rows: answer } = await db.query<{ found: number }>(reusable(text), values.list);
    return answer[0]?.found ?? 0;
  });
  return found * ONE_OF >= 2 * ASKED;
}

async function isLarge(db: Queryable, resourceType: string, memory: StatisticsCache): Promise<boolean> {
  const text = `SELECT count(*)::int AS size FROM
    (SELECT FROM fhir_resource f WHERE f.type = ${nameKey(resourceType)} LIMIT ${LARGE}) f`;
  const size = await memory.learn(text, async () => {
    const { rows } = await db.query<{ size: number }>(text);
    return rows[0]?.size ?? 0;
  });
  return size >= LARGE;
}
