// Lists and removes imported code systems for a command, directly in the engine's database.

import { ALL_ACCESS } from '#fhir/store/access.ts';
import { dropUnusedColumns } from '#fhir/store/definitions/code-system-columns.ts';
import { findUses, type ImportedSystem, listImportedSystems } from '#fhir/store/definitions/imported-systems.ts';
import { createAudit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { EngineStore } from '../engine-store.ts';

export type { ImportedSystem } from '#fhir/store/definitions/imported-systems.ts';

export interface ImportedTerminology {
  /** By URL and time of the import. */
  list(): Promise<readonly ImportedSystem[]>;
  /** The addresses of the stored definitions that name the code system: `ValueSet/…`. */
  uses(system: ImportedSystem): Promise<readonly string[]>;
  /**
   * Deletes the CodeSystem and its codes in one transaction. False when another has deleted it.
   * @throws ServiceError `precondition_failed` when it has changed since it was listed
   */
  remove(system: ImportedSystem, principal: Principal): Promise<boolean>;
  close(): Promise<void>;
}

export async function openImportedTerminology(
  { store, node, profileNode }: EngineStore,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): Promise<ImportedTerminology> {
  await Promise.all([node.start(), profileNode.start()]);
  const audit = createAudit({ database, clock, service: 'engine' });
  return {
    list: () => listImportedSystems(database),
    uses: (system) => findUses(database, system),
    remove: (system, principal) =>
      database.transaction(async (tx) => {
        const address = { resourceType: 'CodeSystem', id: system.id };
        const ifMatch = [system.resourceVersion];
        const deleted = await store.delete(tx, { ...address, access: ALL_ACCESS, ifMatch });
        if (deleted === undefined) return false;
        await dropUnusedColumns(tx);
        const entities = [`CodeSystem/${system.id}`];
        await audit.record(tx, { action: 'D', event: 'terminology.remove', principal, entities });
        return true;
      }),
    close: async () => {
      await Promise.all([node.stop(), profileNode.stop()]);
    },
  };
}
