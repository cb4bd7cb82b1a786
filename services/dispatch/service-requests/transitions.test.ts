// Every operation in every state over HTTP, its effects, and races (decision D3).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { objectsOf } from '#fhir/json/objects.ts';
import { newGuid } from '#lib/guid.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import type { Progress } from '../shared/match-lifecycle.ts';
import { insertMatches, listMatches, updateMatch } from '../shared/match-store.ts';
import { moveServiceRequest, type ServiceRequestEvent, type Standing } from '../shared/service-request-lifecycle.ts';
import { makeActive, makeDraft, PLAN } from '../testing/samples.ts';
import { assertValid, makeSite } from '../testing/site.ts';

const site = await makeSite({ after });
const { call, world, database } = site;
world.contracts = [{ contract_guid: 'c1', provider_guid: 'provider-1', provider_name: 'Hemvården' }];

/** A request in the given state, without matches. */
async function makeIn(standing: Standing): Promise<string> {
  const id = standing === 'draft' || standing === 'archived' ? await makeDraft(site) : await makeActive(site);
  if (standing === 'on-hold') await succeed(id, 'hold');
  if (standing === 'revoked') await succeed(id, 'revoke');
  if (standing === 'archived') await succeed(id, 'archive');
  if (standing === 'completed') {
    await succeed(id, 'hold');
    await addMatch(id, 'completed');
    await succeed(id, 'resume');
  }
  return id;
}

async function succeed(id: string, operation: string): Promise<void> {
  const answer = await call('POST', `ServiceRequest/${id}/${operation}`);
  assert.equal(answer.status, 200, answer.text);
}

/** Adds a match that a provider has accepted. */
async function addMatch(id: string, progress: Progress): Promise<void> {
  const now = new Date(site.clock.now());
  const fresh = {
    matchGuid: newGuid(),
    providerGuid: 'provider-1',
    providerName: 'Hemvården',
    contractGuid: newGuid(),
  };
  await insertMatches(database, id, [{ ...fresh, providerOrganisationGuid: undefined }], now);
  const match = (await listMatches(database, id)).find(({ matchGuid }) => matchGuid === fresh.matchGuid);
  assert.ok(match);
  const pushed = { requestGuid: newGuid(), pushedAt: now, results: ['https://engine.example/api/v1/Observation/o1'] };
  await updateMatch(database, match, { status: 'accepted', progress, progressNote: 'Gick bra', ...pushed }, now);
}

type Operation = Exclude<ServiceRequestEvent, 'push' | 'complete'>;

function perform(operation: Operation, id: string) {
  switch (operation) {
    case 'edit-snapshot':
      return call('PUT', `ServiceRequest/${id}/snapshot`, { body: { plan_definition: PLAN } });
    case 'edit-forms':
      return call('POST', `ServiceRequest/${id}/forms/reorder`, { body: { ordered_guids: [] } });
    default:
      return call('POST', `ServiceRequest/${id}/${operation}`);
  }
}

const OPERATIONS: readonly Operation[] = [
  'edit-snapshot',
  'edit-forms',
  'finalize',
  'match',
  'hold',
  'resume',
  'revoke',
  'archive',
];
const STANDINGS: readonly Standing[] = ['draft', 'active', 'on-hold', 'revoked', 'completed', 'archived'];

for (const operation of OPERATIONS) {
  test(`${operation} in every state: 200 and the next state, or 409 with the state in the message`, async () => {
    for (const standing of STANDINGS) {
      const id = await makeIn(standing);
      const before = await call('GET', `ServiceRequest/${id}`);
      const answer = await perform(operation, id);
      const expected = expectedOf(standing, operation);
      const current = await call('GET', `ServiceRequest/${id}`);
      if (expected === undefined) {
        assert.equal(answer.status, 409, `${operation} of ${standing}: ${answer.text}`);
        assert.ok(answer.text.includes(standing), answer.text);
        assert.deepEqual(current.body, before.body);
      } else {
        assert.equal(answer.status, 200, `${operation} of ${standing}: ${answer.text}`);
        assert.equal(current.body['status'], expected === 'archived' ? 'draft' : expected);
      }
      assertValid(current.body);
    }
  });
}

