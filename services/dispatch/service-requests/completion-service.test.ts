// Completion inside a provider's transaction: its conditions, what it writes, and that it happens once (decision D3).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { objectOf, objectsOf } from '#fhir/json/objects.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { newGuid } from '#lib/guid.ts';
import type { MatchState } from '../shared/match-lifecycle.ts';
import { insertMatches, listMatches, updateMatch } from '../shared/match-store.ts';
import { createRecords } from '../shared/records.ts';
import { createTextWork } from '../shared/text-tasks.ts';
import { makeActive } from '../testing/samples.ts';
import { assertValid, makeSite } from '../testing/site.ts';
import { createCompletion } from './completion-service.ts';

const site = await makeSite({ after });
const { call, database, clock } = site;
const texts = createTextWork();
const applyProgress = createCompletion({
  texts,
  records: createRecords(
    createFhirStore({ parameters: loadSearchParameters(), clock, validate: validateResource }),
    texts,
  ),
  audit: createAudit({ database, clock, service: 'dispatch' }),
  clock,
});

/** An active request with matches in these states, and its status after `applyProgress`. */
async function complete(states: readonly MatchState[]): Promise<{ id: string; status: string | undefined }> {
  const id = await makeActive(site);
  const now = new Date(clock.now());
  const fresh = states.map((_, index) => ({
    matchGuid: newGuid(),
    providerGuid: `provider-${index}`,
    providerName: `Provider ${index}`,
    contractGuid: `contract-${index}`,
    providerOrganisationGuid: undefined,
  }));
  await insertMatches(database, id, fresh, now);
  for (const [index, match] of (await listMatches(database, id)).entries()) {
    const state = states[index];
    if (state === undefined || state.status === 'pending') continue;
    const results = [`https://engine.example/api/v1/Observation/o${index}`];
    await updateMatch(database, match, { ...state, requestGuid: newGuid(), pushedAt: now, results }, now);
  }
  const change = { serviceRequestId: id, principal: undefined };
  return { id, status: await database.transaction((tx) => applyProgress(tx, change)) };
}

const DONE: MatchState = { status: 'accepted', progress: 'completed' };

test('the request completes when an accepted match is completed and none is open', async () => {
  assert.equal((await complete([DONE])).status, 'completed');
  const declined: MatchState = { status: 'rejected', progress: 'rejected' };
  const failed: MatchState = { status: 'accepted', progress: 'rejected' };
  assert.equal((await complete([DONE, declined, failed])).status, 'completed');
  assert.equal((await complete([declined])).status, 'active');
  assert.equal((await complete([failed])).status, 'active', 'the requester decides');
  for (const open of [
    { status: 'pushed', progress: 'none' },
    { status: 'pushed', progress: 'acknowledged' },
    { status: 'accepted', progress: 'in_progress' },
  ] as const) {
    assert.equal((await complete([DONE, open])).status, 'active');
  }
});

test('the ServiceRequest and its CarePlan show it in valid FHIR; of several providers each result once', async () => {
  const { id } = await complete([DONE, DONE, { status: 'pending', progress: 'none' }]);
  const request = await call('GET', `ServiceRequest/${id}`);
  assertValid(request.body);
  assert.equal(request.body['status'], 'completed');
  const carePlan = await call('GET', String(objectsOf(request.body['basedOn'])[1]?.['reference']));
  assertValid(carePlan.body);
  const [activity] = objectsOf(carePlan.body['activity']);
  assert.deepEqual(
    objectsOf(activity?.['performedActivity']).map(({ reference }) => objectOf(reference)?.['reference']),
    ['https://engine.example/api/v1/Observation/o0', 'https://engine.example/api/v1/Observation/o1'],
  );
  assert.equal(objectsOf(activity?.['progress']).length, 2);
  const states = (await listMatches(database, id)).map(({ status, withdrawnReason }) => [status, withdrawnReason]);
  assert.deepEqual(states.at(-1), ['withdrawn', 'completed']);
});

test('fifty reports at once complete it once', async () => {
  const { id } = await complete([DONE]);
  const change = { serviceRequestId: id, principal: undefined };
  const statuses = await Promise.all(
    Array.from({ length: 50 }, () => database.transaction((tx) => applyProgress(tx, change))),
  );
  assert.ok(statuses.every((status) => status === 'completed'));
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*) AS count FROM audit_event WHERE resource LIKE '%service-request.complete%' AND resource LIKE $1`,
    [`%ServiceRequest/${id}%`],
  );
  assert.equal(rows[0]?.count, 1);
});

test('an unknown request has no status', async () => {
  const change = { serviceRequestId: newGuid(), principal: undefined };
  assert.equal(await database.transaction((tx) => applyProgress(tx, change)), undefined);
});
