// Upgrades with data (decisions 134 and 149). The database and the keys of each release, as its own code made them, are
// brought to the code of today by its start. Then people sign in, read what they read before, search, and change
// (docs/operations/upgrade.md).
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readMigrations } from '#lib/db/schema/migration-files.ts';
import { distributeOnCitus, skipOnCitus } from '#test/support/database/citus.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { startReceiver } from '#test/support/dispatch/receiver.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { startWholeSystem } from '#test/support/system/whole-system.ts';
import { MIGRATIONS } from '../../cli/services.ts';
import { createSignIns, type SignIns } from './sign-in.ts';
import { loadDatabase, type Made, migrationsOf, placeKeys, readState, releases, schemasOf } from './state.ts';

const RELEASES = await releases();
/** Their later migrations add constraints as Citus does not. */
const NOT_ON_CITUS = ['e64cfc72'];

test('there are states', () => assert.ok(RELEASES.length > 0));

for (const release of RELEASES) {
  test(`the data of ${release} are migrated by the start; then people sign in, read, search and change`, {
    skip: NOT_ON_CITUS.includes(release) && skipOnCitus('on Citus, upgrades are from 0.2.0'),
  }, async (t) => {
    const hooks = lastFirst(t);
    const made = await readState(release);
    const { state } = made;
    const { url } = await createTestDatabase(hooks);
    await loadDatabase(url, made.database);
    await distributeOnCitus(url, schemasOf(state));
    const before = await migrationsOf(url, schemasOf(state));
    const environment = await prepare(hooks, url, made);
    await savedAndRestored(hooks, environment, { made, before });

    const receiver = await startReceiver();
    hooks.after(() => receiver.close());
    const running = { ...environment, KEDJA_WEBHOOK_ALLOW_PRIVATE: receiver.address };
    const { gateway, dispatch } = await startWholeSystem(hooks, running);
    const today = await migrationsOfToday(state);
    // The node has begun to serve before it opens its tenants, and migrates theirs.
    await eventually(
      'the schemas of the tenants were migrated, too',
      async () => ((await migrationsOf(url, schemasOf(state))).length === today.length ? true : undefined),
      60_000,
    );
    assert.deepEqual(await migrationsOf(url, schemasOf(state)), today);

    const signIns = createSignIns(gateway, state);
    await answersAsBefore(gateway, made, signIns);
    await changes(gateway, made, signIns);

    // The secret of the endpoint was sealed by the release, and signs still.
    const endpoint = `${dispatch}/api/v1/providers/${state.provider}/endpoint`;
    const asAdmin = await signIns('admin');
    await call(endpoint, { ...asAdmin, method: 'PUT', json: { url: receiver.url } });
    await call(`${endpoint}/ping`, { ...asAdmin, method: 'POST', expect: 202 });
    await eventually('the webhook arrived', async () => receiver.ledger.find(({ event }) => event.type === 'ping'));
    const keys = await startCommand(['keys', 'list'], environment).ended;
    assert.deepEqual([keys.code, keys.stderr], [0, '']);
  });
}

/** The data folder of the release, and the variables that name it and its database. */
async function prepare(hooks: Hooks, url: string, { state, keys }: Made): Promise<Record<string, string>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-upgrade-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  await placeKeys(dataDir, keys);
  const environment = { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: dataDir };
  if (state.tenants.length === 0) return environment;
  const file = path.join(dataDir, 'tenants.json');
  await writeFile(file, JSON.stringify({ tenants: state.tenants }), { mode: 0o600 });
  return { ...environment, KEDJA_TENANTS_FILE: file };
}

/** The way back: the code of today saves the database before it migrates it, and restores it as it was. */
async function savedAndRestored(
  hooks: Hooks,
  environment: Readonly<Record<string, string>>,
  { made, before }: { readonly made: Made; readonly before: readonly string[] },
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-way-back-'));
  hooks.after(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'before.kedja');
  const saved = await startCommand(['backup', file], environment).ended;
  assert.equal(saved.code, 0, saved.stderr);
  const { url } = await createTestDatabase(hooks);
  await placeKeys(folder, made.keys);
  const restored = await startCommand(['restore', file], { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: folder }).ended;
  assert.equal(restored.code, 0, restored.stderr);
  const own = ['identity', 'engine', 'dispatch'];
  const expected = before.filter((name) => own.includes(name.split(' ')[0] ?? ''));
  assert.deepEqual(await migrationsOf(url, own), expected);
}

async function migrationsOfToday({ tenants }: Made['state']): Promise<string[]> {
  const own = Object.entries(MIGRATIONS);
  const ofTenants = tenants.flatMap(({ schema }) =>
    (['engine', 'dispatch'] as const).map((service) => [`${schema}_${service}`, MIGRATIONS[service]] as const),
  );
  const all = [...own, ...ofTenants].map(async ([schema, sources]) =>
    (await readMigrations(sources)).map(({ source, file }) => `${schema} ${source}/${file}`),
  );
  return (await Promise.all(all)).flat().sort();
}

async function answersAsBefore(gateway: string, { state }: Made, signIns: SignIns): Promise<void> {
  for (const { as, at, body } of state.reads) {
    const answer = await call(`${gateway}${at}`, await signIns(as));
    assert.partialDeepStrictEqual(answer.body, body, `${as}: ${at}`);
  }
  for (const { as, at, status } of state.erased)
    await call(`${gateway}${at}`, { ...(await signIns(as)), expect: status });
}

async function changes(gateway: string, { state }: Made, signIns: SignIns): Promise<void> {
  const { as, at, versions } = state.change;
  const address = `${gateway}${at}`;
  const { body } = await call(address, await signIns(as));
  const changed = await call(address, { ...(await signIns(as)), method: 'PUT', json: { ...body, active: false } });
  assert.equal(changed.body.meta.versionId, String(versions + 1));
  assert.equal((await call(`${address}/_history`, await signIns(as))).body.entry.length, versions + 1);
}
