// `kedja backup`: writes a backup of the schemas of all services while they run, or checks one. Operators' page:
// docs/operations/backup.md.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { DEFAULT_TENANT } from '#lib/tenants/tenant.ts';
import { readTenantsFile } from '#lib/tenants/tenants-file.ts';
import { createProgress } from '../progress.ts';
import { type CommandSite, openSite, readCommandConfig } from '../site.ts';
import { explain, runCommand } from '../site-command.ts';
import { requireTenant, tenantsFileOf } from '../tenant/file.ts';
import { writeWhole } from '../whole-file.ts';
import { backupKey, fileOf, openBackup } from './backup-file.ts';
import { type BackupSource, installationSource, tenantSource } from './backup-source.ts';

const USAGE = `usage: kedja backup FILE [--tenant NAME] [--with-keys]
       kedja backup --all FOLDER [--with-keys]
       kedja backup --check FILE

Writes everything that the services have in KEDJA_DATABASE_URL, as it is at one moment, to a new file; - is standard output. Kedja goes on
meanwhile. Tenants of KEDJA_TENANTS_FILE are not in it. With KEDJA_BACKUP_KEY (or KEDJA_BACKUP_KEY_FILE) the file is encrypted. The key
folder is not in it: back it up apart from it.
--tenant: writes that tenant instead, from its own database.
--all: writes ${DEFAULT_TENANT}.kedja and NAME.kedja for each tenant to the folder, which is made if need be. What cannot be saved is named.
--with-keys: puts the key folder (of a tenant: its keys) into the file too, which then must be encrypted.
--check: reads the file and checks that it is complete and unchanged; needs no database.
Exit code 0: done; 1: nothing could be done, with --all not everything, or the file is damaged; 130: stopped by Ctrl-C.`;

interface Command {
  readonly kind: 'one' | 'all' | 'check';
  /** The folder with `all`. */
  readonly file: string;
  readonly tenant: string | undefined;
  readonly withKeys: boolean;
}

interface Task extends Command {
  readonly key: Buffer | undefined;
  readonly signal: AbortSignal;
}

const STOPPED = 130;

