// Keys that may change or delete but not read (SMART App Launch 2.0, "Scopes for requesting FHIR Resources"). `u` and
// `d` need no `r`, and return no content.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makeKey } from '#test/support/http-app.ts';

const { call, app } = await startTestEngine(
  { after },
  {
    callers: {
      wide: makeKey('system/*.cruds'),
      updater: makeKey('system/Observation.u'),
      deleter: makeKey('system/Observation.d'),
      seeker: makeKey('system/Observation.us', 'system/Patient.u'),
      reader: makeKey('system/Observation.ru'),
    },
  },
);
const PATCH = [{ op: 'add', path: '/note', value: [{ text: 'added' }] }];

async function patch(caller: string, address: string, payload: object) {
  const headers = {
    authorization: `Bearer ${caller}`,
    'content-type': 'application/json-patch+json',
    prefer: 'return=representation',
  };
  const answer = await app.inject({
    method: 'PATCH',
    url: `/api/v1${address}`,
    headers,
    payload: JSON.stringify(payload),
  });
  return { status: answer.statusCode, text: answer.body };
}

let made = 0;
async function make(by: 'wide' | 'planner' = 'wide') {
  made += 1;
  const id = `written-${made}`;
  const observation = { resourceType: 'Observation', id, status: 'final', code: { text: 'secret' } };
  assert.equal((await call(by, 'PUT', `/Observation/${id}`, observation)).status, 201);
  return { id, observation, address: `/Observation/${id}` };
}

test('a key with u alone changes what keys have written, and is shown none of it', async () => {
  const { address, observation } = await make();
  const put = await call('updater', 'PUT', address, { ...observation, status: 'amended' });
  assert.deepEqual([put.status, put.body.status], [200, 'amended'], put.text);
  const patched = await patch('updater', address, PATCH);
  assert.deepEqual([patched.status, patched.text], [200, ''], patched.text);
  for (const read of [address, `${address}/_history`, `${address}/_history/1`, '/Observation?code:text=secret'])
    assert.equal((await call('updater', 'GET', read)).status, 403, read);
  assert.equal((await call('updater', 'DELETE', address)).status, 403);
  const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] };
  assert.equal((await call('updater', 'POST', `${address}/$meta-add`, meta)).status, 404);
  const seen = await patch('reader', address, [{ op: 'replace', path: '/status', value: 'final' }]);
  assert.deepEqual(
    [seen.status, JSON.parse(seen.text).code.text, JSON.parse(seen.text).note[0].text],
    [200, 'secret', 'added'],
    seen.text,
  );
});

test('a key with u alone in a batch and in a transaction', async () => {
  for (const type of ['batch', 'transaction']) {
    const { address, observation } = await make();
    const url = address.slice(1);
    const bundle = (...entry: object[]) => ({ resourceType: 'Bundle', type, entry });
    const put = { resource: { ...observation, status: 'amended' }, request: { method: 'PUT', url } };
    const answer = await call('updater', 'POST', '/', bundle(put));
    assert.deepEqual([answer.status, answer.body.entry?.[0].response.status], [200, '200 OK'], answer.text);
    assert.equal((await call('wide', 'GET', address)).body.status, 'amended');
  }
});

test('a key with d alone deletes, and what belongs to others stays', async () => {
  const [own, theirs] = [await make(), await make('planner')];
  assert.equal((await call('deleter', 'DELETE', own.address)).status, 204);
  assert.equal((await call('wide', 'GET', own.address)).status, 410);
  assert.equal((await call('deleter', 'DELETE', theirs.address)).status, 204);
  assert.equal((await call('updater', 'PUT', theirs.address, theirs.observation)).status, 404);
  assert.equal((await patch('updater', theirs.address, PATCH)).status, 404);
  assert.equal((await call('planner', 'GET', theirs.address)).body.meta.versionId, '1');
});

test('a condition is fulfilled by what its caller sees alone', async () => {
  const patient = { resourceType: 'Patient', id: 'hidden', name: [{ family: 'Hidden' }] };
  assert.equal((await call('wide', 'PUT', '/Patient/hidden', patient)).status, 201);
  const { id, observation } = await make();
  const about = { ...observation, subject: { reference: 'Patient/hidden' } };
  assert.equal((await call('wide', 'PUT', `/Observation/${id}`, about)).status, 200);
  const { id: _, ...unnamed } = about;
  const chained = await call('seeker', 'PUT', '/Observation?subject:Patient.family=Hidden', {
    ...unnamed,
    status: 'amended',
  });
  // Nobody whom the key sees is called so: another one is made.
  assert.equal(chained.status, 201, chained.text);
  assert.equal((await call('wide', 'GET', `/Observation/${id}`)).body.status, 'final');
});
