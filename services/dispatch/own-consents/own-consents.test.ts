// A patient's own consents (decision L3, docs/adr/0073). The tests check what they do at every question to the gate,
// for every record of the person, and who may not change them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { replaceRecords } from '../persons/store.ts';
import { PATIENT, pageVisits } from '../testing/page-visits.ts';
import { startReceiver } from '../testing/receiver.ts';
import { createSendingBench } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, db, sending } = bench;
const { linked, post } = pageVisits(bench);
const OWN = '/api/v1/own-consents';

/** A patient who is signed in; the records are linked to them, as identity says. */
async function person(...records: string[]): Promise<{ as: string; patientGuid: string }> {
  const patientGuid = newGuid();
  bench.callers[patientGuid] = makePrincipal(['patient'], {
    id: patientGuid,
    patientGuid,
    linkedRecords: { engine: [], dispatch: records },
  });
  await replaceRecords(db, [{ patientGuid, records }]);
  return { as: patientGuid, patientGuid };
}

async function give(as: string, decision: 'permit' | 'deny', more: object = {}): Promise<string> {
  const { status, body } = await call(as, 'POST', OWN, { decision, ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return body.consent_guid;
}

const push = (id: string) => call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
const reasonsOf = async (id: string) =>
  (await bench.matches(id)).map(({ status, blockedReason }) => blockedReason ?? status);

/** A provider with an endpoint that is down, and its key. */
async function provider(t: { after(hook: () => Promise<void>): void }) {
  const receiver = await startReceiver(t);
  receiver.answer(503);
  const guid = newGuid();
  bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  await call('admin', 'PUT', `/api/v1/providers/${guid}/endpoint`, { url: receiver.url });
  return { guid, receiver };
}

async function deliveryStates(id: string): Promise<string[]> {
  const { rows } = await db.query<{ status: string }>(
    `SELECT d.status FROM delivery d JOIN match m USING (request_guid) WHERE m.service_request_id = $1`,
    [id],
  );
  return rows.map(({ status }) => status);
}

test('a permission of one’s own opens the push for every linked record; its end closes it again', async () => {
  const { id, patientGuid: record } = await bench.request([newGuid()], 'none');
  assert.equal((await push(id)).status, 403);
  const { as } = await person(record);
  const consent = await give(as, 'permit');
  assert.equal((await push(id)).status, 202);
  const second = await bench.request([newGuid()], 'none');
  await replaceRecords(db, [{ patientGuid: as, records: [record, second.patientGuid] }]);
  const ended = await call(as, 'POST', `${OWN}/${consent}/end`);
  assert.deepEqual([ended.status, ended.body.status], [200, 'ended']);
  assert.equal((await push(second.id)).status, 403);
  assert.deepEqual(await reasonsOf(second.id), ['consent_missing']);
  const again = await call(as, 'POST', `${OWN}/${consent}/end`);
  assert.deepEqual([again.status, again.body.updated_at], [200, ended.body.updated_at], 'again changes nothing');
});

test('a denial takes precedence over what staff recorded, at the record it was not written for, and ends with the link', async () => {
  const { id, patientGuid: record } = await bench.request([newGuid()], 'permit');
  const { as } = await person(record);
  await give(as, 'deny');
  assert.equal((await push(id)).status, 403);
  assert.deepEqual(await reasonsOf(id), ['consent_denied']);
  await replaceRecords(db, [{ patientGuid: as, records: [] }]);
  assert.equal((await push(id)).status, 202, 'the record is not this person’s any more');
});

test('what was decided at an account that was merged counts for all records of the person, who sees and ends it', async () => {
  const { id, patientGuid: record } = await bench.request([newGuid()], 'permit');
  const former = await person();
  const denial = await give(former.as, 'deny');
  const { as } = await person(record, former.patientGuid);
  assert.equal((await push(id)).status, 403, 'an administrator who merges ends no denial');
  assert.deepEqual(await reasonsOf(id), ['consent_denied']);
  const listed = await call(as, 'GET', OWN);
  assert.deepEqual(
    listed.body.data.map(({ consent_guid: guid }: { consent_guid: string }) => guid),
    [denial],
  );
  const preview = await call(as, 'POST', `${OWN}/preview`, { ends: denial });
  assert.equal(preview.status, 200);
  const stranger = await person(newGuid());
  for (const path of [`${OWN}/${denial}/end`, `${OWN}/${newGuid()}/end`])
    assert.equal((await call(stranger.as, 'POST', path)).status, 404);
  assert.equal((await call(stranger.as, 'POST', `${OWN}/preview`, { ends: denial })).status, 404);
  const ended = await call(as, 'POST', `${OWN}/${denial}/end`);
  assert.deepEqual([ended.status, ended.body.status], [200, 'ended']);
  assert.equal((await push(id)).status, 202);
  const own = await bench.request([newGuid()], 'permit');
  await replaceRecords(db, [{ patientGuid: own.patientGuid, records: [former.patientGuid] }]);
  await give(former.as, 'deny');
  assert.equal((await push(own.id)).status, 403, 'also for the record under the own guid');
});

test('a denial for one provider concerns that provider; one that has not begun or is over concerns nobody', async () => {
  const [home, away] = [newGuid(), newGuid()];
  for (const guid of [home, away]) await bench.put({ resourceType: 'Organization', id: guid, name: guid });
  const { id, patientGuid: record } = await bench.request([home, away]);
  const { as } = await person(record);
  await give(as, 'deny', { organisation_guid: home });
  await give(as, 'deny', { starts_on: '2026-06-16' });
  bench.clock.time -= 86_400_000;
  await give(as, 'deny', { ends_on: '2026-06-14' });
  bench.clock.time += 86_400_000;
  assert.equal((await push(id)).status, 202);
  const found = new Map((await bench.matches(id)).map((match) => [match.providerGuid, match]));
  assert.deepEqual([found.get(home)?.blockedReason, found.get(away)?.status], ['consent_denied', 'pushed']);
});

test('from the commit on a queued delivery is cancelled at its attempt, a waiting one at the next', async (t) => {
  const { guid } = await provider(t);
  const queued = await bench.request([guid]);
  const { as } = await person(queued.patientGuid);
  await push(queued.id);
  const denial = await give(as, 'deny');
  await sending.worker.runOnce();
  assert.deepEqual(await deliveryStates(queued.id), ['cancelled']);
  await call(as, 'POST', `${OWN}/${denial}/end`);
  const waiting = await bench.request([guid]);
  await replaceRecords(db, [{ patientGuid: as, records: [queued.patientGuid, waiting.patientGuid] }]);
  await push(waiting.id);
  await sending.worker.runOnce();
  assert.deepEqual(await deliveryStates(waiting.id), ['waiting']);
  await give(as, 'deny');
  bench.clock.time += 60_000;
  await sending.worker.runOnce();
  assert.deepEqual(await deliveryStates(waiting.id), ['cancelled']);
  const feed = await call(guid, 'GET', `/api/v1/requests?provider_guid=${guid}`);
  assert.deepEqual(
    feed.body.requests.map(({ bundle }: { bundle: unknown }) => bundle),
    [null, null],
    'the feed shows no data any more',
  );
});

test('withdrawn while a nurse writes a report: the report is kept, and the page shows nothing of the patient', async () => {
  const { id, tokens, patientGuid: record } = await linked(1);
  const [token = ''] = tokens;
  const { as } = await person(record);
  await post({ token, decision: 'accepted' });
  assert.match((await post({ token })).text, PATIENT, 'the form is open in front of the nurse');
  await give(as, 'deny');
  const reported = await post({ token, action: 'report', progress: 'in_progress', note: 'Såret läker' });
  assert.equal(reported.status, 200);
  assert.doesNotMatch(reported.text, PATIENT);
  const [match] = await bench.matches(id);
  assert.deepEqual([match?.progress, match?.progressNote], ['in_progress', 'Såret läker']);
  assert.doesNotMatch((await post({ token })).text, PATIENT);
});

test('the preview names the requests and providers that a decision would concern, in words, and changes nothing', async () => {
  const { id, patientGuid: record } = await bench.request([newGuid(), newGuid()]);
  const { as } = await person(record);
  await push(id);
  const open = await bench.request([newGuid()]);
  await replaceRecords(db, [{ patientGuid: as, records: [record, open.patientGuid] }]);
  Object.assign(bench.callers[as] ?? {}, { linkedRecords: { engine: [], dispatch: [record, open.patientGuid] } });
  const preview = (body: object) => call(as, 'POST', `${OWN}/preview`, body);
  const { status, body } = await preview({ decision: 'deny' });
  assert.equal(status, 200, JSON.stringify(body));
  const shown = body.affected.map((each: Record<string, unknown>) => [
    each['match_status'],
    each['before'],
    each['after'],
  ]);
  assert.deepEqual(shown, [
    ['pending', 'permitted', 'consent_denied'],
    ['pushed', 'permitted', 'consent_denied'],
    ['pushed', 'permitted', 'consent_denied'],
  ]);
  assert.match(body.affected[0].text, /^Ingenting skickas till Provider/);
  assert.deepEqual([body.unaffected, body.has_more], [0, false]);
  assert.deepEqual((await preview({ decision: 'permit' })).body.affected, [], 'permitted already');
  assert.equal((await call(as, 'GET', OWN)).body.total, 0, 'nothing was stored');
  const later = await preview({ decision: 'deny', starts_on: '2026-07-01' });
  assert.equal(later.body.at, '2026-06-30T22:00:00.000Z');
  assert.equal(later.body.affected.length, 3);
  const denial = await give(as, 'deny');
  const end = await preview({ ends: denial });
  assert.deepEqual(
    end.body.affected.map(({ before, after: then }: { before: string; after: string }) => [before, then]),
    Array.from({ length: 3 }, () => ['consent_denied', 'permitted']),
  );
  const { as: stranger } = await person();
  assert.equal((await call(stranger, 'POST', `${OWN}/preview`, { ends: denial })).status, 404);
  assert.equal((await call(stranger, 'POST', `${OWN}/${denial}/end`)).status, 404);
  for (const wrong of [{}, { ends: denial, decision: 'deny' }, { ends: denial, starts_on: '2026-07-01' }]) {
    assert.equal((await preview(wrong)).status, 400, JSON.stringify(wrong));
  }
});

test('issues are named; a hundred decisions are in force at most, also when they race', async () => {
  const { as } = await person();
  for (const wrong of [
    { decision: 'perhaps' },
    { decision: 'deny', starts_on: '2026-06-31' },
    { decision: 'deny', starts_on: '2026-07-02', ends_on: '2026-07-01' },
    { decision: 'deny', organisation_guid: 'a/b' },
    { decision: 'deny', patient_guid: newGuid() },
  ]) {
    const refused = await call(as, 'POST', OWN, wrong);
    assert.deepEqual([refused.status, refused.body.error], [400, 'validation_error'], JSON.stringify(wrong));
  }
  const past = { decision: 'deny', starts_on: '2026-06-16', ends_on: '2026-06-14' };
  for (const path of [OWN, `${OWN}/preview`]) {
    const { status, body } = await call(as, 'POST', path, past);
    const both = ["'ends_on' must not be before 'starts_on'", "'ends_on' must not have passed: today is 2026-06-15"];
    assert.deepEqual([status, body.messages], [400, both], path);
  }
  assert.equal((await call(as, 'POST', `${OWN}/preview`, { decision: 'deny', ends_on: '2026-06-15' })).status, 200);
  for (let index = 0; index < 97; index += 1) await give(as, 'deny');
  const raced = await atOnce(Array.from({ length: 8 }, () => () => call(as, 'POST', OWN, { decision: 'deny' })));
  const statuses = raced.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [201, 201, 201, 422, 422, 422, 422, 422]);
  const first = await call(as, 'GET', `${OWN}?per_page=200`);
  assert.deepEqual([first.body.total, first.body.data.length], [100, 100]);
});
