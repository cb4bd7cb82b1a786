// `kedja erase` while others write and erase (docs/adr/0131), on a database that has the engine alone.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import type { Queryable } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { keepOpen } from '#test/support/database/keep-open.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';

const hooks = lastFirst({ after });
const dataDir = await temporaryDataDir();
hooks.after(() => rm(dataDir, { recursive: true, force: true }));
const { url, database } = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
const engine = database('engine');
const store = createFhirStore({ parameters: loadSearchParameters(), clock: { now: Date.now }, validate: () => [] });
const DECISION = ['--apply', '--yes', '--ground', 'IVO 1', '--decided-by', 'IVO'];

before(() => openKeyFolder(dataDir).keySet('engine-inbox'));

const start = (...args: string[]) =>
  startCommand(['erase', ...args], { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: dataDir }).ended;

function create(db: Queryable, resource: Readonly<Record<string, unknown>>) {
  const id = typeof resource['id'] === 'string' ? { id: resource['id'] } : {};
  return store.create(db, { source: readResourceText(JSON.stringify(resource)), organisation: null, ...id });
}

const observation = (patient: string) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject: { reference: `Patient/${patient}` },
});

async function makePatient(observations: number): Promise<string> {
  const { id } = await create(engine, { resourceType: 'Patient' });
  for (let n = 0; n < observations; n += 1) await create(engine, observation(id));
  return id;
}

const gone = (error: unknown) => error instanceof ServiceError && error.code === 'deleted';

test('what was being written while it erased is erased, too', async () => {
  const patient = await makePatient(2);
  const { late, ended } = await engine.transaction(async (tx) => {
    // It does not see this, and waits for its end after its own commit.
    const { id } = await create(tx, observation(patient));
    const running = start('--patient', patient, ...DECISION);
    const others = eventually('the others were erased', async () => {
      const { rows } = await engine.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM erasure WHERE erased_at IS NOT NULL',
      );
      return rows[0]?.n === 1 || undefined;
    });
    await keepOpen(tx, others);
    return { late: id, ended: { running } };
  });
  const { code, stdout, stderr } = await ended.running;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Observation: 3 resources, 3 versions/);
  await assert.rejects(store.read(engine, { resourceType: 'Observation', id: late }, ALL_ACCESS), gone);
});

test('two erasures of one patient at once: each resource is erased once, and both have a certificate', async () => {
  const patient = await makePatient(20);
  const runs = await Promise.all([start('--patient', patient, ...DECISION), start('--patient', patient, ...DECISION)]);
  const certified = runs.filter(({ code }) => code === 0);
  assert.ok(certified.length > 0, runs.map(({ stderr }) => stderr).join('\n'));
  // One that came late finds no patient.
  for (const { code, stderr } of runs) assert.ok(code === 0 || /There is no such patient/.test(stderr), stderr);
  // One may have completed what the other had begun: then both name the same erasure.
  const counts = new Map<string, number>();
  for (const part of runs.flatMap(({ stdout }) => stdout.split(/^ERASURE /m).slice(1)))
    counts.set(part.slice(0, 36), Number(/^ {2}Observation: (\d+) resources/m.exec(part)?.[1] ?? 0));
  assert.equal(
    [...counts.values()].reduce((sum, count) => sum + count, 0),
    20,
  );
  await assert.rejects(store.read(engine, { resourceType: 'Patient', id: patient }, ALL_ACCESS), gone);
});

test('a resource alone is erased, and the rest of the patient stays', async () => {
  const patient = await makePatient(1);
  const { id } = await create(engine, observation(patient));
  const { code, stderr } = await start('--resource', `engine/Observation/${id}`, ...DECISION);
  assert.equal(code, 0, stderr);
  await assert.rejects(store.read(engine, { resourceType: 'Observation', id }, ALL_ACCESS), gone);
  const query = store.parse('Observation', [['subject', `Patient/${patient}`]]);
  assert.equal((await store.search(engine, query, { access: ALL_ACCESS })).matches.length, 1);
  const none = await start('--resource', `engine/Observation/${newGuid()}`, ...DECISION);
  assert.deepEqual([none.code, /engine has no Observation/.test(none.stderr)], [1, true]);
});

test('a dry run makes neither a key nor a row', async () => {
  const { rows: before } = await engine.query('SELECT FROM erasure');
  const patient = await makePatient(1);
  const shown = await start('--patient', patient);
  assert.match(shown.stdout, /Nothing was changed/);
  assert.equal((await engine.query('SELECT FROM erasure')).rows.length, before.length);
  const number = await start('--patient', '194705179812');
  assert.match(number.stderr, /Identity is not on this database: name the Patient by its id/);
});
