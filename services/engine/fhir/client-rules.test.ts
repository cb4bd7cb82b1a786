// Clients may not store active Subscriptions, or audit events that claim to be Kedja's. Audit events of other systems
// are accepted.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { newGuid } from '#lib/guid.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';

const key = (scopes: string[]) => principalOfKey({ keyGuid: newGuid(), scopes, providerGuid: undefined });
const { call } = await startTestEngine(
  { after },
  { callers: { keyOfLab: key(['system/AuditEvent.c']), keyReader: key(['system/AuditEvent.rs']) } },
);

const event = (more: object = {}) => ({
  resourceType: 'AuditEvent',
  category: [{ text: 'import' }],
  code: { coding: [{ system: 'https://lab.example.org/events', code: 'result-viewed' }] },
  recorded: '2026-03-01T08:00:00Z',
  agent: [{ who: { display: 'Lab system' }, requestor: true }],
  source: { observer: { display: 'lab.example.org' } },
  ...more,
});
const subscription = (status: string) => ({
  resourceType: 'Subscription',
  status,
  topic: 'https://example.org/topics/admission',
  channelType: { system: 'http://terminology.hl7.org/CodeSystem/subscription-channel-type', code: 'rest-hook' },
  endpoint: 'https://example.org/hook',
});

test('an audit event of another system is taken from staff and keys that may, and found', async () => {
  const made = await call('planner', 'POST', '/AuditEvent', event());
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await call('admin', 'GET', `/AuditEvent/${made.body.id}`)).status, 200);
  const { body } = await call('admin', 'GET', '/AuditEvent?code=https://lab.example.org/events|result-viewed');
  assert.ok(body.total > 0);
  assert.equal((await call('keyOfLab', 'POST', '/AuditEvent', event())).status, 201);
  for (const caller of ['patient', 'keyReader']) {
    assert.equal((await call(caller, 'POST', '/AuditEvent', event())).status, 403, caller);
  }
  assert.equal((await call(undefined, 'POST', '/AuditEvent', event())).status, 401);
});

test('an audit event is never changed or deleted, whatever its source and by any interaction', async () => {
  const { body: made } = await call('admin', 'POST', '/AuditEvent', event());
  const address = `/AuditEvent/${made.id}`;
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    assert.equal((await call('admin', method, address, method === 'DELETE' ? undefined : made)).status, 405, method);
  }
  const changes = ['PUT', 'DELETE'].map((method) => ({
    request: { method, url: `AuditEvent/${made.id}` },
    ...(method === 'PUT' ? { resource: made } : {}),
  }));
  const { body: batch } = await call('admin', 'POST', '/', { resourceType: 'Bundle', type: 'batch', entry: changes });
  for (const { response } of batch.entry) assert.match(response.status, /^405/);
  const labels = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] };
  assert.ok([404, 405].includes((await call('admin', 'POST', `${address}/$meta-add`, labels)).status));
  assert.equal((await call('admin', 'GET', address)).body.meta.versionId, '1');
});

test('an audit event that claims to be one of ours is refused, each mark by name; the services ship theirs', async () => {
  const forged = event({
    code: { coding: [{ system: 'https://kedja.dev/codes/audit-event', code: 'patient.read' }] },
    source: { observer: { display: ' Kedja-engine' } },
  });
  const refused = await call('admin', 'POST', '/AuditEvent', forged);
  assert.equal(refused.status, 422);
  const places = refused.body.issue.map(({ expression }: { expression: string[] }) => expression[0]);
  assert.deepEqual(places, ['AuditEvent.source.observer', 'AuditEvent.code']);
  const entry = [{ resource: forged, request: { method: 'POST', url: 'AuditEvent' } }];
  for (const type of ['transaction', 'batch']) {
    const { status, body } = await call('admin', 'POST', '/', { resourceType: 'Bundle', type, entry });
    assert.ok(status === 422 || body.entry[0].response.status.startsWith('422'), type);
  }
  const id = newGuid();
  assert.equal(
    (
      await call('service', 'POST', '/audit-events', {
        events: [{ ...forged, id, source: { observer: { display: 'kedja-dispatch' } } }],
      })
    ).status,
    204,
  );
  assert.equal((await call('admin', 'GET', `/AuditEvent/${id}`)).status, 200);
});

test('a Subscription is refused that would ask for notifications, however it is written; one at rest is kept', async () => {
  for (const status of ['requested', 'active', 'error']) {
    const refused = await call('admin', 'POST', '/Subscription', subscription(status));
    assert.equal(refused.status, 422, status);
    assert.deepEqual(refused.body.issue[0].expression, ['Subscription.status']);
    assert.match(refused.body.issue[0].details.text, /not carried out here/);
  }
  const kept = await call('admin', 'POST', '/Subscription', subscription('off'));
  assert.equal(kept.status, 201, JSON.stringify(kept.body));
  const address = `/Subscription/${kept.body.id}`;
  assert.equal((await call('admin', 'PUT', address, { ...kept.body, status: 'active' })).status, 422);
  const change = [
    { name: 'type', valueCode: 'replace' },
    { name: 'path', valueString: 'Subscription.status' },
    { name: 'value', valueCode: 'requested' },
  ];
  const patch = { resourceType: 'Parameters', parameter: [{ name: 'operation', part: change }] };
  assert.equal((await call('admin', 'PATCH', address, patch)).status, 422);
  const entry = [{ resource: subscription('requested'), request: { method: 'POST', url: 'Subscription' } }];
  assert.equal((await call('admin', 'POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status, 422);
  assert.equal((await call('admin', 'GET', address)).body.status, 'off');
  const { body: statement } = await call(undefined, 'GET', '/metadata');
  const claimed = statement.rest[0].resource.find(({ type }: { type: string }) => type === 'Subscription');
  assert.match(claimed.documentation, /not carried out/);
});
