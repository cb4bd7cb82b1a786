// An access check of a ServiceRequest says what dispatch then does (docs/adr/0105). That holds for the requester's acts
// by the state, for pushes by consent, and for providers by what was pushed to them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { makeActive, makeDraft } from '../testing/samples.ts';
import { CALLERS, makeSite, ORGANISATION } from '../testing/site.ts';

const guid = (end: string) => `01900000-0000-7000-8000-00000000${end}`;
const anna = { ...CALLERS['anna']!, id: guid('a001') };
const bo = { ...CALLERS['bo']!, id: guid('a002') };
const idle = makePrincipal(['professional', 'clinician'], { id: guid('a003'), organisationGuids: [ORGANISATION] });
const patient = { ...CALLERS['patient']!, id: guid('a004') };
/** Lets somebody read for the patient p1. */
const friend = makePrincipal(['patient'], {
  id: guid('a005'),
  patientGuid: 'p2',
  proxyFor: [{ patientGuid: 'p1', may: 'read' }],
});
const UNTIL = '2026-12-31T23:00:00.000Z';
const key = principalOfKey({ keyGuid: guid('b001'), scopes: ['system/Patient.rs'], organisationGuid: ORGANISATION });
const users = new Map([anna, bo, idle, patient, friend].map((principal) => [principal.id, principal]));
const site = await makeSite(
  { after },
  { anna, bo, idle, patient, friend, key },
  {
    readProxies: async (id) => {
      if (id !== friend.id) return [];
      const granted = { kind: 'proxy', may: 'read', status: 'active', endsAt: UNTIL } as const;
      return [{ ...granted, patientGuid: 'p1', records: ['p1'], endedAt: undefined, endedBy: undefined }];
    },
    readContact: async (id) => {
      const principal = users.get(id);
      return principal && { principal, email: 'a@example.org', name: undefined };
    },
    engineFetch: async (_path, { json } = {}) => {
      const isKey = (json as { key_guid?: string }).key_guid === key.id;
      const live = { active: true, key_guid: key.id, scopes: key.scopes, organisation_guid: ORGANISATION };
      return { status: 200, headers: {}, text: JSON.stringify(isKey ? live : { active: false }) };
    },
  },
);
site.world.contracts = [
  { contract_guid: 'contract-1', provider_guid: 'provider-1', provider_name: 'Hemvården' },
  { contract_guid: 'contract-2', provider_guid: 'provider-2', provider_name: 'Rehab' },
];

interface Act {
  readonly act: string;
  readonly allowed: boolean;
  readonly acting_for?: string;
  readonly match?: { readonly provider_guid: string };
  readonly rules: readonly { readonly rule: string; readonly reason: string; readonly given: readonly string[] }[];
}

