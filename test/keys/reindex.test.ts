// Another key for the index that finds a personnummer (docs/adr/0064). The command is killed, run twice at once and
// without the key. Nodes register people at every step of it.
import assert from 'node:assert/strict';
import { chmod, cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { reindexNumbers } from '#services/identity/patients/reindex.ts';
import { personnummerCipher } from '#services/identity/shared/ciphers.ts';
import { indexFile, placeIndexGeneration } from '../../runtime/keys/key-files.ts';
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import { temporaryDataDir } from '../support/database/server.ts';
import { lastFirst } from '../support/hooks.ts';
import { eventually } from '../support/http.ts';
import { handClock, type Identity, identityDatabase } from '../support/identity/identity.ts';
import {
  auditedEvents,
  makePatient,
  nextEmail,
  PASSWORD,
  personnummerOf,
} from '../support/identity/identity-people.ts';
import { makeKeySite, makeSealedPatients } from '../support/system/key-site.ts';
import { startKeyNode } from './key-node.ts';

const hooks = lastFirst({ after });
const PATIENTS = 1_300;
const INDEX = { name: 'personnummer', purpose: 'personnummer' };

/** A generation that may be used at once. */
const placeIndex = (folder: string, generation: number) =>
  placeIndexGeneration(folder, INDEX, { generation, createdAt: 0, sealsFrom: 0 });
const cipherOf = async (dataDir: string) =>
  personnummerCipher(await openKeyFolder(dataDir).existingKeySet('personnummer'));

interface Row {
  readonly guid: string;
  readonly first: Buffer;
  readonly second: Buffer | null;
}
const rowsOf = async (database: Database) =>
  (
    await database.query<Row>(
      'SELECT patient_guid AS guid, personnummer_index AS first, personnummer_index_next AS second FROM patient ORDER BY 1',
    )
  ).rows;
const stateOf = async (database: Database) =>
  (await database.query('SELECT generation, next_generation AS next FROM personnummer_key')).rows[0];

test('killed in the middle, the command goes on where it was; two at once do no harm; a missing key is named', async (t) => {
  const { database, dataDir, folder, keys } = await makeKeySite(t);
  const guids = await makeSealedPatients(database, dataDir, PATIENTS);
  const first = await cipherOf(dataDir);
  await database.query('INSERT INTO personnummer_key (mark) VALUES ($1)', [first.indexWith('key mark', 1)]);
  const rotations = await Promise.all([1, 2].map(() => keys('rotate', 'personnummer-index').ended));
  assert.deepEqual(
    rotations.map(({ code }) => code),
    [0, 0],
  );
  const lines = rotations.map(({ stdout }) => stdout).sort();
  assert.match(lines[0] ?? '', /^personnummer-index: a rotation is under way: generation 2 may be used from \S+Z on/);
  assert.match(
    lines[1] ?? '',
    /^personnummer-index: generation 2 may be used from \S+Z on; then run kedja keys reindex/,
  );
  assert.match(
    (await keys('reindex').ended).stdout,
    /generation 2 may be used from \S+Z on; run kedja keys reindex again then/,
  );
  // Two minutes are not waited for here.
  await rm(indexFile(folder, 'personnummer', 'personnummer', 2));
  await placeIndex(folder, 2);

  const filled = async () => (await rowsOf(database)).filter(({ second }) => second !== null).length;
  await database.transaction(async (tx) => {
    await tx.query('SELECT FROM patient WHERE patient_guid = $1 FOR UPDATE', [guids[1_100]]);
    const killed = keys('reindex');
    await eventually('two batches are done', async () => ((await filled()) === 1_000 ? true : undefined), 60_000);
    killed.child.kill('SIGKILL');
    assert.equal((await killed.ended).code, null);
  });
  assert.deepEqual([await filled(), await stateOf(database)], [1_000, { generation: 1, next: 2 }]);

  await rm(indexFile(folder, 'personnummer', 'personnummer', 2));
  for (const command of [['reindex'], ['rotate', 'personnummer-index']]) {
    const { code, stderr } = await keys(...command).ended;
    assert.deepEqual(
      [code, /There is no \S+personnummer-index\.2\.key, .*bring it back/.test(stderr)],
      [1, true],
      stderr,
    );
  }
  // Another key under the name of the one before: what was filled with that is of no use, and the mark says so in time.
  await database.query('UPDATE patient SET personnummer_index_next = NULL');
  await placeIndex(folder, 2);
  const both = await Promise.all([keys('reindex').ended, keys('reindex').ended]);
  for (const { code, stderr } of both) assert.deepEqual([code, stderr], [0, '']);
  const counts = both.map(({ stdout }) => Number(/(\d+) rows indexed anew/.exec(stdout)?.[1]));
  assert.equal(
    counts.reduce((sum, each) => sum + each),
    PATIENTS,
  );
  assert.deepEqual(await stateOf(database), { generation: 2, next: null });
  const cipher = await cipherOf(dataDir);
  const wanted = guids.map((guid, index) => [guid, cipher.indexWith(personnummerOf(index), 2), null]);
  assert.deepEqual(
    (await rowsOf(database)).map(({ guid, first: index, second }) => [guid, index, second]),
    wanted,
  );
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  for (const [event, times] of [
    ['index-key.rotate', 1],
    ['index-key.reindex', 1],
  ] as const)
    assert.equal(rows.filter(({ resource }) => resource.includes(`"${event}"`)).length, times, event);
  const listed = (await keys('list').ended).stdout.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    listed.filter(([name]) => name === 'personnummer-index').map((row) => row.slice(1, 3)),
    [['2', 'indexes']],
  );
  assert.match((await keys('reindex').ended).stdout, /0 rows indexed anew.*\n.*generation 2 keys the index/);
});