/** Returns the exit code. */
export function runBackup(args: readonly string[]): Promise<number> {
  return runCommand(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(command: Command, signal: AbortSignal): Promise<number> {
  const key = backupKey(readCommandConfig().shared.backupKey);
  const task: Task = { ...command, key, signal };
  if (command.kind === 'check') return check(task);
  if (command.withKeys && key === undefined) {
    throw new Error('--with-keys needs KEDJA_BACKUP_KEY: a file with the data and its keys is the clear text of both');
  }
  const site = await openSite((message) => console.error(message));
  try {
    return await (command.kind === 'all' ? writeAll(site, task) : writeOne(site, task));
  } finally {
    await site.close();
  }
}

async function writeOne(site: CommandSite, task: Task): Promise<number> {
  const { tenant: name, file, withKeys } = task;
  if (name !== undefined) {
    const tenant = await requireTenant(tenantsFileOf(site), name);
    return write(await tenantSource(site, tenant, withKeys), file, task);
  }
  // Read first: a tenants file with errors is named before anything is saved.
  const others = await tenantsOf(site);
  const code = await write(await installationSource(site, withKeys), file, task);
  if (code === 0 && others.length > 0) {
    const names = others.map((tenant) => tenant.name).join(', ');
    console.error(`Not in it: the tenants ${names}. Save one by --tenant NAME, everything by --all FOLDER.`);
  }
  return code;
}

/** Goes on after a tenant that cannot be saved: its server may be away for long. */
async function writeAll(site: CommandSite, task: Task): Promise<number> {
  const { file: folder, withKeys, signal } = task;
  const tenants = await tenantsOf(site);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const sources: [name: string, open: () => Promise<BackupSource>][] = [
    [DEFAULT_TENANT, () => installationSource(site, withKeys)],
    ...tenants.map((tenant): [string, () => Promise<BackupSource>] => [
      tenant.name,
      () => tenantSource(site, tenant, withKeys),
    ]),
  ];
  const failed: string[] = [];
  for (const [name, open] of sources) {
    try {
      const code = await write(await open(), path.join(folder, `${name}.kedja`), task);
      if (code !== 0) return code;
    } catch (error) {
      for (const line of explain(error)) console.error(line);
      failed.push(name);
    }
    if (signal.aborted) return STOPPED;
  }
  if (failed.length === 0) return 0;
  console.error(`Not saved: ${failed.join(', ')}. A file of an earlier backup of them stays as it was.`);
  return 1;
}

async function tenantsOf({ config }: CommandSite) {
  const { tenantsFile } = config.shared;
  return tenantsFile === undefined ? [] : await readTenantsFile(tenantsFile);
}

async function write(source: BackupSource, file: string, { kind, key, withKeys, signal }: Task): Promise<number> {
  if (source.warning !== undefined) console.error(source.warning);
  const progress = createProgress(process.stderr);
  let total = 0;
  const records = source.records({
    signal,
    onRows(rows, share) {
      total = rows;
      progress.show(rows, share);
    },
  });
  try {
    const bytes = fileOf(records, key);
    await (file === '-' ? pipeline(bytes, process.stdout, { signal }) : writeWhole(bytes, file, signal));
  } catch (error) {
    progress.clear();
    if (!signal.aborted) throw error;
    const notMade = kind === 'all' ? `Stopped: no file of ${source.name} was made.` : 'Stopped: no file was made.';
    console.error(file === '-' ? 'Stopped: what was written is not complete.' : notMade);
    return STOPPED;
  }
  progress.clear();
  const whose = kind === 'all' || source.name !== DEFAULT_TENANT ? `Tenant ${source.name}: ` : '';
  const encrypted = key === undefined ? 'not encrypted' : 'encrypted';
  const withOrWithout = withKeys ? `with ${source.keys.length} keys` : 'without the key folder';
  console.error(`${whose}${total.toLocaleString('en')} rows saved, ${encrypted}, ${withOrWithout}.`);
  return 0;
}

async function check({ file, key, signal }: Task): Promise<number> {
  const progress = createProgress(process.stderr);
  const { header, tenant, records, share } = await openBackup(file, key, signal);
  let summary = '';
  try {
    for await (const record of records) {
      if (record.kind === 'rows') progress.show(0, share());
      if (record.kind !== 'end') continue;
      const { tables, rows, keys } = record.totals;
      summary = `${tables} tables, ${rows.toLocaleString('en')} rows, ${keys === 0 ? 'no' : keys} keys`;
    }
  } catch (error) {
    progress.clear();
    if (!signal.aborted) throw error;
    console.error('Stopped: the file was not checked to its end.');
    return STOPPED;
  }
  progress.clear();
  const encrypted = header.encryption === null ? 'not encrypted' : 'encrypted';
  const what = tenant === undefined ? 'The backup' : `The backup of tenant ${tenant.name}`;
  console.error(`${what} is complete: ${summary}; of ${header.created_at}, by Kedja ${header.release}, ${encrypted}.`);
  return 0;
}

function parseCommand(args: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      'with-keys': { type: 'boolean' },
      check: { type: 'boolean' },
      all: { type: 'boolean' },
      tenant: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [file = '', ...more] = positionals;
  const { 'with-keys': withKeys = false, check: isCheck = false, all: isAll = false, tenant } = values;
  if (file === '' || more.length > 0 || (isAll && file === '-')) return undefined;
  if (isCheck && (withKeys || isAll || tenant !== undefined)) return undefined;
  if (isAll && tenant !== undefined) return undefined;
  const kind = isCheck ? 'check' : isAll ? 'all' : 'one';
  return { kind, file, tenant: tenant === DEFAULT_TENANT ? undefined : tenant, withKeys };
}
