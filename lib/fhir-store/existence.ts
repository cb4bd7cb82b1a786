// Which of many resources are there to be seen: what references point to (docs/reference/engine/validation.md).
import type { Queryable } from '#lib/db/database.ts';
import { nameKey, resourceKey } from '#lib/fhir/search/keys.ts';
import { type Access, accessCondition } from './access.ts';
import type { ResourceAddress } from './lookup.ts';
import { SqlValues } from './sql-values.ts';

/** Those that are not there, are deleted, or are hidden from the caller, as `Type/id`. */
export async function findAbsent(
  db: Queryable,
  addresses: readonly ResourceAddress[],
  access: Access,
): Promise<ReadonlySet<string>> {
  const absent = new Set(addresses.map(({ resourceType, id }) => `${resourceType}/${id}`));
  for (const [type, group] of Map.groupBy(addresses, ({ resourceType }) => resourceType)) {
    const byKey = new Map(group.map(({ id }) => [resourceKey(id), id]));
    const values = new SqlValues();
    const where = `r.type = ${values.key(nameKey(type))} AND r.rid = ANY(${values.bind([...byKey.keys()], 'uuid[]')})`;
    const text = `SELECT r.rid FROM fhir_resource r
      WHERE ${where} AND NOT r.deleted AND ${accessCondition(access(type), type, 'r', values)}`;
    const { rows } = await db.query<{ rid: string }>(text, values.list);
    for (const { rid } of rows) absent.delete(`${type}/${byKey.get(rid)}`);
  }
  return absent;
}