test('a number that cannot be opened is named; the index stays as it was, and all else is ready', async (t) => {
  const { database, dataDir, folder, keys } = await makeKeySite(t);
  const [bad, unknown] = await makeSealedPatients(database, dataDir, 3);
  await placeIndex(folder, 2);
  await database.query(`INSERT INTO personnummer_key (mark) VALUES ('x')`);
  const foreign = await keys('reindex').ended;
  assert.equal(foreign.code, 1);
  assert.match(foreign.stderr, /is not the one that this database was made with/);
  // As before identity's first start, which makes the mark.
  await database.query('DELETE FROM personnummer_key');
  await assert.rejects(
    reindexNumbers(database, await cipherOf(dataDir), { generation: 2 }),
    /personnummer_key has no row/,
  );
  await database.query(`UPDATE patient SET personnummer_sealed = '\\x01' WHERE patient_guid = $1`, [bad]);
  await database.query(`UPDATE patient SET personnummer_sealed = '\\x02c0ffee0000' WHERE patient_guid = $1`, [unknown]);
  const { code, stdout, stderr } = await keys('reindex').ended;
  assert.equal(code, 1);
  assert.match(stdout, /1 rows indexed anew/);
  assert.match(stderr, new RegExp(`patient\\.personnummer_sealed of ${bad} cannot be opened`));
  assert.match(stderr, new RegExp(`of ${unknown} cannot be opened: .*sealed with key c0ffee00 of personnummer`));
  assert.deepEqual(await stateOf(database), { generation: 1, next: 2 });
  const { rows } = await database.query('SELECT mark FROM personnummer_key');
  assert.deepEqual(rows, [{ mark: (await cipherOf(dataDir)).indexWith('key mark', 1) }]);
  await chmod(indexFile(folder, 'personnummer', 'personnummer', 2), 0o644);
  const listed = await keys('list').ended;
  assert.match(listed.stderr, /personnummer-index\.2\.key may be read or changed by other accounts: chmod 600 it/);
});

