// `kedja restore`: loads a backup into an empty database, or rehearses that in one that it makes and removes.
// Operators' page: docs/operations/backup.md.
import { parseArgs } from 'node:util';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { DEFAULT_TENANT } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import type { Config } from '../../config.ts';
import { databaseOf } from '../../runtime/tenants/tenant-context.ts';
import { certificateFolder } from '../erase/certificate.ts';
import { missingGuids } from '../erase/missing.ts';
import { createProgress } from '../progress.ts';
import { openSite, readCommandConfig } from '../site.ts';
import { runCommand } from '../site-command.ts';
import { backupKey, type OpenedBackup, openBackup } from './backup-file.ts';
import { ofTenant, schemasOfTenant } from './backup-source.ts';
import { OWN_SCHEMAS } from './catalog.ts';
import { checkKeys, missingTenantKeys, placeKeys } from './key-files.ts';
import { type Loaded, type LoadOptions, load } from './load.ts';
import type { KeyContent, TenantFacts } from './records.ts';
import { clearMark, hasMark } from './restore-mark.ts';
import { type GivenPlace, tenantTarget } from './restore-tenant.ts';
import { withTemporaryDatabase } from './temporary-database.ts';

const USAGE = `usage: kedja restore FILE
       kedja restore FILE --tenant NAME [--database URL] [--database-direct URL] [--schema SCHEMA]
       kedja restore --verify FILE

Restores a backup of kedja backup into an empty database: that of KEDJA_DATABASE_URL, else an embedded one that is made in KEDJA_DATA_DIR.
No service may run on it. - is standard input. Everything is restored or nothing: what was stopped or killed can be started again. The rows are
compared with the backup before the end. Keys of a backup that has them are put into KEDJA_DATA_DIR/keys.
--tenant: restores the backup of that tenant to its place in KEDJA_TENANTS_FILE, or to another one, which then is written to the file. Nodes
  may run. Its schemas must have no tables there. A URL may be the path of a file that holds it, as @/run/secrets/north.
--verify: restores into a temporary embedded database below TMPDIR, compares, and removes it; nothing else is touched.
Exit code 0: done; 1: nothing was restored; 130: stopped by Ctrl-C.`;

interface Command extends GivenPlace {
  readonly file: string;
  readonly isVerify: boolean;
  readonly tenant: string | undefined;
}

interface Task extends Command {
  readonly opened: OpenedBackup;
  readonly config: Config;
  readonly signal: AbortSignal;
}

const STOPPED = 130;

