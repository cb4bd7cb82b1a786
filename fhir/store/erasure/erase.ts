// Erases resources with all their versions (docs/adr/0131). The mark that stays keeps references to them resolvable: it
// answers that the resource is gone. The caller's transaction makes all of it visible at once.
import { createHash } from 'node:crypto';
import type { Transaction } from '#lib/db/database.ts';
import { INDEX_TABLES } from '../index/index-tables.ts';
import { queued } from '../write/write-sql.ts';
import type { Found, FoundVersion } from './find.ts';
import { erasedCondition, erasedContent } from './mark.ts';

export interface ErasedResources {
  /** How many resources and versions of each type. */
  readonly types: Readonly<Record<string, { readonly resources: number; readonly versions: number }>>;
  /** SHA-256 of the types, keys, versions and contents, in order; the caller makes a keyed digest of it. */
  readonly digest: Buffer;
}

export interface EraseOptions {
  readonly erasureGuid: string;
  readonly now: Date;
  /** Ids that say something of a person, such as a personnummer: they are not kept either. */
  readonly isPersonal: (id: string) => boolean;
}

const BATCH = 500;
const TABLES = [...INDEX_TABLES.map(({ table }) => table), 'fhir_text', 'fhir_late_index'];

/** The resources are in the order of {@link Found} lists. What is erased already is left out. */
export async function eraseResources(
  tx: Transaction,
  { resources, versions }: { readonly resources: readonly Found[]; readonly versions: readonly FoundVersion[] },
  options: EraseOptions,
): Promise<ErasedResources> {
  const hash = createHash('sha256');
  const types: Record<string, { resources: number; versions: number }> = {};
  const count = (name: string, resourceCount: number, versionCount: number) => {
    const type = name.slice(0, name.indexOf('/'));
    const known = types[type] ?? { resources: 0, versions: 0 };
    types[type] = { resources: known.resources + resourceCount, versions: known.versions + versionCount };
  };
  for (let start = 0; start < resources.length; start += BATCH) {
    const some = await lockPresent(tx, resources.slice(start, start + BATCH));
    const digests = await contentDigests(tx, some);
    for (const { name } of some) count(name, 1, 0);
    const names = new Map(some.map((each) => [`${each.type} ${each.rid}`, each.name]));
    for (const { type, rid, version, digest } of digests) {
      hash.update(`${type} ${rid} ${version} ${digest}\n`);
      count(names.get(`${type} ${rid}`) ?? '', 0, 1);
    }
    await eraseSome(tx, some, options);
  }
  for (const { type, rid, version, name } of versions) {
    const key = [type, rid, version];
    const text = `SELECT encode(sha256(convert_to(content, 'UTF8')), 'hex') AS digest FROM fhir_history
      WHERE type = $1 AND rid = $2 AND version = $3 FOR UPDATE`;
    const { rows } = await tx.query<{ digest: string }>(text, key);
    await tx.query('DELETE FROM fhir_history WHERE type = $1 AND rid = $2 AND version = $3', key);
    for (const { digest } of rows) hash.update(`${type} ${rid} ${version} ${digest}\n`);
    count(name, 0, rows.length);
  }
  return { types, digest: hash.digest() };
}

async function lockPresent(tx: Transaction, found: readonly Found[]): Promise<Found[]> {
  const { rows } = await tx.query<{ type: number; rid: string }>(
    `SELECT r.type, r.rid FROM fhir_resource r JOIN unnest($1::int[], $2::uuid[]) k(type, rid) USING (type, rid)
     WHERE NOT ${erasedCondition('r')} ORDER BY r.type, r.rid FOR UPDATE OF r`,
    keysOf(found),
  );
  const present = new Set(rows.map(({ type, rid }) => `${type} ${rid}`));
  return found.filter(({ type, rid }) => present.has(`${type} ${rid}`));
}

/** Of every version of the locked resources. */
async function contentDigests(tx: Transaction, found: readonly Found[]) {
  const columns = "v.type, v.rid, v.version, encode(sha256(convert_to(v.content, 'UTF8')), 'hex') AS digest";
  const keys = 'JOIN unnest($1::int[], $2::uuid[]) k(type, rid) USING (type, rid)';
  const { rows } = await tx.query<{ type: number; rid: string; version: number; digest: string }>(
    `SELECT ${columns} FROM fhir_resource v ${keys} UNION ALL SELECT ${columns} FROM fhir_history v ${keys}
     ORDER BY type, rid, version`,
    keysOf(found),
  );
  return rows;
}

async function eraseSome(tx: Transaction, found: readonly Found[], options: EraseOptions): Promise<void> {
  if (found.length === 0) return;
  const keys = keysOf(found);
  const given = 'unnest($1::int[], $2::uuid[]) AS k(type, rid)';
  for (const table of [...TABLES, 'fhir_history']) {
    await tx.query(
      `DELETE FROM ${table} d USING ${given} WHERE d.rid = ANY($2::uuid[]) AND d.rid = k.rid AND d.type = k.type`,
      keys,
    );
  }
  const ids = found.map(({ name }) => name.slice(name.indexOf('/') + 1));
  await tx.query(
    `UPDATE fhir_resource r SET version = r.version + 1, updated_at = greatest($3::timestamptz, r.updated_at), deleted = true,
       patched = NULL, content = k.content, id = CASE WHEN k.is_personal THEN NULL ELSE r.id END
     FROM unnest($1::int[], $2::uuid[], $4::text[], $5::boolean[]) AS k(type, rid, content, is_personal)
     WHERE r.type = k.type AND r.rid = k.rid`,
    [
      ...keys,
      options.now,
      found.map(({ name }) => erasedContent(options.erasureGuid, name.slice(0, name.indexOf('/')))),
      ids.map(options.isPersonal),
    ],
  );
  // An indexer that has read the text before writes its words after: it is to check again.
  await tx.query(`WITH ${queued()} SELECT`, keys);
  // Nothing is reported of Patients that are no more.
  await tx.query('DELETE FROM fhir_patient_change WHERE rid = ANY($1::uuid[])', [keys[1]]);
}

function keysOf(found: readonly Found[]): [types: readonly number[], rids: readonly string[]] {
  return [found.map(({ type }) => type), found.map(({ rid }) => rid)];
}
