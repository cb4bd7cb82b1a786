// FHIR resources of the store as parsed JSON whose decimals keep their digits: reading them, and writing them back changed.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import { readResourceText } from '#lib/fhir/resource-text.ts';
import { type Access, ALL_ACCESS } from '#lib/fhir-store/access.ts';
import type { FhirStore } from '#lib/fhir-store/store.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { type FhirObject, isObject } from './json.ts';

export interface FhirRecord {
  readonly version: StoredVersion;
  readonly resource: FhirObject;
}

export interface Records {
  /** The resource, or undefined when there is none that may be seen. */
  find(db: Queryable, address: { resourceType: string; id: string }, access: Access): Promise<FhirRecord | undefined>;
  /** The resource locked for a change, whoever may see it; undefined when there is none. */
  lock(transaction: Transaction, address: { resourceType: string; id: string }): Promise<FhirRecord | undefined>;
  /** Stores a new resource under its own id. @throws ServiceError `unprocessable` */
  create(transaction: Transaction, resource: FhirObject, organisation: string | null): Promise<StoredVersion>;
  /** Replaces the resource of that type and id. @throws ServiceError `unprocessable` */
  replace(transaction: Transaction, resource: FhirObject): Promise<StoredVersion>;
}

export function createRecords(store: FhirStore): Records {
  return {
    async find(db, address, access) {
      try {
        return toRecord(await store.read(db, address, access));
      } catch (error) {
        if (error instanceof ServiceError && (error.code === 'not_found' || error.code === 'deleted')) return undefined;
        throw error;
      }
    },
    async lock(transaction, address) {
      const version = await store.lock(transaction, address, ALL_ACCESS);
      return version === undefined || version.isDeleted ? undefined : toRecord(version);
    },
    create(transaction, resource, organisation) {
      const source = readResourceText(JSON.stringify(resource));
      return store.create(transaction, { source, organisation, id: idOf(resource) });
    },
    async replace(transaction, resource) {
      const source = readResourceText(JSON.stringify(resource));
      const address = { resourceType: source.resourceType, id: idOf(resource) };
      const input = { ...address, source, organisation: null, access: ALL_ACCESS, mayCreate: false };
      return (await store.update(transaction, input)).version;
    },
  };
}

function toRecord(version: StoredVersion): FhirRecord {
  const resource = parseExactJson(version.content);
  if (!isObject(resource)) throw new Error(`${version.resourceType}/${version.id} is stored as no object`);
  return { version, resource };
}

function idOf(resource: FhirObject): string {
  const { id } = resource;
  if (typeof id !== 'string') throw new Error('A resource of our own has no id');
  return id;
}
