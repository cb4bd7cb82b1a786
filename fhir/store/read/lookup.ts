// Reads single versions: the current one, an older one, or the current one locked for a change.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { PreparedStatement, Queryable } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { type Access, accessCondition } from '../access.ts';
import { isErased } from '../erasure/mark.ts';
import { reusable, SqlValues } from '../search/sql/sql-values.ts';
import type { Reading } from '../threads.ts';
import {
  lockedColumns,
  type StoredVersion,
  toStoredVersion,
  type VersionRow,
  versionColumns,
} from './stored-version.ts';
import { visibleVersions } from './visible-versions.ts';

export interface ResourceAddress {
  readonly resourceType: string;
  readonly id: string;
}

export interface VersionAddress extends ResourceAddress {
  readonly version: number;
  /** Guid of the caller. */
  readonly owner?: string | undefined;
}

const CURRENT: PreparedStatement = {
  name: 'fhir_current',
  text: `SELECT ${versionColumns('r')} FROM fhir_resource r WHERE r.type = $1 AND r.rid = $2`,
};
const LOCKED: PreparedStatement = {
  name: 'fhir_current_locked',
  text: `SELECT ${lockedColumns('r')} FROM fhir_resource r WHERE r.type = $1 AND r.rid = $2 FOR UPDATE`,
};

/**
 * The current version, also when it is the mark of a deletion; undefined when there is none or the caller may not see
 * it.
 */
export async function findCurrent(
  db: Queryable,
  address: ResourceAddress,
  access: Access,
  lock: 'none' | 'update' = 'none',
): Promise<StoredVersion | undefined> {
  const { resourceType, id } = address;
  const type = nameKey(resourceType);
  const rid = resourceKey(id);
  const filter = access(resourceType);
  if (filter.kind === 'all') {
    const { rows } = await db.query<VersionRow>(lock === 'update' ? LOCKED : CURRENT, [type, rid]);
    return sameId(rows[0], address);
  }
  const values = new SqlValues();
  const where = `r.type = ${values.key(type)} AND r.rid = ${values.bind(rid, 'uuid')}`;
  const condition = accessCondition(filter, resourceType, 'r', values);
  const [columns, suffix] = lock === 'update' ? [lockedColumns('r'), ' FOR UPDATE'] : [versionColumns('r'), ''];
  const text = `SELECT ${columns} FROM fhir_resource r WHERE ${where} AND ${condition}${suffix}`;
  const { rows } = await db.query<VersionRow>(reusable(text), values.list);
  return sameId(rows[0], address);
}

/**
 * The current version of a resource.
 * @throws ServiceError `not_found`, also when the caller may not see it (G12); `deleted`
 */
export async function readCurrent(db: Queryable, address: ResourceAddress, access: Access): Promise<StoredVersion> {
  return presentVersion(await findCurrent(db, address, access), address);
}

/**
 * What was found at an address, or as one of its versions. @throws ServiceError `not_found` when there is nothing to
 * see; `deleted` for the mark of a deletion
 */
export function presentVersion(
  found: StoredVersion | undefined,
  { resourceType, id }: ResourceAddress,
  version?: number,
): StoredVersion {
  const name = `${resourceType}/${id}`;
  if (found === undefined) throw notFound(version === undefined ? name : `${name}/_history/${version}`);
  if (found.isDeleted) throw deletedError(found);
  return found;
}

/** The error for a deleted resource, with the ETag of the version that marks the deletion (RFC 9110 §8.8.3). */
export function deletedError(deleted: StoredVersion): ServiceError {
  const { resourceType, id, version, lastUpdated } = deleted;
  const headers = { etag: `W/"${version}"`, 'last-modified': lastUpdated.toUTCString() };
  const what = isErased(deleted) ? 'erased' : 'deleted';
  return new ServiceError('deleted', `${resourceType}/${id} has been ${what}`, { headers });
}

/** @throws ServiceError `deleted` for what was erased (docs/adr/0131): it is not written again */
export function requireNotErased(current: StoredVersion): void {
  if (isErased(current)) throw deletedError(current);
}

/**
 * One version of a resource that the caller may see now.
 * @throws ServiceError `not_found`; `deleted` for the version that marks a deletion
 */
export async function readVersion(
  db: Queryable,
  address: VersionAddress,
  access: Access,
  reading: Reading,
): Promise<StoredVersion> {
  const current = await findCurrent(db, address, access);
  // It has no other versions, and the caller sees why.
  if (current !== undefined && isErased(current)) throw deletedError(current);
  const found = current?.version === address.version ? current : current && (await findOld(db, address));
  const [visible] =
    found === undefined ? [] : await visibleVersions([found], access, { ...reading, reader: { owner: address.owner } });
  return presentVersion(visible, address, address.version);
}

async function findOld(
  db: Queryable,
  address: ResourceAddress & { readonly version: number },
): Promise<StoredVersion | undefined> {
  const { rows } = await db.query<VersionRow>(
    {
      name: 'fhir_old_version',
      text: `SELECT ${versionColumns('h')} FROM fhir_history h WHERE h.type = $1 AND h.rid = $2 AND h.version = $3`,
    },
    [nameKey(address.resourceType), resourceKey(address.id), address.version],
  );
  return sameId(rows[0], address);
}

function sameId(row: VersionRow | undefined, { resourceType, id }: ResourceAddress): StoredVersion | undefined {
  const found = row && toStoredVersion(resourceType, row);
  return found?.id === id ? found : undefined;
}
