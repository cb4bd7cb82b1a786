// Checks which of many resources exist and are visible, for references (docs/reference/engine/validation.md).

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, accessCondition } from '../access.ts';
import { SqlValues } from '../search/sql/sql-values.ts';
import type { ResourceAddress } from './lookup.ts';

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

/** Those that are there or were, deleted ones and hidden ones too, as `Type/id`. */
export async function findTaken(db: Queryable, addresses: readonly ResourceAddress[]): Promise<ReadonlySet<string>> {
  const byKey = new Map(
    addresses.map(({ resourceType, id }) => [`${nameKey(resourceType)} ${resourceKey(id)}`, `${resourceType}/${id}`]),
  );
  const { rows } = await db.query<{ type: number; rid: string }>(
    {
      name: 'fhir_taken',
      text: `SELECT r.type, r.rid FROM unnest($1::int[], $2::uuid[]) AS k(type, rid)
        CROSS JOIN LATERAL (SELECT c.type, c.rid FROM fhir_resource c WHERE c.type = k.type AND c.rid = k.rid LIMIT 1) r`,
    },
    [addresses.map(({ resourceType }) => nameKey(resourceType)), addresses.map(({ id }) => resourceKey(id))],
  );
  return new Set(rows.flatMap(({ type, rid }) => byKey.get(`${type} ${rid}`) ?? []));
}