function expectedOf(standing: Standing, event: Operation): Standing | undefined {
  const isArchived = standing === 'archived';
  const matches = standing === 'completed' ? [{ status: 'accepted', progress: 'completed' } as const] : [];
  try {
    return moveServiceRequest({ status: isArchived ? 'draft' : standing, isArchived, matches }, event).to;
  } catch {
    return undefined;
  }
}

test('revoke keeps the reason, withdraws pending matches and leaves nothing to match', async () => {
  const id = await makeActive(site);
  await succeed(id, 'match');
  const revoked = await call('POST', `ServiceRequest/${id}/revoke`, { body: { reason: 'Inlagd på sjukhus' } });
  assert.equal(revoked.status, 200, revoked.text);
  assertValid(revoked.body);
  assert.deepEqual(
    [revoked.body['status'], objectsOf(revoked.body['note'])[0]?.['text']],
    ['revoked', 'Inlagd på sjukhus'],
  );
  const [match] = await listMatches(database, id);
  assert.deepEqual([match?.status, match?.withdrawnReason], ['withdrawn', 'revoked']);
  assert.equal((await call('POST', `ServiceRequest/${id}/revoke`, { body: { why: 'x' } })).status, 400);
});

test('an accepted match forbids revoke; running work forbids archive, work given up does not', async () => {
  const accepted = await makeActive(site);
  await addMatch(accepted, 'none');
  assert.match((await call('POST', `ServiceRequest/${accepted}/revoke`)).text, /a provider has accepted it/);
  assert.equal((await call('POST', `ServiceRequest/${accepted}/archive`)).status, 409);
  const failed = await makeActive(site);
  await addMatch(failed, 'rejected');
  assert.equal((await call('POST', `ServiceRequest/${failed}/revoke`)).status, 409);
  await succeed(failed, 'archive');
  const pending = await makeActive(site);
  await succeed(pending, 'match');
  assert.equal((await call('POST', `ServiceRequest/${pending}/archive`)).status, 409);
});

/** One push with a deadline of a second; the clock then passes it, and no job runs. */
async function overdue(): Promise<string> {
  const id = await makeActive(site);
  const subject = { reference: 'Patient/p1' };
  await call('POST', 'Consent', { body: { resourceType: 'Consent', status: 'active', decision: 'permit', subject } });
  await succeed(id, 'match');
  const respondBy = new Date(site.clock.now() + 1000).toISOString();
  const pushed = await call('POST', `ServiceRequest/${id}/push`, { body: { respond_by: respondBy } });
  assert.equal(pushed.status, 202, pushed.text);
  assert.equal((await call('POST', `ServiceRequest/${id}/archive`)).status, 409);
  site.clock.move(1000);
  return id;
}

test('a push past its deadline is shown as expired and keeps nothing open, before the expiry is stored', async () => {
  const id = await overdue();
  const shown = async () => (await call('GET', `ServiceRequest/${id}/matches`)).body['data'] as { status: string }[];
  const again = await call('POST', `ServiceRequest/${id}/match`);
  assert.deepEqual(
    [...(await shown()), ...(again.body['matches'] as { status: string }[])].map(({ status }) => status),
    ['expired', 'expired'],
  );
  assert.equal((await listMatches(database, id))[0]?.status, 'pushed');
  await succeed(id, 'archive');
  assert.equal((await listMatches(database, id))[0]?.status, 'expired', 'it is recorded with the move');
  const { rows } = await database.query(
    `SELECT FROM audit_event WHERE resource LIKE '%request.expire%' AND resource LIKE $1`,
    [`%${id}%`],
  );
  assert.equal(rows.length, 1);
});

test('an expired push is not withdrawn by a later revoke, and callers without access expire nothing', async () => {
  const id = await overdue();
  assert.equal((await call('POST', `ServiceRequest/${id}/revoke`, { as: 'bo' })).status, 404);
  assert.equal((await listMatches(database, id))[0]?.status, 'pushed');
  await succeed(id, 'revoke');
  assert.deepEqual(
    (await listMatches(database, id)).map(({ status, withdrawnReason }) => [status, withdrawnReason]),
    [['expired', undefined]],
  );
});

