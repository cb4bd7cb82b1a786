// An upgrade with data. The database and the keys of an earlier state of the code, made by that code, are brought to
// this release by its start. Then people read, search and sign in (docs/operations/upgrade.md).
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import pg from 'pg';
import { createTestDatabase } from '#test/support/database/database.ts';
import { startReceiver } from '#test/support/dispatch/receiver.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { startWholeSystem } from '#test/support/system/whole-system.ts';

/** Of commit e64cfc72, with 100 of the migrations that there are now. */
const STATE = path.join(import.meta.dirname, 'e64cfc72');
const PATIENT = '01a220fe-d2af-7000-af03-35471eeb6d9f';
const PROVIDER = '6f9619ff-8b86-4011-b42d-00c04fc964ff';

test('data of an earlier state are migrated by the start; then people read, search and sign in', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const before = await load(url);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-upgrade-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  await placeKeys(dataDir);
  const receiver = await startReceiver();
  hooks.after(() => receiver.close());
  const environment = {
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_WEBHOOK_ALLOW_PRIVATE: receiver.address,
  };
  const { identity, engine, dispatch } = await startWholeSystem(hooks, environment);
  assert.ok((await migrationsOf(url)) > before, 'migrations were pending');

  const login = await call(`${identity}/api/auth/login`, {
    json: { email: 'admin@example.org', password: 'skogens-grona-stigar-1' },
  });
  const as = { token: login.body.token };
  const { body: patient } = await call(`${engine}/api/v1/Patient/${PATIENT}`, as);
  assert.deepEqual([patient.name[0].family, patient.active, patient.meta.versionId], ['Åberg', true, '2']);
  const history = await call(`${engine}/api/v1/Patient/${PATIENT}/_history`, as);
  assert.equal(history.body.entry.length, 2);
  for (const search of [
    `Patient?name=${encodeURIComponent('åberg')}&birthdate=lt1960`,
    'Observation?code=http://loinc.org|29463-7&value-quantity=gt70',
    `Observation?patient=${PATIENT}`,
    'Observation?subject:Patient.family=Åberg',
  ]) {
    const found = await call(`${engine}/api/v1/${search}`, as);
    assert.equal(found.body.entry?.length, 1, search);
  }
  const changed = await call(`${engine}/api/v1/Patient/${PATIENT}`, {
    ...as,
    method: 'PUT',
    json: { ...patient, active: false },
  });
  assert.equal(changed.body.meta.versionId, '3');
  const organisations = await call(`${identity}/api/admin/organisations`, as);
  assert.match(organisations.text, /Björkens care centre/);
  const deliveries = await call(`${dispatch}/api/v1/deliveries?provider_guid=${PROVIDER}`, as);
  assert.equal(deliveries.body.total, 1);

  // The secret of the endpoint was sealed by the earlier state, and signs still.
  const endpoint = `${dispatch}/api/v1/providers/${PROVIDER}/endpoint`;
  await call(endpoint, { ...as, method: 'PUT', json: { url: receiver.url } });
  await call(`${endpoint}/ping`, { ...as, method: 'POST', expect: 202 });
  await eventually('the webhook arrived', async () => receiver.ledger.find(({ event }) => event.type === 'ping'));
  const keys = await startCommand(['keys', 'list'], environment).ended;
  assert.deepEqual([keys.code, keys.stderr], [0, '']);
});

/** Fills the empty database as it was. Returns how many migrations it had. */
async function load(url: string): Promise<number> {
  const packed = await readFile(path.join(STATE, 'database.sql.gz'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query((await promisify(gunzip)(packed)).toString('utf8'));
  } finally {
    await client.end();
  }
  return migrationsOf(url);
}

async function migrationsOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const counts = ['identity', 'engine', 'dispatch'].map(
      (schema) => `(SELECT count(*) FROM ${schema}.schema_migration)`,
    );
    const { rows } = await client.query<{ all: number }>(`SELECT (${counts.join(' + ')})::int AS all`);
    return rows[0]?.all ?? 0;
  } finally {
    await client.end();
  }
}

/** Keys that seal nothing else than the data of this test. */
async function placeKeys(dataDir: string): Promise<void> {
  const folder = path.join(dataDir, 'keys');
  await mkdir(folder, { mode: 0o700 });
  const keys = JSON.parse(await readFile(path.join(STATE, 'keys.json'), 'utf8')) as Record<string, string>;
  for (const [name, text] of Object.entries(keys)) await writeFile(path.join(folder, name), text, { mode: 0o600 });
}
