// Requesters and providers at once, in any order (decisions D3, D5): whatever happens, the invariants of the two machines hold.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { objectsOf } from './shared/json.ts';
import { listMatches } from './shared/match-store.ts';
import { isWorkDone } from './shared/service-request-lifecycle.ts';
import { findServiceRequest } from './shared/service-request-store.ts';
import { makeActive } from './testing/samples.ts';
import { assertValid, makeSite } from './testing/site.ts';

const site = await makeSite({ after });
const { call, world, database } = site;
const PROVIDERS = ['1', '2', '3'].map((number) => `019a0000-0000-7000-8000-00000000e00${number}`);
world.contracts = PROVIDERS.map((provider, index) => ({
  contract_guid: `contract-${index}`,
  provider_guid: provider,
  provider_name: `Provider ${index}`,
}));

/** A fixed sequence of choices for each seed (mulberry32), so that a failure can be played again. */
function chooser(seed: number): <T>(items: readonly T[]) => T {
  let state = seed;
  return (items) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const index = ((mixed ^ (mixed >>> 14)) >>> 0) % items.length;
    const item = items[index];
    if (item === undefined) throw new Error('Nothing to choose from');
    return item;
  };
}

type Act = (id: string, choose: <T>(items: readonly T[]) => T) => Promise<number>;

const post = async (path: string, body?: unknown) =>
  (await call('POST', path, body === undefined ? {} : { body })).status;

/** What was pushed to a provider of this request, by its feed. */
async function requestOf(id: string, provider: string): Promise<{ guid: string; token: string } | undefined> {
  const { body } = await call('GET', `requests?provider_guid=${provider}&limit=200`, { as: 'admin' });
  const found = objectsOf(body['requests']).find((request) => request['service_request_id'] === id);
  return found && { guid: String(found['request_guid']), token: String(found['receipt_token']) };
}

const respond: Act = async (id, choose) => {
  const request = await requestOf(id, choose(PROVIDERS));
  if (request === undefined) return 404;
  const decision = choose(['accepted', 'accepted', 'rejected']);
  return post(`ServiceRequest/receipt/${request.token}/respond`, { decision });
};

const report: Act = async (id, choose) => {
  const request = await requestOf(id, choose(PROVIDERS));
  if (request === undefined) return 404;
  const status = choose(['acknowledged', 'in_progress', 'completed', 'completed', 'rejected']);
  return (await call('PUT', `requests/${request.guid}/status`, { as: 'admin', body: { status } })).status;
};

const ACTS: readonly Act[] = [
  (id) => post(`ServiceRequest/${id}/match`),
  (id, choose) => post(`ServiceRequest/${id}/push`, choose([{}, { selection: 'first' }, { selection: 'first' }])),
  (id) => post(`ServiceRequest/${id}/hold`),
  (id) => post(`ServiceRequest/${id}/resume`),
  (id) => post(`ServiceRequest/${id}/archive`),
  respond,
  respond,
  respond,
  report,
  report,
  report,
];
const LATE_ACTS: readonly Act[] = [...ACTS, (id) => post(`ServiceRequest/${id}/revoke`)];
/** Nobody accepts, so that revoking has its chance. */
const REFUSED_ACTS: readonly Act[] = LATE_ACTS.filter((act) => act !== respond && act !== report);
const EXPECTED = new Set([200, 202, 403, 404, 409, 410]);

test('random interleavings of all operations by several clients leave no impossible state', async () => {
  const consent = {
    resourceType: 'Consent',
    status: 'active',
    subject: { reference: 'Patient/p1' },
    decision: 'permit',
  };
  await call('PUT', 'Patient/p1', { body: { resourceType: 'Patient', id: 'p1' } });
  assert.equal((await call('POST', 'Consent', { body: consent })).status, 201);
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 20; seed += 1) {
    const choose = chooser(seed);
    const id = await makeActive(site);
    await post(`ServiceRequest/${id}/match`);
    await post(`ServiceRequest/${id}/push`, choose([{}, { selection: 'first' }]));
    for (let wave = 0; wave < 4; wave += 1) {
      const acts = Array.from({ length: 6 }, () => choose(seed % 4 === 0 ? REFUSED_ACTS : wave < 2 ? ACTS : LATE_ACTS));
      const statuses = await Promise.all(acts.map((act) => act(id, choose)));
      for (const status of statuses) assert.ok(EXPECTED.has(status), `seed ${seed}: ${status}`);
      outcomes.add(await assertPossible(id, seed));
    }
  }
  for (const wanted of ['active', 'completed', 'revoked']) {
    assert.ok(
      [...outcomes].some((outcome) => outcome.startsWith(wanted)),
      `${wanted} was reached: ${[...outcomes]}`,
    );
  }
});

async function assertPossible(id: string, seed: number): Promise<string> {
  const record = await findServiceRequest(database, id);
  assert.ok(record);
  const matches = await listMatches(database, id);
  const at = (text: string) => `seed ${seed}: ${text} in ${JSON.stringify({ record: record.status, matches })}`;
  const accepted = matches.filter(({ status }) => status === 'accepted');
  const open = matches.filter(
    ({ status, progress }) =>
      status === 'pushed' || (status === 'accepted' && progress !== 'completed' && progress !== 'rejected'),
  );
  assert.ok(accepted.filter(({ isExclusive }) => isExclusive).length <= 1, at('two exclusive acceptances'));
  if (record.status === 'revoked') assert.equal(accepted.length, 0, at('an acceptance of what is revoked'));
  if (record.status === 'revoked' || record.status === 'completed') {
    assert.ok(!matches.some(({ status }) => status === 'pending'), at('a match still pending'));
    assert.equal(open.length, 0, at('something open at the end'));
  }
  assert.equal(record.status === 'completed', isWorkDone(matches) && record.status !== 'on-hold', at('completion'));
  if (record.archivedAt !== undefined) assert.equal(open.length, 0, at('something open in the archive'));
  for (const match of matches) {
    if (match.progress === 'in_progress' || match.progress === 'completed')
      assert.equal(match.status, 'accepted', at('work'));
  }
  const { body } = await call('GET', `ServiceRequest/${id}`);
  assertValid(body);
  assert.equal(body['status'], record.status, at('another status in FHIR'));
  return record.status;
}
