// The tenants of KEDJA_TENANTS_FILE in this process. The file is read again when it changes; one with faults is
// reported, fault by fault, and the tenants stay as they were.
import { stat } from 'node:fs/promises';
import { createPeriodicLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { TenantNames } from '#lib/tenants/named-tenant.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';
import { readTenantsFile } from '#lib/tenants/tenants-file.ts';

const READ_EVERY_MS = 1_000;

export interface TenantSource extends TenantNames {
  all(): readonly Tenant[];
  /** Reads the file now, if it has changed. */
  refresh(): Promise<void>;
  /** Adds a listener that is called when tenants were added, changed or removed. */
  onChanged(listener: () => void): void;
  start(): void;
  stop(): Promise<void>;
}

/** @throws Error that names every fault of the file */
export async function openTenantSource(path: string, log: Logger): Promise<TenantSource> {
  const listeners: (() => void)[] = [];
  let read = await versionOf(path);
  let tenants = await readTenantsFile(path);
  let byName = new Map<string, Tenant>();
  let byHost = new Map<string, Tenant>();

  function use(given: readonly Tenant[]): void {
    // The same object as long as nothing of it changes: services are kept by it.
    tenants = given.map((tenant) => sameAs(byName.get(tenant.name), tenant));
    byName = new Map(tenants.map((tenant) => [tenant.name, tenant]));
    byHost = new Map(tenants.flatMap((tenant) => tenant.hosts.map((host) => [host, tenant] as const)));
  }
  use(tenants);

  async function readAgain(): Promise<void> {
    const now = await versionOf(path);
    if (now === read) return;
    read = now;
    try {
      use(await readTenantsFile(path));
    } catch (error) {
      const faults = error instanceof Error ? error.message.split('\n') : [String(error)];
      log.error({ event: 'tenants.file-refused', faults });
      return;
    }
    log.info({ event: 'tenants.read', tenants: tenants.length });
    for (const each of listeners) each();
  }

  let reading: Promise<void> = Promise.resolve();
  /** One at a time: an older content never takes the place of a newer one. */
  const refresh = (): Promise<void> => {
    reading = reading.then(readAgain);
    return reading;
  };
  const loop = createPeriodicLoop({ name: 'tenants-file', intervalMs: READ_EVERY_MS, log, run: refresh });
  return {
    all: () => tenants,
    refresh,
    byName: (name) => byName.get(name),
    byHost: (host) => byHost.get(host),
    onChanged: (listener) => void listeners.push(listener),
    start: loop.start,
    stop: loop.stop,
  };
}

/** Changes with the file. A file that is replaced is another one, whatever its time. */
async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, ino, size } = await stat(path);
    return `${mtimeMs} ${ino} ${size}`;
  } catch {
    return 'absent';
  }
}

function sameAs(known: Tenant | undefined, tenant: Tenant): Tenant {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(tenant) ? known : tenant;
}
