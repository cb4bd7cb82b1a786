// `kedja keys rotate NAME` and `kedja keys reseal` as an operator runs them (docs/adr/0048). They are killed in the
// middle, and two run at once. They meet a value that cannot be opened and a key that is missing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { personnummerCipher } from '#services/identity/shared/ciphers.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { eventually } from '../support/http.ts';
import { personnummerOf } from '../support/identity/identity-people.ts';
import { makeKeySite, makeSealedPatients } from '../support/system/key-site.ts';

const PATIENTS = 1_800;

const underNewest = async (database: Database) => {
  const { rows } = await database.query<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM patient WHERE get_byte(personnummer_sealed, 0) = 2',
  );
  return rows[0]?.rows ?? 0;
};

async function assertWhole(database: Database, dataDir: string, guids: readonly string[]) {
  const cipher = personnummerCipher(await openKeyFolder(dataDir).existingKeySet('personnummer'));
  const { rows } = await database.query<{ patient_guid: string; personnummer_sealed: Buffer }>(
    'SELECT patient_guid, personnummer_sealed FROM patient',
  );
  const numbers = new Map(
    rows.map((row) => [row.patient_guid, cipher.open(row.personnummer_sealed, row.patient_guid)]),
  );
  assert.deepEqual(
    guids.map((guid) => numbers.get(guid)),
    guids.map((_, index) => personnummerOf(index)),
  );
}

test('killed in the middle, the command goes on where it was; two at once do no harm; the old key is moved away', async (t) => {
  const { database, dataDir, folder, keys, place } = await makeKeySite(t);
  const guids = await makeSealedPatients(database, dataDir, PATIENTS);
  const made = await keys('rotate', 'personnummer').ended;
  assert.match(made.stdout, /^personnummer: generation 2 opens now and seals from \S+Z on/);
  // Two minutes are not waited for here.
  await rm(path.join(folder, 'personnummer.2.key'));
  await place(2);

  await database.transaction(async (tx) => {
    await tx.query('SELECT FROM patient WHERE patient_guid = $1 FOR UPDATE', [guids[1_200]]);
    const killed = keys('reseal');
    await eventually(
      'it has sealed two batches',
      async () => ((await underNewest(database)) === 1_000 ? true : undefined),
      60_000,
    );
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).code, null);
  });
  assert.equal(await underNewest(database), 1_000);
  await assertWhole(database, dataDir, guids);

  // What a node writes meanwhile is its own.
  const cipher = personnummerCipher(await openKeyFolder(dataDir).existingKeySet('personnummer'));
  const own = cipher.seal(personnummerOf(1_799), guids[1_799] ?? '');
  await database.query('UPDATE patient SET personnummer_sealed = $1 WHERE patient_guid = $2', [own, guids[1_799]]);

  const both = await Promise.all([keys('reseal').ended, keys('reseal').ended]);
  assert.deepEqual(
    both.map(({ code, stderr }) => [code, stderr]),
    [
      [0, ''],
      [0, ''],
    ],
  );
  const sealed = both.map(({ stdout }) => Number(/(\d+) values sealed anew/.exec(stdout)?.[1] ?? 0));
  assert.equal(
    sealed.reduce((sum, each) => sum + each),
    799,
  );
  assert.ok(both.some(({ stdout }) => stdout.includes('personnummer: generation 1 is needed no more and lies in')));
  assert.deepEqual((await readdir(folder)).sort(), [
    'personnummer.2.key',
    'personnummer.idempotency-index.key',
    'personnummer.personnummer-index.key',
    'personnummer.second-factor-index.key',
    'retired',
  ]);
  assert.deepEqual(await readdir(path.join(folder, 'retired')), ['personnummer.1.key']);
  await assertWhole(database, dataDir, guids);
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  for (const event of ['sealing-key.rotate', 'sealing-key.retire']) {
    assert.ok(
      rows.some(({ resource }) => resource.includes(`"${event}"`)),
      event,
    );
  }
  const again = await keys('reseal').ended;
  assert.deepEqual([again.code, again.stderr], [0, '']);
  assert.match(again.stdout, /generation 2 seals, and there is none before it/);
});

