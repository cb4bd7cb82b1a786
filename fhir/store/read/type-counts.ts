// Counts the resources of each type.
import type { Queryable } from '#lib/db/database.ts';
import { typeNames } from './stored-version.ts';

/** Of the types of which there are any, by name; what was deleted does not count. */
export async function countByType(db: Queryable, types: Iterable<string>): Promise<Record<string, number>> {
  const names = typeNames([...types]);
  const { rows } = await db.query<{ type: number; count: number }>(
    'SELECT type, count(*) AS count FROM fhir_resource WHERE NOT deleted GROUP BY type',
  );
  const counts = rows.flatMap(({ type, count }): [string, number][] => {
    const name = names.get(type);
    return name === undefined ? [] : [[name, Number(count)]];
  });
  return Object.fromEntries(counts.sort(([one], [other]) => (one < other ? -1 : 1)));
}
