// `kedja tenant move`: copies a tenant to another server while it is in use, by PostgreSQL's logical replication
// (postgresql.org/docs/18/logical-replication.html). At the end writes are held back until the copy has everything, and
// one transaction of the source sets its tables aside and notes the new place. Until it commits the source is in
// charge: a move that fails or is killed changes nothing, and the next one removes what it left. Afterwards the new
// place is in charge, and nodes find it by the note: a move that is killed then is finished by the next one, which
// writes the file.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { openLongConnection } from '#lib/db/long-connection.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { asideOf, readNewPlace } from '#lib/tenants/moved-place.ts';
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import { databaseOf } from '../../runtime/tenants/tenant-context.ts';
import { MIGRATIONS } from '../services.ts';
import type { CommandSite } from '../site.ts';
import { cutOver } from './cut-over.ts';
import type { Move } from './ends.ts';
import { changeTenants, requireTenant, revealed, tenantsFileOf } from './file.ts';
import { stateOf } from './list.ts';
import { finish, requireMovable, startCopy, stopCopy, untilCopied } from './replication.ts';

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
  const move: Move = { schemas, label: `kedja_move_${tenant.schema}`, sourceUrl, source, target, to };
  const complete = async () => {
    await finish(move);
    await stopCopy(move);
    // Last, so that the command can be run again until nothing is left.
    await changeTenants(file, (tenants) =>
      tenants.map((each) => (each.name === tenant.name ? { ...each, databaseUrl, directUrl } : each)),
    );
    console.error(`What it had at ${placeOf(sourceUrl)} is set aside there: ${schemas.map(asideOf).join(', ')}.`);
  };
  try {
    const earlier = await readNewPlace(source, schemas[0] ?? '');
    if (earlier !== undefined && placeOf(earlier.url) !== placeOf(to.url))
      throw new Error(`The tenant has moved to ${placeOf(earlier.url)}: run the command with that database first`);
    if (earlier !== undefined) {
      await complete();
      console.log(`Tenant ${tenant.name} is at ${placeOf(databaseUrl)} since an earlier move, which is finished now.`);
      return 0;
    }
    await stopCopy(move);
    const state = await stateOf(site, tenant);
    if (state !== 'ok') throw new Error(`Tenant ${tenant.name}: ${state}`);
    await requireMovable(move);
    let heldMs: number;
    try {
      console.error(`Copying to ${placeOf(databaseUrl)}; the tenant is in use meanwhile.`);
      for (const service of TENANT_SERVICES)
        await migrate({ ...to, schema: schemaOf(tenant, service), sources: MIGRATIONS[service] });
      await startCopy(move);
      await untilCopied(move, signal, (left) => console.error(`${left} tables are still to be copied`));
      heldMs = await cutOver(move, signal);
      console.error('The new place is in charge.');
      await complete();
    } catch (error) {
      await stopCopy(move);
      throw error;
    }
    console.log(`Tenant ${tenant.name} is at ${placeOf(databaseUrl)}; writes were held back for ${heldMs} ms.`);
    return 0;
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}
