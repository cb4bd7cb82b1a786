// A rotation of the key that seals personnummer and second factors (docs/adr/0048). Some nodes of identity share the
// key folder, and one has a copy that is out of date. Nothing restarts, nothing is lost, and the old key goes.
import assert from 'node:assert/strict';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { MINUTE_MS } from '#lib/clock.ts';
import { countKeys, reseal } from '#lib/secrets/sealed-values.ts';
import { identitySealedValues } from '#services/identity/sealed-values.ts';
import { retireGenerations, rotateSealingKey } from '../../runtime/keys/key-rotation.ts';
import { temporaryDataDir } from '../support/database/server.ts';
import { lastFirst } from '../support/hooks.ts';
import { eventually } from '../support/http.ts';
import { handClock, type Identity, identityDatabase } from '../support/identity/identity.ts';
import { makePatient, nextEmail, PASSWORD } from '../support/identity/identity-people.ts';
import { codeAt, makeGuarded } from '../support/identity/totp.ts';
import { startKeyNode } from './key-node.ts';

const hooks = lastFirst({ after });
const clock = handClock();
const on = await identityDatabase(hooks);

async function makeFolder(): Promise<string> {
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function startNode(dataDir: string) {
  const started = await startKeyNode(hooks, dataDir, { on, clock });
  const { keys, wake } = started;
  const reads = (generations: number) =>
    eventually(`the node reads ${generations} keys`, async () => {
      wake();
      return keys.all().length === generations ? true : undefined;
    });
  return { ...started, reads };
}

type Patient = Awaited<ReturnType<typeof makePatient>>;
const numberAt = async ({ app }: Identity, { headers }: Patient) => {
  const answer = await app.inject({ url: '/api/patient/registry-status', headers });
  return answer.statusCode === 200 ? answer.json().personnummer : answer.statusCode;
};
const registration = (like: Patient) => ({
  email: nextEmail(),
  password: PASSWORD,
  personnummer: like.personnummer,
  organisation_guid: like.organisation_guid,
});

test('nodes that run take a new key into use, one with an old copy of the folder misses it loudly, and the old key goes', async (t) => {
  const [dataDir, copy] = [await makeFolder(), await makeFolder()];
  const [a, b] = [await startNode(dataDir), await startNode(dataDir)];
  await cp(path.join(dataDir, 'keys'), path.join(copy, 'keys'), { recursive: true });
  const c = await startNode(copy);
  const early = await makePatient(a.node);
  const guarded = await makeGuarded(a.node, clock);
  const body = registration({ ...early, personnummer: '' });
  const key = { 'idempotency-key': 'before-the-rotation' };
  const post = (node: Identity, payload: object, headers = {}) =>
    node.app.inject({ method: 'POST', url: '/api/patient/register', headers, payload });
  const kept = { ...body, personnummer: '198112189876' };
  const first = await post(a.node, kept, key);
  assert.equal(first.statusCode, 201, first.body);

  const place = { folder: path.join(dataDir, 'keys'), name: 'personnummer', clock };
  const indexes = identitySealedValues(a.keys).indexes;
  await rotateSealingKey(place, { indexes, waitMs: 0 });
  await Promise.all([a.reads(2), b.reads(2)]);
  clock.advance(2 * MINUTE_MS);
  const late = await makePatient(a.node);
  const marks = await countKeys(a.node.database, identitySealedValues(a.keys), a.keys);
  assert.deepEqual(
    marks[0]?.byGeneration,
    new Map([
      [1, 2],
      [2, 1],
    ]),
  );

  await t.test('both nodes of the folder read what either has sealed; keyed indexes are as before', async () => {
    for (const { node } of [a, b]) {
      assert.deepEqual(
        [await numberAt(node, early), await numberAt(node, late)],
        [early.personnummer, late.personnummer],
      );
      for (const known of [early, late]) assert.equal((await post(node, registration(known))).statusCode, 409);
    }
    const repeated = await post(b.node, kept, key);
    assert.deepEqual([repeated.statusCode, repeated.json()], [201, first.json()], 'an Idempotency-Key counts on');
  });

  await t.test(
    'a node without the new key says which it misses and for what, and what it seals itself is read by all',
    async () => {
      const answer = await c.node.app.inject({ url: '/api/patient/registry-status', headers: late.headers });
      assert.deepEqual(
        [answer.statusCode, answer.json().error, answer.headers['retry-after']],
        [503, 'unavailable', '5'],
      );
      await eventually('the log names the key', async () => {
        c.wake();
        const line = c.lines.find((each) => each.includes('keys.missing'));
        return line && /patient\.personnummer_sealed of \S+ was sealed with key [0-9a-f]{8} of personnummer/.test(line)
          ? true
          : undefined;
      });
      assert.equal(await numberAt(c.node, early), early.personnummer, 'the rest is served');
      const own = await makePatient(c.node);
      assert.equal(await numberAt(a.node, own), own.personnummer);
      await cp(path.join(dataDir, 'keys'), path.join(copy, 'keys'), { recursive: true });
      await c.reads(2);
      assert.equal(
        await numberAt(c.node, late),
        late.personnummer,
        'and all of it once the file is there, without a restart',
      );
    },
  );

  const values = identitySealedValues(a.keys);
  const database = a.node.database;
  await t.test('while two runs reseal everything, people register and sign in', async () => {
    clock.advance(MINUTE_MS);
    const registered: Promise<Patient>[] = [];
    const work = Promise.all([reseal(database, values), reseal(database, identitySealedValues(b.keys))]);
    for (const { node } of [a, b, c, a, b, c]) registered.push(makePatient(node));
    const code = codeAt(guarded.secret, clock.now());
    const signedIn = b.node.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email: guarded.email, password: PASSWORD, code },
    });
    const reports = await work;
    assert.deepEqual(
      reports.flatMap(({ issues }) => issues),
      [],
    );
    for (const patient of await Promise.all(registered))
      assert.equal(await numberAt(a.node, patient), patient.personnummer);
    assert.equal((await signedIn).statusCode, 200);
    await reseal(database, values);
  });

  await t.test('then the old key is moved away, and a node that starts without it reads and finds all', async () => {
    const retire = async () => retireGenerations(place, { values, counts: await countKeys(database, values, a.keys) });
    assert.deepEqual(
      (await retire()).map(({ kind }) => kind),
      ['kept'],
      'a node behind may still seal with it',
    );
    clock.advance(2 * MINUTE_MS);
    assert.deepEqual(
      (await retire()).map(({ kind }) => kind),
      ['retired'],
    );
    assert.deepEqual(await readdir(path.join(dataDir, 'keys', 'retired')), ['personnummer.1.key']);
    const d = await startNode(dataDir);
    assert.equal(d.keys.all().length, 1);
    for (const patient of [early, late]) {
      assert.equal(await numberAt(d.node, patient), patient.personnummer);
      assert.equal((await post(d.node, registration(patient))).statusCode, 409, 'found by its index');
    }
    const [recoveryCode = ''] = guarded.recoveryCodes;
    const payload = { email: guarded.email, password: PASSWORD, code: recoveryCode };
    const signedIn = await d.node.app.inject({ method: 'POST', url: '/api/auth/login', payload });
    assert.equal(signedIn.statusCode, 200, 'recovery codes count as before');
    assert.equal((await post(d.node, kept, key)).body, first.body);
    const again = await d.node.app.inject({ url: '/api/auth/me', headers: early.headers });
    assert.equal(again.statusCode, 200, 'nobody was signed out');
  });

  await t.test('a key that was moved away too early is brought back without a restart', async () => {
    const folder = path.join(dataDir, 'keys');
    await rename(path.join(folder, 'personnummer.2.key'), path.join(folder, 'retired', 'personnummer.2.key'));
    await rename(path.join(folder, 'retired', 'personnummer.1.key'), path.join(folder, 'personnummer.1.key'));
    const e = await startNode(dataDir).catch((error: Error) => error);
    assert.ok(e instanceof Error && e.message.includes('missing'), 'what signs tokens cannot be opened');
    await rename(path.join(folder, 'retired', 'personnummer.2.key'), path.join(folder, 'personnummer.2.key'));
    const f = await startNode(dataDir);
    assert.equal(await numberAt(f.node, late), late.personnummer);
  });
});
