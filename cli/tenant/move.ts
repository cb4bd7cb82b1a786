// `kedja tenant move`: copies a tenant to another server while it is in use, by PostgreSQL's logical replication
// (postgresql.org/docs/18/logical-replication.html). At the end writes are held back until the copy has everything; the
// tables are set aside where they were, and the file names the new place. Until then the source is in charge: a move
// that fails or is killed changes nothing, and the next one removes what it left.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { openLongConnection } from '#lib/db/long-connection.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import { databaseOf } from '../../runtime/tenants/tenant-context.ts';
import { MIGRATIONS } from '../services.ts';
import type { CommandSite } from '../site.ts';
import { cutOver } from './cut-over.ts';
import { asideOf, type Move } from './ends.ts';
import { changeTenants, requireTenant, revealed, tenantsFileOf } from './file.ts';
import { stateOf } from './list.ts';
import { putBack, requireMovable, startCopy, stopCopy, untilCopied } from './replication.ts';

export interface MoveRequest {
  readonly name: string;
  readonly databaseUrl: string;
  readonly directUrl: string | undefined;
}

export async function moveTenant(site: CommandSite, request: MoveRequest, signal: AbortSignal): Promise<number> {
  const file = tenantsFileOf(site);
  const tenant = await requireTenant(file, request.name);
  const databaseUrl = await revealed(request.databaseUrl);
  const directUrl = request.directUrl === undefined ? undefined : await revealed(request.directUrl);
  const from = databaseOf({ database: site.address }, tenant);
  const to: DatabaseAddress = databaseOf({ database: site.address }, { ...tenant, databaseUrl, directUrl });
  const sourceUrl = from.directUrl ?? from.url;
  if (placeOf(sourceUrl) === placeOf(to.directUrl ?? to.url)) throw new Error('The tenant is there already');
  const source = await openLongConnection(from, 'kedja-move');
  const target = await openLongConnection(to, 'kedja-move').catch(async (error: unknown) => {
    await source.end();
    throw error;
  });
  const schemas = TENANT_SERVICES.map((service) => schemaOf(tenant, service));
  const move: Move = { schemas, label: `kedja_move_${tenant.schema}`, sourceUrl, source, target };
  try {
    await putBack(move);
    await stopCopy(move);
    const state = await stateOf(site, tenant);
    if (state !== 'ok') throw new Error(`Tenant ${tenant.name}: ${state}`);
    await requireMovable(move);
    try {
      console.error(`Copying to ${placeOf(databaseUrl)}; the tenant is in use meanwhile.`);
      for (const service of TENANT_SERVICES)
        await migrate({ ...to, schema: schemaOf(tenant, service), sources: MIGRATIONS[service] });
      await startCopy(move);
      await untilCopied(move, signal, (left) => console.error(`${left} tables are still to be copied`));
      const heldMs = await cutOver(move, signal, () =>
        changeTenants(file, (tenants) =>
          tenants.map((each) => (each.name === tenant.name ? { ...each, databaseUrl, directUrl } : each)),
        ),
      );
      console.log(`Tenant ${tenant.name} is at ${placeOf(databaseUrl)}; writes were held back for ${heldMs} ms.`);
      console.error(`What it had at ${placeOf(sourceUrl)} is set aside there: ${schemas.map(asideOf).join(', ')}.`);
    } finally {
      await stopCopy(move);
    }
    return 0;
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}
