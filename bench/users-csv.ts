// The import and export of 100,000 users by a CSV file. It measures rows a second, how much memory grows, and whether
// an empty system filled from an export exports the same file. Beside them is what the database alone takes for the
// users' rows. Takes minutes at most.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '#lib/auth/principal.ts';
import { systemClock } from '#lib/clock.ts';
import { Secret } from '#lib/config/secret.ts';
import { writeRecord } from '#lib/csv/csv-writer.ts';
import type { Database } from '#lib/db/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { newGuid } from '#lib/guid.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { migrations } from '#services/identity/migrations.ts';
import type { UserCsv } from '#services/identity/user-csv/service.ts';
import { openUserCsv } from '#services/identity/user-csv/standalone.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { personnummerOf } from '#test/support/identity/identity-people.ts';
import { HEADER } from '#test/support/identity/user-csv.ts';

const ROWS = 100_000;
const WARM_UP_ROWS = 10_000;
const BATCH = 1000;
const SAMPLE_MS = 20;
const ORGANISATIONS = 1_000;
const GROUPS = 1_000;
const MEBIBYTE = 1024 * 1024;
const DATABASES = ['warm', 'first', 'second', 'bare'];
const operator: Principal = {
  kind: 'operator',
  id: 'bench',
  roles: new Set(['admin']),
  organisationGuids: [],
  phases: new Set(),
  scopes: [],
  mustChangePassword: false,
};

interface Measured {
  readonly seconds: number;
  /** How much the resident set grew at most, in MiB. */
  readonly grown: number;
}

export async function benchUsersCsv(): Promise<void> {
  const dataDir = await temporaryDataDir();
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, databases: DATABASES });
  const pools: Database[] = [];
  const system = (name: string) => openSystem(server, name, pools);
  try {
    const files = ['warm', 'generated', 'first', 'second'].map((name) => path.join(folder, `${name}.csv`));
    const [warm = '', generated = '', first = '', second = ''] = files;
    await pipeline(Readable.from(generateRows(WARM_UP_ROWS)), createWriteStream(warm));
    await pipeline(Readable.from(generateRows(ROWS)), createWriteStream(generated));
    // So that what grows then grows with the file, and not with the code that is compiled.
    await importFile(await system('warm').then(({ users }) => users), warm, { created: WARM_UP_ROWS });
    const bare = await measure(() => insertBare(system('bare')));
    report('the database alone: users’ rows', bare, bare);
    const one = await system('first').then(({ users }) => users);
    report('import', await measure(() => importFile(one, generated)), bare);
    report(
      'dry run (all skipped)',
      await measure(() => importFile(one, generated, { isDryRun: true, created: 0, skipped: ROWS })),
      bare,
    );
    report('export', await measure(() => exportFile(one, first)), bare);
    const two = await system('second').then(({ users }) => users);
    report('import of the export', await measure(() => importFile(two, first)), bare);
    await exportFile(two, second);
    const isSame = (await readFile(first)).equals(await readFile(second));
    console.log(`users-csv  export, empty system, import, export: ${isSame ? 'the same file' : 'ANOTHER FILE'}`);
    if (!isSame) throw new Error('The round trip changed the file');
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
    await server.stop();
    await Promise.all([dataDir, folder].map((name) => rm(name, { recursive: true, force: true, maxRetries: 5 })));
  }
}

async function openSystem(
  server: EmbeddedPostgres,
  name: string,
  pools: Database[],
): Promise<{ database: Database; users: UserCsv }> {
  const url = server.url(name);
  await migrate({ url, schema: 'identity', sources: migrations });
  const database = createDatabase({ url, schema: 'identity' });
  pools.push(database);
  const importPassword = new Secret('a temporary phrase');
  const sealingKeys = fixedKeys(Buffer.alloc(32, 7));
  return { database, users: await openUserCsv({ database, clock: systemClock, sealingKeys, importPassword }) };
}

/** Half professionals with two groups each, half patients. */
function* generateRows(count: number): Generator<string> {
  yield `${HEADER}\r\n`;
  for (let index = 0; index < count; index += 1) {
    const unit = `Vårdenhet ${index % ORGANISATIONS}, söder`;
    const email = `person-${index}@example.org`;
    if (index % 2 === 0) {
      yield writeRecord([email, 'patient', 'Östen', 'Åberg', '', personnummerOf(index), unit, '', 'false']);
      continue;
    }
    const groups = `planning;team:Grupp ${index % GROUPS}${index % 10 === 1 ? '*' : ''}`;
    yield writeRecord([email, 'professional', 'Anna', 'Berg', 'nurse', '', unit, groups, String(index % 999 === 0)]);
  }
}

async function importFile(
  users: UserCsv,
  name: string,
  expected: { isDryRun?: boolean; created?: number; skipped?: number } = {},
): Promise<void> {
  const { isDryRun = false, created = ROWS, skipped = 0 } = expected;
  const file = await open(name);
  try {
    const options = { isDryRun, mayCreate: true, onIssue: () => undefined };
    const found = await users.importFile({ principal: operator, decidedBy: null }, file, options);
    if (found.created !== created || found.skipped !== skipped || found.issues > 0) {
      throw new Error(`The import ended with ${JSON.stringify(found)}`);
    }
  } finally {
    await file.close();
  }
}

async function exportFile(users: UserCsv, name: string): Promise<void> {
  const texts = async function* () {
    for await (const { text } of users.exportAll({ principal: operator })) yield text;
  };
  await pipeline(Readable.from(texts()), createWriteStream(name));
  let lines = 0;
  for await (const piece of createReadStream(name, 'latin1')) lines += String(piece).split('\n').length - 1;
  if (lines !== ROWS + 1) throw new Error(`The export has ${lines} lines`);
}

/** The rows of the table of users, in batches of the same size, and nothing that belongs to them. */
async function insertBare(system: Promise<{ database: Database }>): Promise<void> {
  const { database } = await system;
  for (let at = 0; at < ROWS; at += BATCH) {
    const emails = Array.from({ length: BATCH }, (_, index) => `person-${at + index}@example.org`);
    await database.query(
      `INSERT INTO app_user (user_guid, user_type, email, email_key, password_hash, created_at)
       SELECT guid, 'patient', email, email, 'none', now() FROM unnest($1::uuid[], $2::text[]) AS x(guid, email)`,
      [emails.map(() => newGuid()), emails],
    );
  }
}

async function measure(work: () => Promise<void>): Promise<Measured> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const startedAt = performance.now();
  try {
    await work();
  } finally {
    clearInterval(sampling);
  }
  return { seconds: (performance.now() - startedAt) / 1000, grown: (peak - before) / MEBIBYTE };
}

function report(name: string, found: Measured, bare: Measured): void {
  const rate = Math.round(ROWS / found.seconds)
    .toLocaleString('en')
    .padStart(9);
  const ratio = `${(found.seconds / bare.seconds).toFixed(1)} ×`.padStart(8);
  const seconds = `${found.seconds.toFixed(1)} s`.padStart(8);
  console.log(
    `users-csv  ${name.padEnd(34)} ${rate} rows/s ${seconds} ${ratio} ${found.grown.toFixed(0).padStart(5)} MiB`,
  );
}
