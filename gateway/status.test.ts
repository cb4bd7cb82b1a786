import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeGateway } from '#test/support/gateway.ts';
import { makeTestApp } from '#test/support/http-app.ts';

const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
/** What each node reports; empty is ready. */
const reasons: [string[], string[]] = [[], []];
let questions = 0;
const nodes = await Promise.all(
  [0, 1].map(async (index) => {
    const check = async () => {
      questions += 1;
      return reasons[index]?.join('; ') || undefined;
    };
    const node = await makeTestApp({}, { readiness: [{ name: 'database', check }] });
    after(() => node.close());
    return { node, url: await node.listen({ host: '127.0.0.1', port: 0 }) };
  }),
);
const gateway = await makeGateway(
  nodes.map(({ url }) => url),
  { clock },
);
after(() => gateway.close());

const page = async (language: string) => (await gateway.inject(`/status?lang=${language}`)).body;
const ready = () => gateway.inject('/readyz');
/** More than answers are shared. */
const later = (ms = 1_000) => {
  clock.time += ms;
};

test('the gateway reports a service that no node serves, with the reasons, once requests would fail', async () => {
  assert.equal((await ready()).statusCode, 200);
  reasons[0] = ['its disk is full'];
  later();
  assert.equal((await ready()).statusCode, 200, 'the other node is ready');
  reasons[1] = ['its disk is full'];
  later();
  assert.equal((await ready()).statusCode, 200, 'requests still wait for a node');
  later(5_000);
  const refused = await ready();
  assert.equal(refused.statusCode, 503);
  const expected = ['identity', 'dispatch', 'engine'].map((name) => `${name}: database: its disk is full`);
  assert.deepEqual(refused.json(), { status: 'not_ready', reasons: expected });
  assert.equal((await gateway.inject('/')).statusCode, 200, 'its own pages are served');
});

test('the status page describes each service', async () => {
  assert.match(await page('en'), /Not ready: its database does not respond or is being upgraded/);
  assert.match(await page('sv'), /Fungerar inte än: databasen svarar inte eller uppgraderas/);
  const json = await gateway.inject({ url: '/status', headers: { accept: 'application/json' } });
  const engine = { name: 'engine', state: 'not_ready', ready_nodes: 0, nodes: 2 };
  assert.deepEqual(json.json().services[2], { ...engine, reasons: ['database: its disk is full'] });
  assert.match(String(json.headers['content-type']), /^application\/json/);
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  assert.match((await gateway.inject({ url: '/status', headers: browser })).body, /<!doctype html>/i);
  reasons[0] = [];
  later();
  assert.match(await page('en'), /Running, on 1 of 2 nodes/);
  assert.match(await page('en'), /All services are running/);
  reasons[1] = [];
  later();
  assert.match(await page('sv'), /<td>Fungerar<\/td>/);
  assert.equal((await ready()).statusCode, 200);
});

test('many callers ask each node once', async () => {
  later();
  questions = 0;
  await Promise.all(Array.from({ length: 20 }, () => page('en')));
  // Three services, each with these two nodes.
  assert.equal(questions, 6);
});

test('a service that does not respond is reported so', async (t) => {
  const lost = await makeGateway(['http://127.0.0.1:9'], { clock });
  t.after(() => lost.close());
  assert.match((await lost.inject('/status?lang=en')).body, /Cannot be reached/);
  const { reasons } = (await lost.inject('/readyz')).json();
  assert.deepEqual(reasons[0], 'identity: it cannot be reached');
});