test('a run that pauses while another completes the generation and begins the next writes nothing under the old one', async (t) => {
  const { database, dataDir, folder } = await makeKeySite(t);
  const guids = await makeSealedPatients(database, dataDir, 3);
  for (const generation of [2, 3]) await placeIndex(folder, generation);
  const cipher = await cipherOf(dataDir);
  await database.query('INSERT INTO personnummer_key (mark, next_generation) VALUES ($1, 2)', [
    cipher.indexWith('key mark', 1),
  ]);
  const switches: number[] = [];
  const onSwitch = async (_: unknown, generation: number) => void switches.push(generation);
  const paused = await database.transaction(async (tx) => {
    await tx.query('SELECT FROM personnummer_key FOR UPDATE');
    await tx.query('SELECT FROM patient FOR UPDATE');
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const run = reindexNumbers(database, cipher, { generation: 2, onSwitch });
    await eventually('the run waits', async () => {
      const text = 'SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
      return (await database.query(text, [rows[0]?.pid])).rowCount === 0 ? undefined : true;
    });
    await tx.query(
      'UPDATE patient SET personnummer_index = i FROM unnest($1::uuid[], $2::bytea[]) n (g, i) WHERE g = patient_guid',
      [guids, guids.map((_, index) => cipher.indexWith(personnummerOf(index), 2))],
    );
    await tx.query('UPDATE personnummer_key SET generation = 2, next_generation = 3');
    return { run };
  });
  const report = await paused.run;
  assert.deepEqual([report.isDone, report.issues, switches], [true, [], [3]]);
  assert.deepEqual(await stateOf(database), { generation: 3, next: null });
  assert.deepEqual(
    (await rowsOf(database)).map(({ first }) => first),
    guids.map((_, index) => cipher.indexWith(personnummerOf(index), 3)),
  );
});

test('a generation that may not be used yet is not begun by finishing the one before, and each is audited when it is reached', async (t) => {
  const { database, dataDir, folder, keys } = await makeKeySite(t);
  await makeSealedPatients(database, dataDir, 3);
  await placeIndex(folder, 2);
  const first = await cipherOf(dataDir);
  await database.query('INSERT INTO personnummer_key (mark, next_generation) VALUES ($1, 2)', [
    first.indexWith('key mark', 1),
  ]);
  const rotated = await keys('rotate', 'personnummer-index', '--after', '60').ended;
  assert.match(rotated.stdout, /generation 3 may be used from/);
  const { code, stdout } = await keys('reindex').ended;
  assert.deepEqual([code, await stateOf(database)], [0, { generation: 2, next: null }]);
  assert.match(
    stdout,
    /3 rows indexed anew under generation 2\.\n.*generation 2 keys the index.*\n.*generation 3 may be used from/,
  );
  const audited = async () =>
    (await database.query<{ resource: string }>('SELECT resource FROM audit_event')).rows
      .filter(({ resource }) => resource.includes('"index-key.reindex"'))
      .map(({ resource }) => /personnummer\/(\d+)/.exec(resource)?.[1]);
  assert.deepEqual(await audited(), ['2']);

  await t.test('a missing index key is an error of its own, and damages nobody', async () => {
    await database.query('UPDATE personnummer_key SET next_generation = 3');
    await assert.rejects(reindexNumbers(database, first, { generation: 3 }), {
      name: 'MissingKeyError',
      detail: /There is no \S+personnummer-index\.3\.key/,
    });
  });
});

