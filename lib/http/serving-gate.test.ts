import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTestApp } from '#test/support/http-app.ts';
import { createServingGate, openWhenReady, UNPROCESSED_HEADER } from './serving-gate.ts';

test('nothing but the operational routes is served before the gate is open, and a write does nothing', async (t) => {
  const gate = createServingGate();
  const app = await makeTestApp({}, { gate });
  t.after(() => app.close());
  let writes = 0;
  app.post('/write', { config: { permission: 'public' } }, async () => {
    writes += 1;
    return {};
  });
  const write = () => app.inject({ method: 'POST', url: '/write', payload: { any: 'thing' } });
  const refused = await write();
  assert.deepEqual([refused.statusCode, refused.json().error, writes], [503, 'unavailable', 0]);
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal(refused.headers[UNPROCESSED_HEADER], 'starting');
  for (const url of ['/nothing-here', '/docs/', '/openapi.json']) assert.equal((await app.inject(url)).statusCode, 503);
  const ready = await app.inject('/readyz');
  assert.deepEqual([ready.statusCode, ready.json().reasons], [503, ['start: it has not ended yet']]);
  for (const url of ['/livez', '/metrics']) assert.equal((await app.inject(url)).statusCode, 200, url);
  gate.open();
  assert.deepEqual([(await write()).statusCode, writes, (await app.inject('/readyz')).statusCode], [200, 1, 200]);
});

test('the gate opens when every condition holds, and not before', async () => {
  const gate = createServingGate();
  let asked = 0;
  const check = async () => {
    asked += 1;
    assert.equal(gate.isOpen(), false);
    return asked < 3 ? 'not yet' : undefined;
  };
  await openWhenReady(gate, [{ name: 'late', check }], new AbortController().signal);
  assert.deepEqual([gate.isOpen(), asked], [true, 3]);
});

test('a stopping process does not wait for the gate', async () => {
  const gate = createServingGate();
  const end = new AbortController();
  const opening = openWhenReady(gate, [{ name: 'never', check: async () => 'away' }], end.signal);
  end.abort();
  await opening;
  assert.equal(gate.isOpen(), false);
});
