// `kedja tenant remove`: out of the file first, so that nodes serve it no more; then its users' memberships end, and
// with them their tokens. The data stays: to drop it is an own decision.
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import { operator } from '../operator.ts';
import type { CommandSite } from '../site.ts';
import { changeTenants, requireTenant, tenantsFileOf } from './file.ts';
import { membershipsOf } from './members.ts';

export async function removeTenant(site: CommandSite, name: string): Promise<number> {
  const file = tenantsFileOf(site);
  const tenant = await requireTenant(file, name);
  const memberships = await membershipsOf(site);
  await changeTenants(file, (tenants) => tenants.filter((each) => each.name !== name));
  const members = await memberships.dissolve(operator(), name);
  const schemas = TENANT_SERVICES.map((service) => schemaOf(tenant, service)).join(', ');
  console.log(`Tenant ${name} is removed; ${members} memberships have ended.`);
  console.error(`Its data is still at ${placeOf(tenant.databaseUrl)} (${schemas}), its keys in ${site.keys.folder}.`);
  return 0;
}
