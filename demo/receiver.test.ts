import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { newWebhookSecret, signWebhook } from '#lib/webhook/signature.ts';
import { FORMS } from './content/forms.ts';
import { PLANS } from './content/plans.ts';
import { buildQuestionnaire } from './content/questionnaire.ts';
import { startDemoReceiver } from './receiver.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const clock = { now: () => NOW };
const secret = newWebhookSecret();
const credentials = { providerGuid: '01900000-0000-7000-8000-000000000001', secret, apiKey: 'key-1' };

/** A fake dispatch: the requests that it received, and its responses. */
const reports: { method: string; path: string; apiKey: string | undefined; body: unknown }[] = [];
let status = 200;
const dispatch = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    const apiKey = headers['x-api-key'];
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    reports.push({ method, path: url, apiKey: typeof apiKey === 'string' ? apiKey : undefined, body });
    response.writeHead(status).end();
  });
});
await new Promise<void>((resolve) => dispatch.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(dispatch.address() as AddressInfo).port}`;
const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-receiver-'));
let receiver = await startDemoReceiver({ port: 0, dataDir, clock });
after(async () => {
  await receiver.close();
  dispatch.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(() => {
  reports.length = 0;
  status = 200;
});

function webhook(priority?: string, type = 'request.dispatched', more: object = {}): string {
  const request = { resourceType: 'ServiceRequest', ...(priority === undefined ? {} : { priority }), ...more };
  return JSON.stringify({
    type,
    data: {
      request_guid: 'r1',
      receipt_token: 'very-secret-token',
      respond_url: `${origin}/respond`,
      status_url: `${origin}/status`,
      bundle: { resourceType: 'Bundle', entry: [{ resource: { resourceType: 'Patient' } }, { resource: request }] },
    },
  });
}

async function deliver(body: string, key = secret, url = receiver.url): Promise<number> {
  const headers = signWebhook({ id: 'm1', timestampSeconds: NOW / 1000, body }, [key]);
  return (await fetch(url, { method: 'POST', body, headers: { ...headers } })).status;
}

test('before it has its secret it asks for a retry', async () => {
  assert.equal(await deliver(webhook()), 503);
  await receiver.keep(credentials);
  assert.equal((await stat(path.join(dataDir, 'demo-receiver.json'))).mode & 0o777, 0o600);
});

test('a webhook with another signature changes nothing', async () => {
  assert.equal(await deliver(webhook('asap'), newWebhookSecret()), 401);
  assert.deepEqual(reports, []);
});

const respond = (decision: string, reason?: string) => ({
  method: 'POST',
  path: '/respond',
  apiKey: undefined,
  body: { decision, ...(reason === undefined ? {} : { reason }) },
});
const report = (status: string) => ({ method: 'POST', path: '/status', apiKey: 'key-1', body: { status } });

for (const [priority, expected] of [
  [undefined, [report('acknowledged')]],
  ['routine', [report('acknowledged')]],
  ['urgent', [respond('accepted'), report('in_progress')]],
  ['asap', [respond('accepted'), report('in_progress'), report('completed')]],
  ['stat', [respond('rejected', 'Ingen ledig sköterska i dag')]],
] as const) {
  test(`it answers the priority ${priority ?? '(none)'}`, async () => {
    assert.equal(await deliver(webhook(priority)), 204);
    assert.deepEqual(reports, expected);
  });
}

/** What it sent with the last status: the number of each type, and of those that are about the patient. */
function lastResults(): Record<string, number> {
  const { body } = reports.at(-1) as { body: { results?: { entry: { resource: Resource }[] } } };
  const resources = body.results?.entry.map(({ resource }) => resource) ?? [];
  for (const { subject } of resources) assert.equal(subject.reference, 'Patient/p1');
  return Object.fromEntries(
    [...Map.groupBy(resources, ({ resourceType }) => resourceType)].map(([type, all]) => [type, all.length]),
  );
}

interface Resource {
  readonly resourceType: string;
  readonly subject: { readonly reference: string };
}

test('it reports values while it works on a plan of the demo, and all of them with the forms at the end', async () => {
  const form = { resourceType: 'Questionnaire', url: buildQuestionnaire(FORMS.copd).url };
  const plan = {
    subject: { reference: 'Patient/p1', display: 'Anneli Korhonen' },
    instantiatesCanonical: [`${PLANS.copd.url}|1`],
    contained: [{ resourceType: 'PlanDefinition', url: PLANS.copd.url }, form],
  };
  assert.equal(await deliver(webhook('urgent', 'request.dispatched', plan)), 204);
  const { Observation: first = 0, QuestionnaireResponse: early } = lastResults();
  assert.ok(first > 0 && early === undefined);
  assert.equal(await deliver(webhook('asap', 'request.dispatched', plan)), 204);
  const { Observation: all = 0, QuestionnaireResponse: answers } = lastResults();
  assert.ok(all > first && answers === 1);
  assert.equal(await deliver(webhook('routine', 'request.dispatched', plan)), 204);
  assert.deepEqual(lastResults(), {}, 'nothing is reported of what is only acknowledged');
});

test('it reaches dispatch on its own machine, whatever its public address is', async () => {
  const publicUrl = 'https://demo.example/dispatch';
  const folder = path.join(dataDir, 'behind-a-proxy');
  const proxied = await startDemoReceiver({
    port: 0,
    dataDir: folder,
    clock,
    dispatch: { publicUrl, localUrl: origin },
  });
  await proxied.keep(credentials);
  const body = webhook('urgent').replaceAll(origin, publicUrl);
  assert.equal(await deliver(body, secret, proxied.url), 204);
  await proxied.close();
  assert.deepEqual(reports, [respond('accepted'), report('in_progress')]);
});

test('it confirms a message only when dispatch has its response, or no longer needs it', async () => {
  status = 500;
  assert.equal(await deliver(webhook('asap')), 500);
  status = 410;
  assert.equal(await deliver(webhook('asap')), 204);
});

test('other events are received and ignored', async () => {
  assert.equal(await deliver(webhook(undefined, 'request.withdrawn')), 204);
  assert.deepEqual(reports, []);
});

test('it shows what has arrived, without the capability', async () => {
  const text = await (await fetch(receiver.url)).text();
  assert.match(text, /request\.withdrawn/);
  assert.doesNotMatch(text, /very-secret-token/);
});

test('a second start knows the secret, and takes another port when its own is taken', async () => {
  const second = await startDemoReceiver({ port: 0, dataDir, clock });
  assert.notEqual(second.url, receiver.url);
  assert.equal(await deliver(webhook(), secret, second.url), 204);
  await second.close();
});

test('a later start has the same address', async () => {
  const { url } = receiver;
  await receiver.close();
  receiver = await startDemoReceiver({ port: 0, dataDir, clock });
  assert.equal(receiver.url, url);
});
