// The service registry: one CSV document shared by all nodes and replaced as a whole (contract: identity, Admin;
// decision I14).
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { Actor } from '../actor.ts';
import { type RegistryRow, readCsv, writeCsv } from './csv.ts';
import * as store from './store.ts';

export const DOCUMENT_NAME = 'oath_overview.csv';

export interface ServiceRegistry {
  rows(): Promise<RegistryRow[]>;
  /** The CSV document itself. */
  document(): Promise<string>;
  replace(actor: Actor, rows: readonly RegistryRow[]): Promise<void>;
}

export function createServiceRegistry(deps: { database: Database; clock: Clock; audit: Audit }): ServiceRegistry {
  const { database, clock, audit } = deps;
  const document = async () => (await store.readDocument(database, DOCUMENT_NAME)) ?? writeCsv([]);
  return {
    document,
    rows: async () => readCsv(await document()),
    replace: (actor, rows) =>
      database.transaction(async (tx) => {
        const changed = { name: DOCUMENT_NAME, content: writeCsv(rows), changedAt: new Date(clock.now()) };
        await store.writeDocument(tx, changed);
        await audit.record(tx, { action: 'U', event: 'service-registry.replace', ...actor });
      }),
  };
}
