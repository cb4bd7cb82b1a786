// Where `kedja restore --tenant` puts a tenant, and the tenants file afterwards: a node serves the tenant at its new
// place once the file names it, which is after the data is there (docs/adr/0148).
import type { Tenant } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import type { CommandSite } from '../site.ts';
import { explain } from '../site-command.ts';
import { requireAddable } from '../tenant/add.ts';
import { changeTenants, readTenants, requireUnlocked, revealed, tenantsFileOf } from '../tenant/file.ts';
import type { TenantFacts } from './records.ts';

/** The place on the command line; what is left out is as in the tenants file, else as in the backup. */
export interface GivenPlace {
  readonly databaseUrl: string | undefined;
  readonly directUrl: string | undefined;
  readonly schema: string | undefined;
}

export interface TenantTarget {
  readonly tenant: Tenant;
  /** Writes the place to the tenants file, unless it is there. @throws Error that says how to finish */
  register(): Promise<void>;
}

/** @throws Error that names every error, before anything is restored */
export async function tenantTarget(site: CommandSite, facts: TenantFacts, given: GivenPlace): Promise<TenantTarget> {
  const file = tenantsFileOf(site);
  const tenants = await readTenants(file);
  const known = tenants.find(({ name }) => name === facts.name);
  const databaseUrl = given.databaseUrl && (await revealed(given.databaseUrl));
  const directUrl = given.directUrl && (await revealed(given.directUrl));
  const tenant: Tenant = {
    name: facts.name,
    schema: given.schema ?? known?.schema ?? facts.schema,
    hosts: known?.hosts ?? facts.hosts,
    // A pooler's address and the one past it belong together.
    ...(databaseUrl === undefined
      ? { databaseUrl: known?.databaseUrl, directUrl: directUrl ?? known?.directUrl }
      : { databaseUrl, directUrl }),
  };
  const put = (list: readonly Tenant[]) =>
    list.some(({ name }) => name === tenant.name)
      ? list.map((each) => (each.name === tenant.name ? tenant : each))
      : [...list, tenant];
  requireAddable(put(tenants));
  await requireUnlocked(file);
  return {
    tenant,
    async register() {
      if (known !== undefined && JSON.stringify(known) === JSON.stringify({ ...known, ...tenant })) return;
      try {
        await changeTenants(file, put);
      } catch (error) {
        const { name, schema } = tenant;
        const entry = `tenant ${name} at schema ${schema}, database ${placeOf(tenant.databaseUrl)}`;
        const why = explain(error).join('; ');
        throw new Error(`The rows are restored, but ${file} does not name ${entry}. Run the same again. ${why}`, {
          cause: error,
        });
      }
    },
  };
}
