// A tenant (docs/adr/0137): a region or a care provider whose records are its own. Engine and dispatch have a schema
// for each; identity is common. The default tenant is what an installation without a tenants file serves.

/** The name of the default tenant, where one must be written. No tenant of the file has it. */
export const DEFAULT_TENANT = 'default';

/** The services of which each tenant has its own. */
export const TENANT_SERVICES = ['engine', 'dispatch'] as const;
export type TenantService = (typeof TENANT_SERVICES)[number];

export interface Tenant {
  /** `[a-z][a-z0-9-]*`, in addresses and tokens. */
  readonly name: string;
  /** `[a-z][a-z0-9_]*`: its schemas are `<schema>_engine` and `<schema>_dispatch`. */
  readonly schema: string;
  /** Its server and database; undefined for that of the installation. */
  readonly databaseUrl: string | undefined;
  /** Past the pooler, as `KEDJA_DATABASE_DIRECT_URL`; undefined where `databaseUrl` leads to PostgreSQL itself. */
  readonly directUrl: string | undefined;
  /** Host names in lower case, without ports. */
  readonly hosts: readonly string[];
}

export function schemaOf({ schema }: Pick<Tenant, 'schema'>, service: TenantService): string {
  return `${schema}_${service}`;
}

/** The path before the addresses of a service that are the tenant's. */
export function pathOfTenant(name: string): string {
  return `/t/${name}`;
}
