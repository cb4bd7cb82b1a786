// Reads and writes FHIR resources of the store as texts. ./text-tasks.ts changes such texts.

import { type Access, ALL_ACCESS } from '#fhir/store/access.ts';
import { findVisible } from '#fhir/store/read/find-visible.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { Actor } from './actor.ts';
import type { TextTasks } from './text-tasks.ts';

export interface Records {
  /** The resource, or undefined when there is none that the access shows. */
  find(db: Queryable, address: ResourceAddress, access: Access): Promise<StoredVersion | undefined>;
  /** Locks the resource for a change, whatever the access; undefined when there is none. */
  lock(transaction: Transaction, address: ResourceAddress): Promise<StoredVersion | undefined>;
  /** Stores a new resource from its JSON text. @throws ServiceError `unprocessable` */
  create(transaction: Transaction, text: string, placement: Placement, actor?: Actor): Promise<StoredVersion>;
  /** Replaces the resource of that type and id. @throws ServiceError `unprocessable` */
  replace(transaction: Transaction, text: string, address: ResourceAddress, actor?: Actor): Promise<StoredVersion>;
}

export interface Placement {
  readonly id: string;
  /** The organisation that owns it; null for none. */
  readonly organisation: string | null;
}

export function createRecords(store: FhirStore, texts: TextTasks): Records {
  return {
    find: (db, address, access) => findVisible(store, db, address, access),
    async lock(transaction, address) {
      const version = await store.lock(transaction, address, ALL_ACCESS);
      return version === undefined || version.isDeleted ? undefined : version;
    },
    async create(transaction, text, placement, actor) {
      const source = await texts.read(text, actor);
      return store.create(transaction, { source, isPut: true, ...placement });
    },
    async replace(transaction, text, address, actor) {
      const source = await texts.read(text, actor);
      const input = { ...address, source, organisation: null, access: ALL_ACCESS, mayCreate: false };
      return (await store.update(transaction, input)).version;
    },
  };
}
