// Runs the receiver of docs/tutorials/receive-webhooks.md, as printed there, with the real worker.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { signWebhook } from '#lib/webhook/signature.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const TUTORIAL = path.join(import.meta.dirname, '../../../docs/tutorials/receive-webhooks.md');

const [port = 0] = await freePorts(1);
const bench = await createSendingBench({ after }, { baseUrl: `http://127.0.0.1:${port}/api/v1` });
const { app, call, clock, sending } = bench;
await app.listen({ port, host: '127.0.0.1' });

/** Resolves when the application has responded to a request from the network. */
function nextAnswer(): Promise<void> {
  return new Promise((done) => app.server.once('request', (_request, response) => response.once('close', done)));
}

/** Starts the program and collects the lines that it prints. */
async function startReceiver(t: { after(cleanUp: () => Promise<void>): void }, secret: string) {
  const page = await readFile(TUTORIAL, 'utf8');
  const program = /```js\n([\s\S]*?)```/.exec(page)?.[1];
  assert.ok(program !== undefined);
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-receiver-'));
  const file = path.join(folder, 'receiver.mjs');
  await writeFile(file, program);
  const receiver = spawn(process.execPath, [file], {
    env: { PORT: '0', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    receiver.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const lines = receiver.stdout.setEncoding('utf8').iterator();
  let rest = '';
  const nextLine = async (): Promise<string> => {
    for (;;) {
      const end = rest.indexOf('\n');
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return line;
      }
      const { value, done } = await lines.next();
      assert.ok(done !== true, 'the receiver ended');
      rest += String(value);
    }
  };
  const port = Number((await nextLine()).replace('listening ', ''));
  return { url: `http://127.0.0.1:${port}/kedja`, nextLine };
}

test('the tutorial’s receiver accepts a ping and a dispatch once, and refuses unsigned requests', async (t) => {
  // The receiver compares timestamps with the real clock.
  clock.time = Date.now();
  const provider = newGuid();
  const endpoint = `/api/v1/providers/${provider}/endpoint`;
  const { body } = await call('admin', 'PUT', endpoint, { url: 'http://127.0.0.1:9/' });
  const receiver = await startReceiver(t, body.secret);
  await call('admin', 'PUT', endpoint, { url: receiver.url });
  await call('admin', 'POST', `${endpoint}/ping`);
  await sending.worker.runOnce();
  assert.equal(await receiver.nextLine(), 'ping');
  const { id } = await bench.request([provider]);
  const answered = nextAnswer();
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
  await sending.worker.runOnce();
  assert.equal(await receiver.nextLine(), 'request.dispatched ServiceRequest');
  await answered;
  assert.equal((await bench.matches(id))[0]?.status, 'accepted');
  const { data } = (await call('admin', 'GET', `/api/v1/deliveries?provider_guid=${provider}`)).body;
  assert.ok(data.every(({ status }: { status: string }) => status === 'delivered'));

  const message = { id: 'msg', timestampSeconds: Math.floor(Date.now() / 1000), body: '{"type":"again"}' };
  const send = async (headers: object) =>
    (await fetch(receiver.url, { method: 'POST', headers: { ...headers }, body: message.body })).status;
  const signed = signWebhook(message, [body.secret]);
  assert.deepEqual([await send(signed), await send(signed)], [204, 204]);
  assert.equal(await receiver.nextLine(), 'again');
  assert.equal(await send({ ...signed, 'webhook-id': 'other' }), 401);
  const stale = { ...message, timestampSeconds: message.timestampSeconds - 600 };
  assert.equal(await send(signWebhook(stale, [body.secret])), 401);
  assert.equal(await send({}), 401);
  await send(signWebhook({ ...message, id: 'last', body: message.body }, [body.secret]));
  assert.equal(await receiver.nextLine(), 'again', 'the second of the same id was not handled');
});