/** Returns the exit code. */
export function runRestore(args: readonly string[]): Promise<number> {
  return runCommand(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(command: Command, signal: AbortSignal): Promise<number> {
  const config = readCommandConfig();
  // Before a database is made: the key, and whether the file is a backup at all.
  const opened = await openBackup(command.file, backupKey(config.shared.backupKey), signal);
  const task: Task = { ...command, config, signal, opened };
  try {
    if (command.isVerify) return await verify(task);
    requireSameTenant(opened.tenant, command.tenant);
    return await (opened.tenant === undefined ? restoreInstallation(task) : restoreTenant(task, opened.tenant));
  } finally {
    opened.close();
  }
}

/** A tenant must not become the installation by mistake, nor another tenant. */
function requireSameTenant(inBackup: TenantFacts | undefined, wanted: string | undefined): void {
  if (inBackup?.name === wanted) return;
  const whose = inBackup === undefined ? 'the installation, and not of a tenant' : `tenant ${inBackup.name}`;
  const advice = inBackup === undefined ? 'leave --tenant out' : `restore it with --tenant ${inBackup.name}`;
  throw new Error(`The backup is of ${whose}: ${advice}. Nothing was restored`);
}

async function verify(task: Task): Promise<number> {
  const { tenant } = task.opened;
  return withTemporaryDatabase(async (address) => {
    const loaded = await loadWith(task, {
      address,
      schemas: tenant === undefined ? OWN_SCHEMAS : schemasOfTenant(tenant),
      adviceWhenFull: '',
      onKeys: async () => undefined,
    });
    if (loaded === undefined) return STOPPED;
    report(task, loaded, 'can be restored, and are as in the backup');
    return 0;
  });
}

async function restoreInstallation(task: Task): Promise<number> {
  const site = await openSite((message) => console.error(message), { makesDatabase: true });
  try {
    const loaded = await loadWith(task, {
      address: site.address,
      schemas: OWN_SCHEMAS,
      adviceWhenFull: 'Restore into a new database, or another KEDJA_DATA_DIR',
      onKeys: (keys) => place(site.keys.folder, keys),
    });
    if (loaded === undefined) return STOPPED;
    report(task, loaded, 'restored, and compared with the backup');
    if (loaded.keys === 0) console.error('The backup has no keys: bring back the key folder of its time.');
    await reportErasures(task.config.shared.dataDir, site.address);
    return 0;
  } finally {
    await site.close();
  }
}

async function restoreTenant(task: Task, facts: TenantFacts): Promise<number> {
  const site = await openSite((message) => console.error(message));
  try {
    const { folder } = site.keys;
    const { tenant, register } = await tenantTarget(site, facts, task);
    await missingTenantKeys(folder, facts);
    const address = databaseOf({ database: site.address }, tenant);
    const schemas = schemasOfTenant(tenant);
    const mark = `kedja restore of tenant ${tenant.name} from ${task.opened.header.created_at}`;
    const inWords = (error: unknown) => {
      throw ofTenant(error, tenant);
    };
    if (await hasMark(address, schemas, mark).catch(inWords)) {
      console.error('The rows of this backup are there: an earlier restore ended before its last step, which follows.');
    } else {
      const loaded = await loadWith(task, {
        address,
        schemas,
        mark,
        adviceWhenFull: 'Restore to another --schema or --database, or drop these schemas',
        onKeys: (keys) => place(folder, keys),
      }).catch(inWords);
      if (loaded === undefined) return STOPPED;
      report(task, loaded, 'restored, and compared with the backup');
    }
    const missing = await missingTenantKeys(folder, facts);
    if (missing.length > 0) console.error(`Bring these keys into ${folder}: ${missing.join(', ')}.`);
    await register();
    await clearMark(address, schemas);
    console.error(`Tenant ${tenant.name} is at ${placeOf(tenant.databaseUrl)}, schema ${tenant.schema}.`);
    return 0;
  } finally {
    await site.close();
  }
}

async function place(folder: string, keys: readonly KeyContent[]): Promise<void> {
  await checkKeys(folder, keys);
  await placeKeys(folder, keys);
}

/** What was erased after the backup is there again (docs/adr/0131). */
async function reportErasures(dataDir: string, address: DatabaseAddress): Promise<void> {
  const databases = [...OWN_SCHEMAS.values()].map((schema) => createDatabase({ ...address, schema }));
  try {
    const missing = await missingGuids(certificateFolder(dataDir), databases);
    if (missing.length === 0) return;
    console.error(`${missing.length} erasures are younger than the backup: what they had erased is there again.`);
    console.error('Before Kedja starts: kedja migrate, then kedja erase --again --apply');
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}

/** Undefined when it was stopped. */
async function loadWith(
  { opened: { records, share }, signal }: Task,
  options: Pick<LoadOptions, 'address' | 'schemas' | 'mark' | 'adviceWhenFull' | 'onKeys'>,
): Promise<Loaded | undefined> {
  const progress = createProgress(process.stderr);
  try {
    return await load(records, {
      ...options,
      signal,
      onRows: (rows) => progress.show(rows, share()),
      onStep(step) {
        progress.clear();
        console.error(`${step} …`);
      },
    });
  } catch (error) {
    progress.clear();
    if (!signal.aborted) throw error;
    console.error('Stopped: nothing was restored.');
    return undefined;
  }
}

function report({ opened }: Task, { tables, rows, keys }: Loaded, done: string): void {
  const what = `${rows.toLocaleString('en')} rows of ${tables} tables`;
  console.error(`${what} ${done} of ${opened.header.created_at}${keys === 0 ? '' : `; ${keys} keys`}.`);
}

function parseCommand(args: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      verify: { type: 'boolean', default: false },
      tenant: { type: 'string' },
      database: { type: 'string' },
      'database-direct': { type: 'string' },
      schema: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [file = '', ...more] = positionals;
  const { verify: isVerify, tenant, database: databaseUrl, 'database-direct': directUrl, schema } = values;
  const hasPlace = databaseUrl !== undefined || directUrl !== undefined || schema !== undefined;
  if (file === '' || more.length > 0 || (isVerify && tenant !== undefined)) return undefined;
  if (hasPlace && tenant === undefined) return undefined;
  return { file, isVerify, tenant: tenant === DEFAULT_TENANT ? undefined : tenant, databaseUrl, directUrl, schema };
}
