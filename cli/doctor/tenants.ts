// `kedja doctor` on the tenants of KEDJA_TENANTS_FILE (docs/operations/tenants.md).
import { stat } from 'node:fs/promises';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';
import { readTenantsFile } from '#lib/tenants/tenants-file.ts';
import type { KeyFolder } from '../../runtime/keys/keys.ts';
import { keyOfTenant, TENANT_KEYS } from '../../runtime/tenants/tenant-context.ts';
import { PENDING, stateOf } from '../tenant/list.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const PAGE = 'See docs/operations/tenants.md';
/** Any right of others, and writing by the group. */
const TOO_OPEN = 0o027;

export interface TenantSite {
  readonly file: string;
  readonly keys: KeyFolder;
  readonly address: DatabaseAddress;
  readonly publicUrl: string | undefined;
}

/** A finding for each tenant. It changes nothing. */
export async function checkTenants({ file, keys, address, publicUrl }: TenantSite): Promise<Finding[]> {
  let tenants: readonly Tenant[];
  try {
    tenants = await readTenantsFile(file);
  } catch (error) {
    const issues = error instanceof Error ? error.message.split('\n') : [String(error)];
    return issues.map((issue) => fail('tenants.file', issue, `Correct the file. ${PAGE}`));
  }
  const findings = [...(await modeFindings(file)), ...publicHostFindings(tenants, publicUrl)];
  for (const tenant of tenants) {
    const issues = [...(await keyFindings(tenant, keys)), ...(await stateFindings(tenant, address))];
    findings.push(...(issues.length > 0 ? issues : [fine('tenants.tenant', `Tenant ${tenant.name} can be served`)]));
  }
  return findings;
}

async function modeFindings(file: string): Promise<Finding[]> {
  const { mode } = await stat(file);
  if ((mode & TOO_OPEN) === 0) return [];
  const message = `${file} holds passwords and is open to other accounts`;
  return [warn('tenants.file-open', message, `Let Kedja's account alone read it: chmod 600 ${file}`)];
}

/** Users of all tenants sign in at the public host (docs/adr/0151). A tenant that has it takes it from the others. */
export function publicHostFindings(
  tenants: readonly Pick<Tenant, 'name' | 'hosts'>[],
  publicUrl: string | undefined,
): Finding[] {
  if (publicUrl === undefined) return [];
  const { hostname } = new URL(publicUrl);
  return tenants
    .filter(({ hosts }) => hosts.includes(hostname))
    .map(({ name }) => {
      const message = `Tenant ${name} has the public host name ${hostname}: the others ask for passwords of their own`;
      return warn('tenants.public-host', message, `Give it a host name of its own. ${PAGE}`);
    });
}

async function keyFindings({ name }: Tenant, keys: KeyFolder): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const key of TENANT_KEYS) {
    try {
      await keys.existingKeySet(keyOfTenant(name, key));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      findings.push(fail('tenants.key', `Tenant ${name} is not served: ${reason}`, `Copy its keys here. ${PAGE}`));
    }
  }
  return findings;
}

async function stateFindings(tenant: Tenant, address: DatabaseAddress): Promise<Finding[]> {
  const state = await stateOf({ address }, tenant);
  if (state === 'ok') return [];
  const message = `Tenant ${tenant.name}: ${state}`;
  if (state === PENDING)
    return [warn('tenants.migrations', message, 'Nodes apply them when they open the tenant, or kedja migrate')];
  return [fail('tenants.database', message, `Look at its address and its server. ${PAGE}`)];
}
