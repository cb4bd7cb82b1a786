// `kedja reindex` as an operator runs it, on its own databases.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import type { Database } from '#lib/db/database.ts';
import { migrations as dispatchMigrations } from '#services/dispatch/migrations.ts';
import { migrations as engineMigrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });
const dataDir = await temporaryDataDir();
hooks.after(() => rm(dataDir, { recursive: true, force: true }));
const store = createFhirStore({ parameters: loadSearchParameters(), clock: { now: Date.now }, validate: () => [] });

const start = (url: string, ...args: string[]) =>
  startCommand(['reindex', ...args], { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: dataDir });

const run = (url: string, ...args: string[]) => start(url, ...args).ended;

async function fill(database: Database, resourceType: string, count: number): Promise<void> {
  const source = readResourceText(JSON.stringify({ resourceType, name: [{ family: 'Berg' }] }));
  await store.createMany(
    database,
    Array.from({ length: count }, () => ({ source, organisation: null })),
  );
  await database.query('DELETE FROM fhir_string');
}

async function rowsOf(database: Database): Promise<number> {
  return (await database.query<{ n: number }>('SELECT count(*) AS n FROM fhir_string')).rows[0]?.n ?? 0;
}

const schemas = [
  { schema: 'engine', migrations: engineMigrations },
  { schema: 'dispatch', migrations: dispatchMigrations },
];

test('both services, or one, or some types', async () => {
  const site = await createTestDatabase(hooks, { schemas });
  const [engine, dispatch] = [site.database('engine'), site.database('dispatch')];
  await fill(engine, 'Patient', 30);
  await fill(engine, 'Practitioner', 7);
  await fill(dispatch, 'Patient', 5);
  const some = await run(site.url, '--service', 'engine', '--type', 'Practitioner');
  assert.deepEqual(some, { code: 0, stdout: '', stderr: 'engine: 7 resources indexed.\n' });
  assert.deepEqual([await rowsOf(engine), await rowsOf(dispatch)], [7, 0]);
  const both = await run(site.url, '--restart');
  assert.equal(both.stderr, 'dispatch: 5 resources indexed.\nengine: 37 resources indexed.\n');
  assert.deepEqual([both.code, await rowsOf(engine), await rowsOf(dispatch)], [0, 37, 5]);
});

test('Ctrl-C ends it between two batches, and the same command goes on', async () => {
  const site = await createTestDatabase(hooks, { schemas });
  const engine = site.database('engine');
  await fill(engine, 'Patient', 5_000);
  const { child, ended } = start(site.url, '--service', 'engine');
  while ((await rowsOf(engine)) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGINT');
  const stopped = await ended;
  assert.equal(stopped.code, 130, stopped.stderr);
  const done = Number(/stopped after ([\d,]+) of 5,000 resources/.exec(stopped.stderr)?.[1]?.replaceAll(',', ''));
  assert.ok(done > 0 && done < 5_000 && done % 200 === 0, stopped.stderr);
  const rest = await run(site.url, '--service', 'engine');
  const own = (5_000 - done).toLocaleString('en');
  assert.deepEqual(rest, {
    code: 0,
    stdout: '',
    stderr: `engine: 5,000 resources indexed, ${own} of them by this run.\n`,
  });
  assert.equal(await rowsOf(engine), 5_000);
});

test('an error is printed in one line', async () => {
  const { url } = await createTestDatabase(hooks);
  assert.match((await run(url)).stderr, /start \w+ once/);
  assert.deepEqual(await run(url, '--type', 'Pacient'), {
    code: 1,
    stdout: '',
    stderr: 'FHIR R5 has no resource type Pacient\n',
  });
  for (const args of [['--service', 'identity'], ['Patient'], ['--what']]) {
    const { code, stderr } = await run(url, ...args);
    assert.deepEqual([code, stderr.includes('\n\nusage: kedja reindex')], [1, true], args.join(' '));
  }
  assert.equal((await run(url, '--help')).code, 0);
});
