// `kedja fhir` as an operator runs it, on its own databases.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Database } from '#lib/db/database.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });
const folder = await temporaryDataDir();
hooks.after(() => rm(folder, { recursive: true, force: true }));

const start = (url: string, ...args: string[]) =>
  startCommand(['fhir', ...args], { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: folder }, folder);

const run = (url: string, ...args: string[]) => start(url, ...args).ended;

async function emptySite() {
  const site = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
  return { url: site.url, engine: site.database('engine') };
}

async function countOf(engine: Database, table: string): Promise<number> {
  return (await engine.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n ?? 0;
}

const patient = (id: string, more: object = {}) => JSON.stringify({ resourceType: 'Patient', id, ...more });
const many = (count: number) => Array.from({ length: count }, (_, index) => `${patient(`p${index}`)}\n`).join('');

test('lines with errors are named, the others imported, and a second run does nothing', async () => {
  const { url, engine } = await emptySite();
  const lines = [
    patient('a', { active: true }),
    '{"resourceType":',
    patient('b', { gender: 'unheard-of' }),
    patient('c'),
  ];
  await writeFile(path.join(folder, 'few.ndjson'), lines.join('\n'));
  const dryRun = await run(url, 'import', 'few.ndjson', '--dry-run');
  assert.deepEqual(
    [dryRun.code, dryRun.stderr, await countOf(engine, 'fhir_resource')],
    [1, 'few.ndjson: 2 would be imported, 2 lines with errors.\n', 0],
  );
  const first = await run(url, 'import', 'few.ndjson');
  assert.deepEqual(
    [first.code, first.stderr],
    [1, 'few.ndjson: 2 created, 0 updated, 0 unchanged, 2 lines with errors.\n'],
  );
  assert.match(first.stdout, /^few\.ndjson:2: .*JSON.*\nfew\.ndjson:3: Patient\/b: Patient\.gender must be/);
  assert.equal(first.stdout, dryRun.stdout);
  const again = await run(url, 'import', 'few.ndjson');
  assert.match(again.stderr, /^few\.ndjson: imported already, on .*; --again does it anew\.\n$/);
  const imported = await run(url, 'import', 'few.ndjson', '--again');
  assert.match(imported.stderr, /0 created, 0 updated, 2 unchanged, 2 lines/);
});

test('folders and compressed files are imported, and an export returns the same', async () => {
  const [from, to] = [await emptySite(), await emptySite()];
  const inbox = path.join(folder, 'inbox');
  await mkdir(inbox);
  await writeFile(path.join(inbox, 'a.ndjson.gz'), gzipSync(`${patient('a', { name: [{ family: 'Öberg' }] })}\n`));
  const observation = { resourceType: 'Observation', id: 'o', status: 'final', code: { text: 'x' } };
  await writeFile(
    path.join(inbox, 'b.ndjson'),
    JSON.stringify({ ...observation, subject: { reference: 'Patient/a' } }),
  );
  await writeFile(path.join(inbox, 'notes.txt'), 'not to be imported');
  assert.equal((await run(from.url, 'import', 'inbox')).code, 0);
  const exported = await run(from.url, 'export', 'out', '--type', 'Patient', '--type', 'Observation');
  assert.deepEqual([exported.code, exported.stderr], [0, '2 resources exported.\n']);
  assert.deepEqual(await readdir(path.join(folder, 'out')), ['Observation.1.ndjson', 'Patient.1.ndjson']);
  assert.equal((await run(from.url, 'export', 'out')).code, 1);
  assert.equal((await run(to.url, 'import', 'out')).code, 0);
  await run(to.url, 'export', 'back', '--type', 'Patient,Observation');
  const read = async (name: string) =>
    (await readFile(path.join(folder, name, 'Patient.1.ndjson'), 'utf8')).replace(/"lastUpdated":"[^"]+"/, '');
  assert.equal(await read('back'), await read('out'));
  assert.equal(await countOf(from.engine, "audit_event WHERE event IN ('bulk.import', 'bulk.export')"), 3);
  // The person in each access record, from which the engine creates events when it runs.
  assert.equal(await countOf(from.engine, 'audit_look WHERE size = 1'), 3);
  assert.equal(await countOf(from.engine, 'bulk_part'), 0);
});

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`after ${signal} the same command goes on where it ended`, async () => {
    const { url, engine } = await emptySite();
    const file = `many-${signal}.ndjson`;
    await writeFile(path.join(folder, file), many(20_000));
    const { child, ended } = start(url, 'import', file);
    while ((await countOf(engine, 'fhir_resource')) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill(signal);
    const stopped = await ended;
    const done = await countOf(engine, 'fhir_resource');
    assert.ok(done > 0 && done < 20_000 && done % 1_000 === 0, `${done}`);
    if (signal === 'SIGINT') {
      assert.equal(stopped.code, 130, stopped.stderr);
      assert.match(stopped.stderr, new RegExp(`Stopped after line ${done.toLocaleString('en')}\\.`));
    } else {
      assert.match((await run(url, 'import', file)).stderr, /is being imported by another command/);
      await engine.query("UPDATE bulk_job SET leased_until = leased_until - interval '1 minute'");
    }
    const rest = await run(url, 'import', file);
    assert.equal(rest.code, 0, rest.stderr);
    const own = (20_000 - done).toLocaleString('en');
    // A slow machine prints the progress from time to time.
    const [went, summary] = rest.stderr.split('\n').filter((line) => !line.endsWith('rows/s'));
    assert.equal(went, `${file}: went on after line ${done.toLocaleString('en')}.`);
    assert.equal(summary, `${file}: ${own} created, 0 updated, 0 unchanged, 0 lines with errors.`);
    assert.equal(await countOf(engine, 'fhir_resource'), 20_000);
    assert.equal(await countOf(engine, 'fhir_history'), 0);
  });
}

test('an error is printed in one line', async () => {
  const { url } = await emptySite();
  assert.match((await run(url, 'import', 'nowhere.ndjson')).stderr, /^The file cannot be read: .*ENOENT[^\n]*\n$/);
  await writeFile(path.join(folder, 'cut.ndjson.gz'), gzipSync(many(10)).subarray(0, 60));
  assert.match((await run(url, 'import', 'cut.ndjson.gz')).stderr, /unexpected end of file\n$/);
  assert.match((await run(url, 'export', 'typo', '--type', 'Pacient')).stderr, /names no resource type: Pacient\n$/);
  for (const args of [[], ['import'], ['move', 'x'], ['export', 'a', 'b'], ['import', 'x', '--type', 'Patient']]) {
    const { code, stderr } = await run(url, ...args);
    assert.deepEqual([code, stderr.includes('\n\nusage: kedja fhir')], [1, true], args.join(' '));
  }
  assert.equal((await run(url, '--help')).code, 0);
});
