// `kedja restore`: loads a backup into an empty database, or rehearses that in one that it makes and removes.
// Operators' page: docs/operations/backup.md.
import { parseArgs } from 'node:util';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { createDatabase } from '#lib/db/pool.ts';
import type { Config } from '../../config.ts';
import { certificateFolder } from '../erase/certificate.ts';
import { missingGuids } from '../erase/missing.ts';
import { createProgress } from '../progress.ts';
import { openSite, readCommandConfig } from '../site.ts';
import { runCommand } from '../site-command.ts';
import { backupKey, openBackup } from './backup-file.ts';
import { SERVICE_SCHEMAS } from './catalog.ts';
import { checkKeys, placeKeys } from './key-files.ts';
import { type Loaded, load } from './load.ts';
import { withTemporaryDatabase } from './temporary-database.ts';

const USAGE = `usage: kedja restore FILE
       kedja restore --verify FILE

Restores a backup of kedja backup into an empty database: that of KEDJA_DATABASE_URL, else an embedded one that is made in KEDJA_DATA_DIR.
No service may run on it. - is standard input. Everything is restored or nothing: what was stopped or killed can be begun anew. The rows are
compared with the backup before the end. Keys of a backup that has them are put into KEDJA_DATA_DIR/keys.
--verify: restores into a temporary embedded database below TMPDIR, compares, and removes it; nothing else is touched.
Exit code 0: done; 1: nothing was restored; 130: stopped by Ctrl-C.`;

interface Command {
  readonly file: string;
  readonly isVerify: boolean;
}

interface Task extends Command {
  readonly key: Buffer | undefined;
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
  const task: Task = { ...command, config, signal, key: backupKey(config.shared.backupKey) };
  // Before a database is made: the key, and whether the file is a backup at all.
  if (command.isVerify) {
    return withTemporaryDatabase((address) => restore(task, address, async () => undefined));
  }
  if (command.file !== '-') await (await openBackup(command.file, task.key, signal)).records.return(undefined);
  const site = await openSite((message) => console.error(message), { makesDatabase: true });
  try {
    const { folder } = site.keys;
    const code = await restore(task, site.address, async (keys) => {
      await checkKeys(folder, keys);
      await placeKeys(folder, keys);
    });
    if (code === 0) await reportErasures(config.shared.dataDir, site.address);
    return code;
  } finally {
    await site.close();
  }
}

/** What was erased after the backup is there again (docs/adr/0131). */
async function reportErasures(dataDir: string, address: DatabaseAddress): Promise<void> {
  const databases = [...SERVICE_SCHEMAS.keys()].map((schema) => createDatabase({ ...address, schema }));
  try {
    const missing = await missingGuids(certificateFolder(dataDir), databases);
    if (missing.length === 0) return;
    console.error(`${missing.length} erasures are younger than the backup: what they had erased is there again.`);
    console.error('Before Kedja starts: kedja migrate, then kedja erase --again --apply');
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
}

async function restore(
  { file, key, isVerify, signal }: Task,
  address: DatabaseAddress,
  onKeys: Parameters<typeof load>[1]['onKeys'],
): Promise<number> {
  const progress = createProgress(process.stderr);
  const { header, records, share } = await openBackup(file, key, signal);
  let loaded: Loaded;
  try {
    loaded = await load(records, {
      address,
      signal,
      onKeys,
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
    return STOPPED;
  }
  const { tables, rows, keys } = loaded;
  const what = `${rows.toLocaleString('en')} rows of ${tables} tables`;
  const done = isVerify ? 'can be restored, and are as in the backup' : 'restored, and compared with the backup';
  console.error(`${what} ${done} of ${header.created_at}${keys === 0 ? '' : `; ${keys} keys`}.`);
  if (keys === 0 && !isVerify) console.error('The backup has no keys: bring back the key folder of its time.');
  return 0;
}

function parseCommand(args: readonly string[]): Command | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { verify: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [file = '', ...more] = positionals;
  return file === '' || more.length > 0 ? undefined : { file, isVerify: values.verify ?? false };
}
