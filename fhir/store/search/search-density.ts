// Estimates from a sample whether many resources of a type fulfil a search. If so, checking one resource after the
// other fills the page soon, and no complete set of matches has to be built (docs/adr/0012).

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { EACH } from './search-plan.ts';
import { furtherConditions, type SearchOptions } from './search-sql.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';
import type { Statistics } from './statistics-cache.ts';

/** Sample size: so many of the first and of the last resources. */
const SAMPLE = 250;
/** Among so many of the sample, one must fulfil the search. */
const ONE_OF = 6;
/** With fewer resources of the type, all matches are collected as fast. */
const LARGE = 30_000;

/**
 * Whether matches are dense in a sample of the type. The count is cached for a minute; it decides the plan, never the
 * result.
 */
export async function isDense(
  db: Queryable,
  query: SearchQuery,
  { options, statistics }: { readonly options: SearchOptions; readonly statistics: Statistics },
): Promise<boolean> {
  if (!(await isLarge(db, query.resourceType, statistics))) return false;
  const values = new SqlValues();
  const type = values.key(nameKey(query.resourceType));
  const context = { values, access: options.access, isFenced: true };
  const conditions = furtherConditions({ query, options, start: EACH, values }, { alias: 'r', isRow: true }, context);
  const rows = ['ASC', 'DESC'].map(
    (direction) =>
      `(SELECT f.* FROM fhir_resource f WHERE f.type = ${type} AND NOT f.deleted ORDER BY f.rid ${direction} LIMIT ${SAMPLE})`,
  );
  const text = `SELECT count(*)::int AS found FROM (${rows.join(' UNION ALL ')} OFFSET 0) r WHERE ${conditions.join(' AND ')}`;
  const key = JSON.stringify([text, values.list]);
  const found = await statistics.getOrCompute(key, async () => {
    const { rows: counts } = await db.query<{ found: number }>(reusable(text), values.list);
    return counts[0]?.found ?? 0;
  });
  return found * ONE_OF >= 2 * SAMPLE;
}

async function isLarge(db: Queryable, resourceType: string, statistics: Statistics): Promise<boolean> {
  const text = `SELECT count(*)::int AS size FROM
    (SELECT FROM fhir_resource f WHERE f.type = ${nameKey(resourceType)} LIMIT ${LARGE}) f`;
  const size = await statistics.getOrCompute(text, async () => {
    const { rows } = await db.query<{ size: number }>(text);
    return rows[0]?.size ?? 0;
  });
  return size >= LARGE;
}