test('archiving is seen in the lists, twice is 200, and it stays the status it had', async () => {
  const id = await makeDraft(site);
  const listed = async (query: string) => {
    const { body } = await call('GET', `ServiceRequest?_id=${id}${query}`);
    return objectsOf(body['entry']).length;
  };
  assert.deepEqual([await listed(''), await listed('&archived=true')], [1, 0]);
  await succeed(id, 'archive');
  const again = await call('POST', `ServiceRequest/${id}/archive`);
  assert.deepEqual([again.status, again.body['status']], [200, 'draft']);
  assert.deepEqual((again.body['meta'] as { tag: unknown[] }).tag.length, 1);
  assert.deepEqual(
    [await listed(''), await listed('&archived=false'), await listed('&archived=true'), await listed('&status=draft')],
    [0, 0, 1, 0],
  );
  assert.equal((await call('GET', 'ServiceRequest?archived=maybe')).status, 400);
});

test('what a provider completed while the request was on hold completes it when it is resumed, and the CarePlan shows it', async () => {
  const id = await makeActive(site);
  await succeed(id, 'match');
  await succeed(id, 'hold');
  await addMatch(id, 'completed');
  const resumed = await call('POST', `ServiceRequest/${id}/resume`);
  assert.equal(resumed.body['status'], 'completed');
  assertValid(resumed.body);
  const basedOn = objectsOf(resumed.body['basedOn']).map(({ reference }) => String(reference));
  const carePlan = await call('GET', String(basedOn[1]));
  assertValid(carePlan.body);
  assert.deepEqual(carePlan.body['activity'], [
    {
      plannedActivityReference: { reference: `ServiceRequest/${id}` },
      performedActivity: [{ reference: { reference: 'https://engine.example/api/v1/Observation/o1' } }],
      progress: [{ time: new Date(site.clock.now()).toISOString(), text: 'Hemvården: completed. Gick bra' }],
    },
  ]);
  const states = (await listMatches(database, id)).map(({ status, withdrawnReason }) => [status, withdrawnReason]);
  assert.deepEqual(states, [
    ['withdrawn', 'completed'],
    ['accepted', undefined],
  ]);
});

test('fifty operations at once leave one status, one line of audit for each that succeeded, and no more', async () => {
  const id = await makeActive(site);
  const operations = Array.from({ length: 50 }, (_, index) =>
    index % 5 === 0 ? 'revoke' : index % 2 ? 'hold' : 'resume',
  );
  const answers = await atOnce(operations.map((operation) => () => call('POST', `ServiceRequest/${id}/${operation}`)));
  assert.ok(answers.every(({ status }) => status === 200 || status === 409));
  assert.equal(answers.filter(({ status, body }) => status === 200 && body['status'] === 'revoked').length, 1);
  assert.equal((await call('GET', `ServiceRequest/${id}`)).body['status'], 'revoked');
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*) AS count FROM audit_event WHERE resource LIKE $1
     AND resource ~ 'service-request\\.(hold|resume|revoke)"'`,
    [`%ServiceRequest/${id}%`],
  );
  assert.equal(rows[0]?.count, answers.filter(({ status }) => status === 200).length);
});

test('other callers may not move it, and an unknown request is 404', async () => {
  const id = await makeDraft(site);
  const status = async (as: string, target = id) =>
    (await call('POST', `ServiceRequest/${target}/archive`, { as })).status;
  assert.deepEqual(
    [
      await status('nobody'),
      await status('reader'),
      await status('bo'),
      await status('patient'),
      await status('provider'),
    ],
    [401, 403, 404, 403, 403],
  );
  assert.deepEqual([await status('anna', newGuid()), await status('anna', 'x')], [404, 404]);
  assert.equal((await call('POST', `ServiceRequest/${id}/archive`, { body: { x: 1 } })).status, 400);
  assert.equal((await call('GET', `ServiceRequest/${id}/archive`)).status, 405);
});
