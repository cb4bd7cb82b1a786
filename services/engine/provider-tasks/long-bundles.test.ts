// Bundles and reports that are long enough for threads: received, shown and checked as short ones, black-box.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeRequest, startTestInbox } from '#test/support/engine/engine-inbox.ts';
import { lastFirst } from '#test/support/hooks.ts';

const hooks = lastFirst({ after });
const { call, send } = await startTestInbox(hooks);
const at = (token: string, rest = '') => `/provider-tasks/${token}${rest}`;
const components = Array.from({ length: 3_000 }, () => ({ code: { text: 'a part' }, valueInteger: 1 }));
const observation = { resourceType: 'Observation', status: 'final', code: { text: 'Many' }, component: components };

test('a long bundle is received, and its plan of care and its patient are shown', async () => {
  const { token, message } = makeRequest();
  const { bundle } = message.data as { bundle: { entry: object[] } };
  const data = `{"n":1.0,"text":"${'x'.repeat(100_000)}"}`;
  const form = { resourceType: 'Binary', contentType: 'application/json', data: Buffer.from(data).toString('base64') };
  bundle.entry.push({ resource: form });
  assert.equal(await send(message), 204);
  assert.equal((await call(undefined, 'POST', at(token, '/accept'))).status, 200);
  const task = await call(undefined, 'GET', at(token));
  assert.equal(task.body.patient.gender, 'female');
  const details = await call(undefined, 'GET', at(token, '/careplan-details'));
  assert.deepEqual([details.status, details.body.forms.at(-1).text.length], [200, 100_000]);
  assert.match(details.text, /"value":1\.5/);
  const unreadable = makeRequest();
  const { bundle: other } = unreadable.message.data as { bundle: { entry: object[] } };
  other.entry.splice(0, other.entry.length, { resource: form });
  assert.equal(await send(unreadable.message), 422);
});

test('a long report is checked and stored, and its decimals keep their digits', async () => {
  const { token, message } = makeRequest();
  assert.equal(await send(message), 204);
  await call(undefined, 'POST', at(token, '/accept'));
  const report = (text: string) => call(undefined, 'POST', at(token, '/report'), text);
  const text = JSON.stringify({ status: 'final', observations: [observation] });
  const invalid = await report(text.replace('"valueInteger":1}', '"valueInteger":"1"}'));
  assert.equal(invalid.status, 400);
  assert.match(invalid.body.message, /^observations\[0\]: Observation\.component\[0\]/);
  const decimal = text.replace('"valueInteger":1}', '"valueQuantity":{"value":1.50}}');
  const done = await report(decimal);
  assert.equal(done.status, 200, done.text);
  const stored = await call('admin', 'GET', `/${done.body.observations[0].reference}`);
  assert.match(stored.text, /"value":1\.50/);
  const broken = await report(`${decimal}]`);
  assert.deepEqual([broken.status, broken.body.error], [400, 'invalid_request']);
});