test('at every step two nodes find who is registered under either key, and a node without the new key says so', async (t) => {
  const on = await identityDatabase(hooks);
  const clock = handClock();
  const [dataDir, copy] = [await temporaryDataDir(), await temporaryDataDir()];
  for (const each of [dataDir, copy]) hooks.after(() => rm(each, { recursive: true, force: true }));
  const startNode = (place: string) => startKeyNode(hooks, place, { on, clock });
  const [a, b] = [await startNode(dataDir), await startNode(dataDir)];
  await cp(path.join(dataDir, 'keys'), path.join(copy, 'keys'), { recursive: true });
  const c = await startNode(copy);
  const { database } = a.node;
  const known = [await makePatient(a.node), await makePatient(b.node)];
  const [one] = known;
  const post = async ({ app }: Identity, personnummer: string) => {
    const payload = { email: nextEmail(), password: PASSWORD, personnummer, organisation_guid: one?.organisation_guid };
    return (await app.inject({ method: 'POST', url: '/api/patient/register', payload })).statusCode;
  };
  /** Both nodes find every registered person, and of two concurrent registrations of one number one succeeds. */
  const holds = async (step: string) => {
    for (const { node } of [a, b])
      for (const { personnummer } of known) assert.equal(await post(node, personnummer), 409, step);
    const fresh = await makePatient(b.node);
    known.push(fresh);
    const number = personnummerOf(9_000 + known.length);
    const twice = await Promise.all([post(a.node, number), post(b.node, number)]);
    assert.deepEqual(twice.sort(), [201, 409], step);
    assert.equal(await post(a.node, number), 409, step);
  };
  await holds('before');
  await placeIndex(path.join(dataDir, 'keys'), 2);
  for (const { keys, wake } of [a, b])
    await eventually('the node reads the key', async () => {
      wake();
      try {
        return keys.indexKey('personnummer', 2);
      } catch {
        return undefined;
      }
    });
  const cipher = personnummerCipher(a.keys);
  await database.query('UPDATE personnummer_key SET next_generation = 2');
  await holds('while the second index is filled');
  assert.ok((await rowsOf(database)).some(({ second }) => second === null));

  await t.test(
    'a node without the new key registers nobody, reads what is there, and goes on when the file has come',
    async () => {
      assert.equal(await post(c.node, personnummerOf(9_900)), 503);
      const own = await c.node.app.inject({ url: '/api/patient/registry-status', headers: one?.headers ?? {} });
      assert.equal(own.statusCode, 200);
      await eventually('the log names the file', async () => {
        c.wake();
        await post(c.node, personnummerOf(9_900));
        return (
          c.lines.some((line) => line.includes('keys.missing') && line.includes('personnummer-index.2.key')) ||
          undefined
        );
      });
      await cp(path.join(dataDir, 'keys'), path.join(copy, 'keys'), { recursive: true });
      const status = await eventually('it registers', async () => {
        c.wake();
        const answered = await post(c.node, personnummerOf(9_900));
        return answered === 503 ? undefined : answered;
      });
      assert.equal(status, 201);
      assert.equal(await post(b.node, personnummerOf(9_900)), 409);
    },
  );

  const stop = new AbortController();
  const half = await reindexNumbers(database, cipher, {
    generation: 2,
    signal: stop.signal,
    onSwitch: async () => stop.abort(),
  });
  assert.deepEqual([half.isDone, await stateOf(database)], [false, { generation: 2, next: 2 }]);
  await holds('while the first is brought over');
  const number = personnummerOf(9_950);
  const [report, ...answers] = await Promise.all([
    reindexNumbers(database, cipher, { generation: 2 }),
    ...[a, b, a, b, a, b].map(({ node }) => post(node, number)),
  ]);
  assert.deepEqual([report.isDone, report.issues, answers.sort()], [true, [], [201, 409, 409, 409, 409, 409]]);
  await holds('afterwards');
  const rows = await rowsOf(database);
  assert.ok(rows.every(({ second }) => second === null));
  const hexes = new Set(rows.map(({ first }) => first.toString('hex')));
  for (const { personnummer } of known) assert.ok(hexes.has(cipher.indexWith(personnummer, 2).toString('hex')));
  await startNode(dataDir);
  await rm(indexFile(path.join(copy, 'keys'), 'personnummer', 'personnummer', 2));
  await assert.rejects(startNode(copy), /There is no \S+personnummer-index\.2\.key/);
  assert.ok((await auditedEvents(a.node)).includes('patient.register'));
});
