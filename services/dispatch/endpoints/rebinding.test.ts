// DNS rebinding: a name with another address after the check (decision D8), served by a DNS server over UDP. The
// connection uses the checked address, and every connection checks again.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const METADATA = '169.254.169.254';
const LOOPBACK = '127.0.0.1';
const HEADER_BYTES = 12;

/** Responds to queries for a name with these addresses in turn; the last one repeats. RFC 1035 §4. */
async function startNameServer() {
  let answers: string[] = [];
  let asked = 0;
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    asked += 1;
    const given = (answers.length > 1 ? answers.shift() : answers[0]) ?? LOOPBACK;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.set([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0], 2);
    const nameEnd = query.indexOf(0, HEADER_BYTES) + 1;
    const question = query.subarray(HEADER_BYTES, nameEnd + 4);
    const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...given.split('.').map(Number)]);
    socket.send(Buffer.concat([header, question, record]), port, address);
  });
  await new Promise<void>((done) => socket.bind(0, LOOPBACK, done));
  after(() => socket.close());
  const resolver = new Resolver();
  resolver.setServers([`${LOOPBACK}:${socket.address().port}`]);
  return {
    answer: (...given: string[]) => {
      answers = given;
      asked = 0;
    },
    asked: () => asked,
    resolve: async (name: string) =>
      (await resolver.resolve4(name)).map((address) => ({ address, family: 4 as const })),
  };
}

const names = await startNameServer();
const bench = await createSendingBench({ after }, { resolve: names.resolve });
const { call, sending } = bench;

async function pushTo(url: string): Promise<string> {
  const provider = newGuid();
  const made = await call('admin', 'PUT', `/api/v1/providers/${provider}/endpoint`, { url });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = await bench.request([provider]);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 202);
  return provider;
}

async function outcomesOf(provider: string): Promise<string[]> {
  const { body } = await call('admin', 'GET', `/api/v1/deliveries?provider_guid=${provider}`);
  const detail = await call('admin', 'GET', `/api/v1/deliveries/${body.data[0].delivery_guid}`);
  return detail.body.attempts.map(({ outcome }: { outcome: string }) => outcome);
}

test('a name that leads inside once it has been registered is refused at the attempt, and tried again', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  names.answer(LOOPBACK, METADATA);
  const provider = await pushTo(`http://rebinding.example:${port}/hook`);
  await sending.worker.runOnce();
  assert.deepEqual(await outcomesOf(provider), ['address_refused']);
  names.answer(LOOPBACK);
  bench.clock.time += 10_000;
  await sending.worker.runOnce();
  assert.deepEqual(await outcomesOf(provider), ['address_refused', 'delivered']);
});

test('the address that was checked is the one connected to: a connection asks for it once', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  names.answer(LOOPBACK);
  const provider = await pushTo(`http://pinned.example:${port}/hook`);
  names.answer(LOOPBACK, METADATA);
  await sending.worker.runOnce();
  assert.deepEqual([names.asked(), receiver.ledger.length], [1, 1]);
  assert.deepEqual(await outcomesOf(provider), ['delivered']);
});

test('a name that leads inside, or both inside and outside, is refused at registration', async () => {
  names.answer(METADATA);
  const url = `/api/v1/providers/${newGuid()}/endpoint`;
  const refused = await call('admin', 'PUT', url, { url: 'https://inside.example/hook' });
  assert.equal(refused.status, 400);
});
