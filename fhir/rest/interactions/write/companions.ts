// What the service adds to written resources, in the same transaction (`Placed.companion`, `Placed.written`).
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { RouteContext } from '../../context.ts';
import type { Placed } from '../../options.ts';
import { recordChange } from '../access-records.ts';
import type { FhirCall } from '../call.ts';

interface Written {
  readonly version: StoredVersion;
  readonly placed: Pick<Placed, 'companion' | 'written' | 'organisation'>;
}

/** Creates and records the companions. @throws ServiceError `unprocessable` */
export async function createCompanions(
  tx: Transaction,
  call: FhirCall,
  written: readonly Written[],
  context: RouteContext,
): Promise<void> {
  for (const { version, placed } of written) {
    await createCompanion(tx, call, { version, placed }, context);
    await placed.written?.(tx, version);
  }
}

async function createCompanion(
  tx: Transaction,
  call: FhirCall,
  { version, placed }: Written,
  context: RouteContext,
): Promise<void> {
  const source = placed.companion?.(version);
  if (source === undefined) return;
  const companion = await context.options.store.create(tx, { source, organisation: placed.organisation });
  const { resourceType } = companion;
  await recordChange(tx, call, [{ action: 'C', interaction: 'create', resourceType, versions: [companion] }], context);
}
