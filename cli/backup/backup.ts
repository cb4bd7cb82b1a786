// `kedja backup`: writes a backup of the schemas of all services while they run, or checks one. Operators' page:
// docs/operations/backup.md.
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createProgress } from '../progress.ts';
import { type CommandSite, openSite, readCommandConfig } from '../site.ts';
import { runCommand } from '../site-command.ts';
import { tenantsLeftOut } from '../tenant/left-out.ts';
import { writeWhole } from '../whole-file.ts';
import { backupKey, fileOf, openBackup } from './backup-file.ts';
import { dump } from './dump.ts';
import { readKeyFolder } from './key-files.ts';

const USAGE = `usage: kedja backup FILE [--with-keys]
       kedja backup --check FILE

Writes everything that the services have in KEDJA_DATABASE_URL, as it is at one moment, to a new file; - is standard output. Kedja goes on
meanwhile. Other tenants are not in it: at the end it says how to save each. With KEDJA_BACKUP_KEY (or KEDJA_BACKUP_KEY_FILE) the file is
encrypted. The key folder is not in it: back it up apart from it.
--with-keys: puts the key folder into the file too, which then must be encrypted.
--check: reads the file and checks that it is complete and unchanged; needs no database.
Exit code 0: done; 1: nothing could be done, or the file is damaged; 130: stopped by Ctrl-C.`;

interface Command {
  readonly file: string;
  readonly withKeys: boolean;
  readonly isCheck: boolean;
}

const STOPPED = 130;

/** Returns the exit code. */
export function runBackup(args: readonly string[]): Promise<number> {
  return runCommand(args, { usage: USAGE, parse: parseCommand, run });
}

async function run(command: Command, signal: AbortSignal): Promise<number> {
  const key = backupKey(readCommandConfig().shared.backupKey);
  if (command.isCheck) return check(command.file, key, signal);
  if (command.withKeys && key === undefined) {
    throw new Error('--with-keys needs KEDJA_BACKUP_KEY: a file with the data and its keys is the clear text of both');
  }
  const site = await openSite((message) => console.error(message));
  try {
    return await write(site, { ...command, key }, signal);
  } finally {
    await site.close();
  }
}

async function write(
  site: CommandSite,
  { file, withKeys, key }: Command & { readonly key: Buffer | undefined },
  signal: AbortSignal,
): Promise<number> {
  // Read first: a tenants file with faults is named before anything is saved.
  const leftOut = await tenantsLeftOut(site);
  const keys = withKeys ? await readKeyFolder(site.keys.folder) : [];
  const progress = createProgress(process.stderr);
  let total = 0;
  const records = dump({
    address: site.address,
    keys,
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
    console.error(file === '-' ? 'Stopped: what was written is not complete.' : 'Stopped: no file was made.');
    return STOPPED;
  }
  progress.clear();
  const encrypted = key === undefined ? 'not encrypted' : 'encrypted';
  const withOrWithout = withKeys ? `with ${keys.length} keys` : 'without the key folder';
  console.error(`${total.toLocaleString('en')} rows saved, ${encrypted}, ${withOrWithout}.`);
  for (const line of leftOut) console.error(line);
  return 0;
}

async function check(file: string, key: Buffer | undefined, signal: AbortSignal): Promise<number> {
  const progress = createProgress(process.stderr);
  const { header, records, share } = await openBackup(file, key, signal);
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
  console.error(
    `The backup is complete: ${summary}; of ${header.created_at}, by Kedja ${header.release}, ${encrypted}.`,
  );
  return 0;
}

function parseCommand(args: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'with-keys': { type: 'boolean' }, check: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [file = '', ...more] = positionals;
  const { 'with-keys': withKeys = false, check: isCheck = false } = values;
  return file === '' || more.length > 0 || (withKeys && isCheck) ? undefined : { file, withKeys, isCheck };
}
