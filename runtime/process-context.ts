// What the services of a process share, and what each is created with.
import type { IdentityLink } from '#lib/auth/identity-link.ts';
import type { ClientService } from '#lib/auth/principal.ts';
import type { ServiceClient, ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';
import type { Tracer } from '#lib/traces/tracer.ts';
import type { Addresses, Config } from '../config.ts';
import type { KeyFolder } from './keys/keys.ts';
import type { Peers } from './peers.ts';
import type { TenantServers } from './tenants/tenant-servers.ts';
import type { TenantSource } from './tenants/tenant-source.ts';

/** What all services of a process share. */
export interface ProcessContext {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly database: DatabaseAddress;
  readonly keys: KeyFolder;
  /** The gateway's proof to the services. */
  readonly gatewayProof: string;
  readonly peers: Peers;
  readonly serviceClients: readonly ServiceClient[];
  readonly applications: readonly ServiceCredentials[];
  /** Local copies of the revocation list that must follow identity's at once. */
  readonly links: IdentityLink[];
  /** The tenants besides the default one; undefined without KEDJA_TENANTS_FILE. */
  readonly tenants: TenantSource | undefined;
  /** What all tenants have in common towards the database servers. */
  readonly tenantServers: TenantServers;
  /** Of a tenant's services, whose they are. */
  readonly tenant?: Tenant;
  /** Of a tenant: it may move to another database while it is in use. */
  readonly place?: TenantPlace;
}

/** Where a tenant's database is, which may change. */
export interface TenantPlace {
  /** Where the schema is now that is not at `from`; undefined when nobody knows. */
  find(from: DatabaseAddress, schema: string): Promise<DatabaseAddress | undefined>;
  onMoved(listener: (address: DatabaseAddress) => void): void;
  /** Calls the listeners: the file names another place. */
  moveTo(tenant: Tenant): void;
}

/** What one service is created with. */
export interface ServiceContext {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/** The service's own client credentials. */
export function credentialsOf({ serviceClients }: ProcessContext, name: ClientService): ServiceCredentials {
  const found = serviceClients.find((client) => client.clientId === name);
  if (found === undefined) throw new Error(`There are no credentials of ${name}`);
  return found;
}
