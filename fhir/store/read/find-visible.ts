// A read of what may be absent, for callers who treat absent, deleted and hidden resources alike.
import type { Queryable } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Access } from '../access.ts';
import type { FhirStore } from '../store.ts';
import type { ResourceAddress } from './lookup.ts';
import type { StoredVersion } from './stored-version.ts';

/** The current version; undefined when there is none that the access shows. @throws ServiceError `unavailable` */
export async function findVisible(
  store: Pick<FhirStore, 'read'>,
  db: Queryable,
  address: ResourceAddress,
  access: Access,
): Promise<StoredVersion | undefined> {
  try {
    return await store.read(db, address, access);
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'not_found' || error.code === 'deleted')) return undefined;
    throw error;
  }
}
