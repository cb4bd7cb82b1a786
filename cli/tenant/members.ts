// `kedja tenant admit` and `expel`: who may sign in to a tenant. It works on identity's database by identity's code.
import { createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import { DEFAULT_TENANT } from '#lib/tenants/tenant.ts';
import { migrations } from '#services/identity/migrations.ts';
import { createRevocations } from '#services/identity/revocations/service.ts';
import { createMembershipAdministration, type MembershipAdministration } from '#services/identity/tenants/service.ts';
import { operator } from '../operator.ts';
import type { CommandSite } from '../site.ts';
import { requireTenant, tenantsFileOf } from './file.ts';

export async function membershipsOf(site: CommandSite): Promise<MembershipAdministration> {
  const database = await site.database('identity', migrations);
  return createMembershipAdministration({
    database,
    clock: systemClock,
    audit: createAudit({ database, clock: systemClock, service: 'identity' }),
    revocations: createRevocations({ database, clock: systemClock }),
  });
}

export async function changeMember(
  site: CommandSite,
  { kind, name, email }: { readonly kind: 'admit' | 'expel'; readonly name: string; readonly email: string },
): Promise<number> {
  if (name !== DEFAULT_TENANT) await requireTenant(tenantsFileOf(site), name);
  const memberships = await membershipsOf(site);
  const isChanged = await memberships[kind](operator(), email, name);
  const [now, before] = kind === 'admit' ? ['may', 'could already'] : ['may no longer', 'could not'];
  console.error(`${email} ${isChanged ? now : before} sign in to ${name}.`);
  return 0;
}
