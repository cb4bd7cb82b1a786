// What the service adds to created resources, in the same transaction (`Placed.companion`).
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { RouteContext } from '../../context.ts';
import type { Placed } from '../../options.ts';
import { recordChange } from '../access-records.ts';
import type { FhirCall } from '../call.ts';

interface Created {
  readonly version: StoredVersion;
  readonly placed: Pick<Placed, 'companion' | 'organisation'>;
}

/** Creates and records the companions. @throws ServiceError `unprocessable` */
export async function createCompanions(
  tx: Transaction,
  call: FhirCall,
  created: readonly Created[],
  context: RouteContext,
): Promise<void> {
  for (const { version, placed } of created) {
    const source = placed.companion?.(version);
    if (source === undefined) continue;
    const companion = await context.options.store.create(tx, { source, organisation: placed.organisation });
    const { resourceType } = companion;
    await recordChange(
      tx,
      call,
      [{ action: 'C', interaction: 'create', resourceType, versions: [companion] }],
      context,
    );
  }
}
