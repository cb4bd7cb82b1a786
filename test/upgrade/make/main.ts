// `npm run release-state -- <release>`: makes test/upgrade/<release>/, the state of a database as the code of today
// leaves it. The whole system starts on an empty database, people use it by its public addresses, and it ends
// (decision 149).
import { access, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { argv, stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { stopTestServer } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { succeed } from '../../../scripts/image/builder.ts';
import { STATES, writeState } from '../state.ts';
import { dumpDatabase, emptyTables, requireServer, useEnvironment } from './database.ts';
import { fill } from './fill.ts';
import { startSystem } from './system.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const USAGE = `usage: npm run release-state -- RELEASE [--again]
       pg_virtualenv npm run release-state -- RELEASE [--again]

Makes test/upgrade/RELEASE/ with the code of this folder. It needs a pg_dump that is as new as the server: the embedded PostgreSQL, that of
KEDJA_TEST_DATABASE_URL, or that of PGHOST, PGPORT, PGUSER and PGPASSWORD, as pg_virtualenv of Debian sets them. It takes about a minute.
--again: replaces a state that is there. Never do that when the release has been published.
Exit code 0: the state is there; 1: nothing was made.`;
const RELEASE = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

process.exitCode = await main(argv.slice(2)).catch((error: unknown) => {
  stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { again: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [release = '', ...others] = positionals;
  if (values.help || !RELEASE.test(release) || others.length > 0) {
    (values.help ? stdout : stderr).write(`${USAGE}\n`);
    return values.help ? 0 : 1;
  }
  const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  if (version !== release) throw new Error(`package.json says ${version}: the code of here does not make ${release}`);
  const changed = await succeed('git', ['-C', ROOT, 'status', '--porcelain', '--', '.', ':!test/upgrade']);
  if (changed !== '') throw new Error(`Commit first, as the state names the commit that made it:\n${changed}`);
  const isThere = await access(path.join(STATES, release)).then(
    () => true,
    () => false,
  );
  if (isThere && !values.again) throw new Error(`test/upgrade/${release} is there already: --again replaces it`);
  await make(release);
  return 0;
}

async function make(release: string): Promise<void> {
  let cleanUp = async () => {};
  const hooks = lastFirst({
    after: (work) => {
      cleanUp = work;
    },
  });
  useEnvironment();
  try {
    await requireServer();
    const system = await startSystem(hooks);
    const filled = await fill(system, (line) => stdout.write(`${line}\n`));
    await system.end();
    const keys = await readKeys(path.join(system.dataDir, 'keys'));
    const database = await dumpDatabase(system.databaseUrl);
    const commit = (await succeed('git', ['-C', ROOT, 'rev-parse', 'HEAD'])).trim();
    const bytes = await writeState(release, { state: { commit, ...filled }, keys, database });
    const empty = emptyTables(database).filter((name) => !name.startsWith('north_'));
    stdout.write(`Without a row (${empty.length} tables): ${empty.join(', ')}\n`);
    stdout.write(
      `test/upgrade/${release} is made, ${Math.round(bytes / 1024)} KiB. npm test -- test/upgrade tries it.\n`,
    );
  } finally {
    await cleanUp();
    await stopTestServer();
  }
}

/** The files by their paths in the folder. Copied first, so that a file that moves meanwhile is read once. */
async function readKeys(folder: string): Promise<Record<string, string>> {
  const copy = await mkdtemp(path.join(tmpdir(), 'kedja-keys-'));
  try {
    await cp(folder, copy, { recursive: true });
    const entries = await readdir(copy, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const pairs = files.sort().map(async (file) => [path.relative(copy, file), await readFile(file, 'utf8')] as const);
    return Object.fromEntries(await Promise.all(pairs));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
