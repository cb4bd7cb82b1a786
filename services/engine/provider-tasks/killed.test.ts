// Reports while dispatch is away or breaks connections and the engine is killed (SIGKILL) (decision E10). Each report
// is stored once, and each reaches dispatch. A repeated call to dispatch is the same.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { newWebhookSecret, signWebhook } from '#lib/webhook/signature.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makeRequest } from '#test/support/engine/engine-inbox.ts';
import { answerFhir, type ReceivedRequest, startMisbehavingServer } from '#test/support/fhir/misbehaving-server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';

const PROGRAM = path.join(import.meta.dirname, '../../../test/support/engine/engine-process.ts');
const TASKS = 24;
const token = 'admin';
const secret = newWebhookSecret();

const observation = (value: number) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'https://example.org/codes', code: 'weight' }] },
  valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
});

async function startNode(databaseUrl: string, port: number, dispatchUrl: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, databaseUrl, String(port), dispatchUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

test(`${TASKS} reports reach dispatch although it is away and breaks off, and the engine is killed three times`, async (t) => {
  const hooks = lastFirst(t);
  const { url, database: open } = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
  const database = open('engine');
  const dispatch = await startMisbehavingServer(hooks);
  const dispatchUrl = new URL(dispatch.url).origin;
  const [port = 0] = await freePorts(1);
  const engine = `http://127.0.0.1:${port}/api/v1`;
  let node = await startNode(url, port, dispatchUrl);
  hooks.after(() => kill(node));
  const restart = async () => {
    await kill(node);
    // The leases of the killed node end and what was put off is due, as after a minute by itself.
    await database.query("UPDATE dispatch_call SET leased_until = NULL, next_at = '2026-01-01'");
    node = await startNode(url, port, dispatchUrl);
  };

  dispatch.behave(({ url: asked }, response) => answerFhir(response, asked.endsWith('/endpoint') ? { secret } : {}));
  const region = { name: 'Hemvården', region: 'Skåne' };
  const { provider_guid: provider } = (await call(`${engine}/providers`, { token, json: region })).body;
  await call(`${engine}/providers/${provider}/inbox`, { token, method: 'PUT', json: { enabled: true } });
  const requests = Array.from({ length: TASKS }, makeRequest);
  await Promise.all(
    requests.map(async ({ message, token: receipt }) => {
      const body = JSON.stringify({ ...message, timestamp: new Date().toISOString() });
      const signed = signWebhook({ id: newGuid(), timestampSeconds: Math.floor(Date.now() / 1000), body }, [secret]);
      const headers = { 'content-type': 'application/json', ...signed };
      const inbox = `${engine}/provider-tasks/inbox?provider_guid=${provider}`;
      assert.equal((await fetch(inbox, { method: 'POST', headers, body })).status, 204);
      await call(`${engine}/provider-tasks/${receipt}/accept`, { json: {} });
    }),
  );

  /** Reports again until it hears that the report is stored: 200, or 409 when the answer that said so was lost. */
  const report = async (receipt: string, json: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(json);
    const address = `${engine}/provider-tasks/${receipt}/report`;
    await eventually(
      'the report was stored',
      async () => {
        const answer = await fetch(address, { method: 'POST', headers, body }).catch(() => undefined);
        return answer?.status === 200 || answer?.status === 409 ? true : undefined;
      },
      120_000,
    );
  };
  const statusCalls = () => dispatch.asked.filter(({ url: asked }) => asked.startsWith('/api/v1/requests/'));
  const waiting = async () =>
    Number((await database.query<{ count: number }>('SELECT count(*) AS count FROM dispatch_call')).rows[0]?.count);

  // Away: nobody who asks is answered.
  dispatch.behave((_asked, response) => void response.socket?.destroy());
  const reports = Promise.all(
    requests.map(({ token: receipt }, place) =>
      report(receipt, { status: 'final', note: `note ${place}`, observations: [observation(place)] }),
    ),
  );
  await eventually('some were stored', async () => ((await waiting()) > 3 ? true : undefined), 60_000);
  await restart();
  await reports;
  assert.equal(await waiting(), TASKS, 'none has reached dispatch');

  // Takes what it gets, and breaks off before it has answered.
  const taken = statusCalls().length;
  await restart();
  await eventually('dispatch got some', async () => (statusCalls().length > taken + 5 ? true : undefined), 60_000);
  assert.equal(await waiting(), TASKS, 'what was not answered is kept');

  dispatch.behave((_asked, response) => answerFhir(response, {}));
  await restart();
  await eventually('nothing waits', async () => ((await waiting()) === 0 ? true : undefined), 60_000);

  const reported = Map.groupBy(statusCalls(), ({ url: asked }: ReceivedRequest) => asked.split('/')[4] ?? '');
  assert.deepEqual([...reported.keys()].sort(), requests.map(({ requestGuid }) => requestGuid).sort());
  for (const [place, { requestGuid }] of requests.entries()) {
    const bodies = new Set(reported.get(requestGuid)?.map(({ body }) => body));
    assert.equal(bodies.size, 1, 'what came again was the same');
    const { status, note, results } = JSON.parse([...bodies][0] ?? '{}');
    assert.deepEqual([status, note, results.length], ['completed', `note ${place}`, 1]);
    const stored = await call(`${engine}/Observation/${results[0].split('/').at(-1)}`, { token });
    assert.equal(stored.body.valueQuantity.value, place);
  }
  const { body: all } = await call(`${engine}/Observation?_summary=count`, { token });
  assert.equal(all.total, TASKS, 'each was stored once');
});
