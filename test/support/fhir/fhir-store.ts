// A FHIR store on a database of its own, with a clock that tests move by hand.

import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { type Access, ALL_ACCESS } from '#fhir/store/access.ts';
import { fhirStoreMigrations } from '#fhir/store/migrations.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { createFhirStore, type FhirStore } from '#fhir/store/store.ts';
import { auditMigrations } from '#lib/audit/migrations.ts';
import type { Database } from '#lib/db/database.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import type { Issue } from '#lib/errors.ts';
import { createTestDatabase } from '../database/database.ts';
import type { Hooks } from '../hooks.ts';

/** The base of the server whose store this is. */
export const OWN_BASE = 'https://own.example.org/fhir';

export interface TestStore {
  readonly store: FhirStore;
  readonly db: Database;
  /** Milliseconds; tests may set it. */
  readonly clock: { time: number; now(): number };
  /** Stores a resource under its own id (or a new one). */
  put(resource: Readonly<Record<string, unknown>>, organisation?: string | null): Promise<StoredVersion>;
  /** The ids that a query string finds, in the order answered. */
  find(type: string, query: string, access?: Access): Promise<string[]>;
}

/** `validate` finds no error unless the test says otherwise; `migrations` are those of a service that has the store. */
export async function createTestStore(
  hooks: Hooks,
  validate: (resource: Readonly<Record<string, unknown>>) => readonly Issue[] = () => [],
  migrations: readonly MigrationSource[] = [auditMigrations, fhirStoreMigrations],
): Promise<TestStore> {
  const schemas = [{ schema: 'fhir', migrations }];
  const db = (await createTestDatabase(hooks, { schemas })).database('fhir');
  const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time };
  const store = createFhirStore({ parameters: loadSearchParameters(OWN_BASE), clock, validate });
  return {
    store,
    db,
    clock,
    put: async (resource, organisation = null) => {
      const source = readResourceText(JSON.stringify(resource));
      const { id } = resource;
      if (typeof id !== 'string') return store.create(db, { source, organisation });
      const input = { resourceType: source.resourceType, id, source, organisation, access: ALL_ACCESS };
      return (await db.transaction((tx) => store.update(tx, input))).version;
    },
    find: async (type, query, access = ALL_ACCESS) => {
      const parsed = store.parse(type, new URLSearchParams(query), { isStrict: true, hasPages: true });
      return (await store.search(db, parsed, { access })).matches.map(({ id }) => id);
    },
  };
}