async function actsOf(caller: object, id: string, as = 'admin'): Promise<Act[]> {
  const body = { caller, resource_type: 'ServiceRequest', id };
  const answer = await site.call('POST', 'access-checks', { as, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body['acts'] as Act[];
}

const user = ({ id }: { id: string }) => ({ kind: 'user', guid: id });
const lastOf = (acts: readonly Act[], act: string, provider?: string) =>
  acts
    .find((each) => each.act === act && (provider === undefined || each.match?.provider_guid === provider))
    ?.rules.at(-1)?.reason;

const consents = (decision: string) => ({
  resourceType: 'Consent',
  status: 'active',
  subject: { reference: 'Patient/p1' },
  decision,
});

test('the requester’s acts follow role, organisation and state, as the requests do', async () => {
  const draft = await makeDraft(site);
  const acts = await actsOf(user(anna), draft);
  const allowed = acts.filter((each) => each.allowed).map(({ act }) => act);
  for (const act of ['read', 'edit-snapshot', 'edit-forms', 'finalize', 'revoke', 'archive'])
    assert.ok(allowed.includes(act), act);
  for (const act of ['match', 'hold', 'resume']) assert.equal(lastOf(acts, act), 'state_refuses', act);
  assert.equal(lastOf(await actsOf(user(bo), draft), 'finalize'), 'other_organisation');
  assert.equal(lastOf(await actsOf(user(idle), draft), 'finalize'), 'phase_missing');
  assert.equal(lastOf(await actsOf(user(patient), draft), 'finalize'), 'role_missing');
  assert.equal(lastOf(await actsOf(user({ id: guid('ffff') }), draft), 'finalize'), 'credentials_missing');
  assert.equal((await site.call('POST', `ServiceRequest/${draft}/match`)).status, 409);
  assert.equal((await site.call('POST', `ServiceRequest/${draft}/finalize`, { as: 'bo', body: {} })).status, 404);
  assert.equal((await site.call('POST', `ServiceRequest/${draft}/finalize`, { as: 'idle', body: {} })).status, 403);
});

test('a push is decided by the consent gate, and what providers do by what was pushed to them', async () => {
  const id = await makeActive(site);
  assert.equal((await site.call('POST', `ServiceRequest/${id}/match`)).status, 200);
  assert.equal(lastOf(await actsOf(user(anna), id), 'push'), 'consent_missing');
  assert.equal((await site.call('POST', `ServiceRequest/${id}/push`, { body: {} })).status, 403, 'as the push says');
  assert.equal((await site.call('POST', 'Consent', { body: consents('permit') })).status, 201);
  const permitted = (await actsOf(user(anna), id)).find(({ act }) => act === 'push');
  assert.equal(permitted?.rules.at(-1)?.reason, 'consent_given');
  assert.match(permitted?.rules.at(-1)?.given[0] ?? '', /^Consent\//);
  const { body } = await site.call('GET', `ServiceRequest/${id}/matches`);
  const [first] = body['data'] as { match_guid: string; provider_guid: string }[];
  assert.equal((await site.call('POST', `ServiceRequest/${id}/push/${first?.match_guid}`, { body: {} })).status, 202);
  const provider = { kind: 'provider', guid: first?.provider_guid };
  const acts = await actsOf(provider, id);
  for (const act of ['feed', 'accept', 'report'])
    assert.equal(acts.find((each) => each.act === act)?.allowed, true, act);
  assert.equal(lastOf(acts, 'finalize'), 'role_missing');
  const others = await actsOf({ kind: 'provider', guid: 'provider-3' }, id);
  assert.ok(!others.some(({ act }) => act === 'feed'), 'another provider has no acts with it');
  assert.equal((await site.call('POST', 'Consent', { body: consents('deny') })).status, 201);
  assert.equal(lastOf(await actsOf(provider, id), 'feed'), 'consent_denied');
});

test('a proxy sees what a patient has closed to providers, and may not plan or consent in their place', async () => {
  const id = await makeActive(site);
  assert.equal((await site.call('POST', 'Consent', { body: consents('deny') })).status, 201);
  const acts = (await actsOf(user(friend), id)).filter(({ acting_for: patientGuid }) => patientGuid === 'p1');
  const read = acts.find(({ act }) => act === 'read');
  assert.deepEqual(
    [read?.allowed, read?.rules.map(({ reason, given }) => [reason, ...given])],
    [true, [['is_proxy', 'read', UNTIL], ['role_held', 'patient'], ['own_record']]],
  );
  for (const act of ['finalize', 'edit-forms', 'revoke']) assert.equal(lastOf(acts, act), 'closed_to_proxies', act);
  assert.ok(!acts.some(({ act }) => act === 'push' || act === 'feed'));
});

test('a key is known by its guid, and its scopes decide', async () => {
  const id = await makeDraft(site);
  const caller = { kind: 'api_key', guid: key.id };
  assert.equal(lastOf(await actsOf(caller, id), 'read'), 'role_missing', 'no scope reaches requests');
  const patientBody = { resourceType: 'Patient', name: [{ family: 'Ek' }] };
  const made = await site.call('POST', 'Patient', { body: patientBody });
  const check = { caller, resource_type: 'Patient', id: made.body['id'] };
  const { body, text } = await site.call('POST', 'access-checks', { as: 'admin', body: check });
  const acts = body['acts'] as Act[];
  assert.equal(lastOf(acts, 'read'), 'own_organisation');
  assert.equal(lastOf(acts, 'delete'), 'scope_missing');
  assert.doesNotMatch(text, /Ek/);
  assert.equal((await site.call('DELETE', `Patient/${made.body['id']}`, { as: 'key' })).status, 403);
});

test('only administrators ask, and each question is audited', async () => {
  const id = await makeDraft(site);
  const body = { caller: user(bo), resource_type: 'ServiceRequest', id };
  for (const as of ['anna', 'patient', 'provider', 'key', 'service'])
    assert.equal((await site.call('POST', 'access-checks', { as, body })).status, 403, as);
  await actsOf(user(bo), id);
  const { rows } = await site.database.query<{ resource: string }>(
    "SELECT resource FROM audit_event WHERE event = 'access-check.decide' ORDER BY event_guid DESC LIMIT 1",
  );
  assert.match(rows[0]?.resource ?? '', new RegExp(`ServiceRequest/${id}`));
  assert.match(rows[0]?.resource ?? '', /Patient\/p1/);
});