test('two rotations at once make one generation; while it waits, and before it seals, nothing is resealed', async (t) => {
  const { database, dataDir, folder, keys } = await makeKeySite(t);
  await makeSealedPatients(database, dataDir, 3);
  const rotations = await Promise.all([keys('rotate', 'personnummer').ended, keys('rotate', 'personnummer').ended]);
  const lines = rotations.map(({ stdout }) => stdout).sort();
  assert.match(lines[0] ?? '', /a rotation is under way: generation 2 seals from \S+ on\. Nothing was changed/);
  assert.match(lines[1] ?? '', /generation 2 opens now/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => /\d/.test(name)),
    ['personnummer.2.key'],
  );
  const resealed = await keys('reseal').ended;
  assert.match(resealed.stdout, /generation 2 seals from \S+ on; run kedja keys reseal again then/);
  assert.equal(await underNewest(database), 0);
  const listed = (await keys('list').ended).stdout.split('\n').map((line) => line.split(/ {2,}/));
  const cells = listed.filter(([name]) => name === 'personnummer').map((row) => [row[1], row[2], row[5]]);
  assert.deepEqual(cells, [
    ['2', 'waits', '0'],
    ['1', 'seals', '3'],
  ]);
});

test('a value that cannot be opened is named and left, the others are resealed, and the old key stays', async (t) => {
  const { database, dataDir, folder, keys, place } = await makeKeySite(t);
  const [bad] = await makeSealedPatients(database, dataDir, 5);
  await place(2);
  const broken = Buffer.concat([Buffer.of(1), randomBytes(40)]);
  await database.query('UPDATE patient SET personnummer_sealed = $1 WHERE patient_guid = $2', [broken, bad]);
  const { code, stdout, stderr } = await keys('reseal', 'personnummer').ended;
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`patient\\.personnummer_sealed of ${bad} cannot be opened`));
  assert.match(stdout, /4 values sealed anew.*\n.*generation 1 is still needed by 1 patient\.personnummer_sealed/);
  const { rows } = await database.query<{ sealed: Buffer }>(
    'SELECT personnummer_sealed AS sealed FROM patient WHERE patient_guid = $1',
    [bad],
  );
  assert.deepEqual(rows[0]?.sealed, broken);
  assert.ok((await readdir(folder)).includes('personnummer.key'));
});

test('values whose key is missing are counted by name, and nothing of them is touched', async (t) => {
  const { database, dataDir, folder, keys, place } = await makeKeySite(t);
  await place(2);
  await makeSealedPatients(database, dataDir, 4);
  const whole = await readFile(path.join(folder, 'personnummer.2.key'), 'utf8');
  await rm(path.join(folder, 'personnummer.2.key'));
  await place(3);
  for (const command of ['list', 'reseal']) {
    const { code, stderr } = await keys(command).ended;
    assert.equal(code, 1, command);
    assert.match(
      stderr,
      /personnummer: 4 of patient\.personnummer_sealed name a key that is not in the key folder; bring it back/,
    );
  }
  await writeFile(path.join(folder, 'personnummer.2.key'), whole.slice(0, 60));
  assert.match((await keys('list').ended).stderr, /personnummer\.2\.key is damaged/);
  await writeFile(path.join(folder, 'personnummer.2.key'), whole, { mode: 0o644 });
  const { code, stdout, stderr } = await keys('reseal').ended;
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /4 values sealed anew under generation 3/);
});

test('what cannot be done is said in words', async (t) => {
  const { keys, folder } = await makeKeySite(t);
  const cases: Readonly<Record<string, RegExp>> = {
    'rotate gateway': /"gateway": the sealing keys are personnummer, engine-inbox, dispatch-delivery, session/,
    'reseal nothing': /"nothing": the sealing keys are/,
    'rotate session': /There is no .*session\.key/,
    'rotate personnummer --after soon': /--after takes a number of minutes/,
    'rotate --after 5': /usage: kedja keys/,
  };
  for (const [args, expected] of Object.entries(cases)) {
    const { code, stderr } = await keys(...args.split(' ')).ended;
    assert.equal(code, 1, args);
    assert.match(stderr, expected);
  }
  await mkdir(path.join(folder, 'personnummer.2.key'));
  assert.match((await keys('rotate', 'personnummer').ended).stderr, /personnummer\.2\.key cannot be read: EISDIR/);
});
