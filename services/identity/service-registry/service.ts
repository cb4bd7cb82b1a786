// The service registry: one CSV document shared by all nodes and replaced as a whole (contract: identity, Admin;
// decision I14).
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Actor } from '../actor.ts';
import { type RegistryRow, readCsv, writeCsv } from './csv.ts';
import * as store from './store.ts';

export const DOCUMENT_NAME = 'oath_overview.csv';

export interface ServiceRegistry {
  /** The rows, and the tag of the document that has them. */
  rows(): Promise<{ readonly rows: RegistryRow[]; readonly tag: string }>;
  /** The CSV document itself. */
  document(): Promise<string>;
  /**
   * `known`: the tag of what the caller has changed; undefined for whatever is there.
   * @throws ServiceError `precondition_failed` when somebody else has changed it since
   */
  replace(actor: Actor, rows: readonly RegistryRow[], known?: string): Promise<void>;
}

/** The entity tag of a document, as `ETag` and `If-Match` have it (RFC 9110 §8.8.3). */
function tagOf(document: string): string {
  return `"${sha256(document).toString('hex').slice(0, 32)}"`;
}

export function createServiceRegistry(deps: { database: Database; clock: Clock; audit: Audit }): ServiceRegistry {
  const { database, clock, audit } = deps;
  const document = async () => (await store.readDocument(database, DOCUMENT_NAME)) ?? writeCsv([]);
  return {
    document,
    rows: async () => {
      const text = await document();
      return { rows: readCsv(text), tag: tagOf(text) };
    },
    replace: (actor, rows, known) =>
      database.transaction(async (tx) => {
        const changedAt = new Date(clock.now());
        const before = (await store.lockDocument(tx, DOCUMENT_NAME, changedAt)) ?? writeCsv([]);
        if (known !== undefined && known !== tagOf(before))
          throw new ServiceError('precondition_failed', 'The service registry has changed since it was read');
        const changed = { name: DOCUMENT_NAME, content: writeCsv(rows), changedAt };
        await store.writeDocument(tx, changed);
        await audit.record(tx, { action: 'U', event: 'service-registry.replace', ...actor });
      }),
  };
}
