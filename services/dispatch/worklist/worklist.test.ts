// The worklist: each request is in one stage, list and counts agree, and nobody sees the requests of others.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { makeActive, makeDraft } from '../testing/samples.ts';
import { ENGINE, makeSite, ORGANISATION } from '../testing/site.ts';
import { worklistStatement } from './store.ts';

const planner = { organisationGuids: [ORGANISATION], phases: new Set(['planning']) };
const more = { karin: makePrincipal(['professional', 'clinician'], { ...planner, id: newGuid() }) };
const site = await makeSite({ after }, more);
const { call, world, database, clock } = site;
world.contracts = [1, 2].map((number) => ({
  contract_guid: `contract-${number}`,
  provider_guid: `provider-${number}`,
  provider_name: `Hemvården ${number}`,
}));

type Item = Record<string, unknown>;
interface Page {
  readonly data: readonly Item[];
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
}

async function worklist(query = '', as = 'anna'): Promise<Page> {
  const { status, body, text } = await call('GET', `worklist?per_page=200${query}`, { as });
  assert.equal(status, 200, text);
  return body as unknown as Page;
}

async function stageOf(id: string): Promise<unknown> {
  return (await worklist()).data.find((item) => item['service_request_id'] === id)?.['stage'];
}

async function matched(): Promise<{ id: string; matches: readonly string[] }> {
  const id = await makeActive(site);
  const { body } = await call('POST', `ServiceRequest/${id}/match`);
  return { id, matches: (body['matches'] as Item[]).map((match) => String(match['match_guid'])) };
}

/** As if it had been pushed and answered; the consent gate and the webhook have tests of their own. */
async function set(id: string, matchGuid: string | undefined, status: string, respondBy?: Date): Promise<void> {
  await database.query(
    `UPDATE match SET status = $3, request_guid = coalesce(request_guid, $4), pushed_at = coalesce(pushed_at, $5), respond_by = $6
     WHERE service_request_id = $1 AND match_guid = $2`,
    [id, matchGuid ?? null, status, newGuid(), new Date(clock.now()), respondBy ?? null],
  );
}

test('a request goes from stage to stage with its matches, and counts agree with the list', async () => {
  const draft = await makeDraft(site);
  assert.equal(await stageOf(draft), 'draft');
  const { id, matches } = await matched();
  assert.equal(await stageOf(id), 'to_send');
  await set(id, matches[0], 'pushed');
  assert.equal(await stageOf(id), 'unanswered');
  await set(id, matches[0], 'pushed', new Date(clock.now() - 1));
  assert.equal(await stageOf(id), 'refused', 'its time is over, whether or not that is stored yet');
  await set(id, matches[1], 'pushed');
  await set(id, matches[0], 'rejected');
  assert.equal(await stageOf(id), 'unanswered', 'another may still answer');
  const [item] = (await worklist('&stage=unanswered')).data;
  assert.deepEqual(item?.['matches'], { pending: 0, unanswered: 1, accepted: 0, refused: 1, undelivered: 0 });
  assert.equal(item?.['title'], 'Heart failure at home');
  await set(id, matches[1], 'accepted');
  assert.equal(await stageOf(id), 'in_work');
  assert.equal((await call('POST', `ServiceRequest/${draft}/revoke`)).status, 200);
  assert.equal(await stageOf(draft), 'revoked');
  const all = await worklist();
  const counted = Object.groupBy(all.data, (each) => String(each['stage']));
  for (const [stage, each] of Object.entries(counted)) assert.equal(all.counts[stage], each?.length, stage);
  assert.equal(
    Object.entries(all.counts).reduce((sum, [name, count]) => sum + (name === 'undelivered' ? 0 : count), 0),
    all.total,
  );
});

test('those that wait longest come first; a delivery that was given up is found', async () => {
  const [older, newer] = [await matched(), await matched()];
  await set(older.id, older.matches[0], 'pushed');
  clock.move(60_000);
  await set(newer.id, newer.matches[0], 'pushed');
  const waiting = await worklist('&stage=unanswered&order=oldest');
  assert.deepEqual(
    waiting.data.map((item) => item['service_request_id']),
    [older.id, newer.id],
  );
  const consent = {
    resourceType: 'Consent',
    status: 'active',
    subject: { reference: 'Patient/p1' },
    decision: 'permit',
  };
  assert.equal((await call('POST', 'Consent', { body: consent })).status, 201);
  const endpoint = { url: `${ENGINE}/inbox`, enabled: true };
  await call('PUT', 'providers/provider-2/endpoint', { as: 'admin', body: endpoint });
  const sent = await call('POST', `ServiceRequest/${newer.id}/push`, { body: {} });
  assert.equal(sent.status, 202, sent.text);
  await database.query("UPDATE delivery SET status = 'dead', dead_at = now()", []);
  const undelivered = await worklist('&undelivered=true');
  assert.deepEqual([undelivered.data.map((item) => item['service_request_id']), undelivered.total], [[newer.id], 1]);
  assert.equal(undelivered.counts['undelivered'], 1);
});

test('what was sent to a provider is asked for, and not what was only found for it', async () => {
  const [sent, found] = [await matched(), await matched()];
  await set(sent.id, sent.matches[1], 'pushed');
  const named = async (provider: string) =>
    (await worklist(`&provider_guid=${provider}`)).data.map((item) => item['service_request_id']);
  assert.ok((await named('provider-2')).includes(sent.id));
  assert.ok(!(await named('provider-2')).includes(found.id));
  assert.ok(!(await named('provider-1')).includes(sent.id));
  assert.deepEqual(await named('provider-9'), []);
});

test('one’s own, those of a patient, and the archived are asked for', async () => {
  const id = await makeDraft(site);
  await database.query('UPDATE service_request SET requester_id = $2 WHERE id = $1', [id, more.karin.id]);
  const mine = await worklist('&mine=true', 'karin');
  assert.deepEqual(
    mine.data.map((item) => [item['service_request_id'], item['is_mine']]),
    [[id, true]],
  );
  const patient = String(Reflect.get(Object(mine.data[0]?.['patient']), 'reference'));
  const ofPatient = await worklist(`&patient_guid=${patient}`);
  assert.ok(
    ofPatient.data.length > 0 &&
      ofPatient.data.every((item) => Reflect.get(Object(item['patient']), 'reference') === patient),
  );
  assert.deepEqual((await worklist('&patient_guid=nobody')).data, []);
  assert.equal((await worklist('&page=9')).total, (await worklist()).total, 'behind the last page');
  assert.equal((await call('POST', `ServiceRequest/${id}/archive`)).status, 200);
  assert.ok(!(await worklist()).data.some((item) => item['service_request_id'] === id));
  const archived = await worklist('&archived=true');
  assert.deepEqual(
    archived.data.map((item) => [item['service_request_id'], item['is_archived']]),
    [[id, true]],
  );
});

test('another organisation sees none of it; who neither plans nor follows up is refused; a look is on record', async () => {
  assert.deepEqual([(await worklist('', 'bo')).data, (await worklist('', 'bo')).counts['draft']], [[], 0]);
  assert.ok((await worklist('', 'admin')).total > 0);
  for (const as of ['patient', 'provider']) assert.equal((await call('GET', 'worklist', { as })).status, 403);
  assert.equal((await call('GET', 'worklist', { as: 'reader' })).status, 200);
  const { rows } = await database.query(`SELECT FROM audit_event WHERE event = 'worklist.look'`, []);
  assert.ok(rows.length > 0);
});

test('of an organisation it reads by an index, the open requests and the archived', async () => {
  for (const isArchived of [false, true]) {
    const kind = { isOfAll: false, isArchived };
    const values = [[ORGANISATION], new Date(clock.now()), 'anna', false, null, null, false, 20, 0, null];
    for (const order of ['newest', 'oldest'] as const) {
      const { text } = worklistStatement(kind, order);
      const plan = await database.transaction(async (transaction) => {
        await transaction.query('SET LOCAL enable_seqscan = off');
        const { rows } = await transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      assert.match(plan, isArchived ? /service_request_archived/ : /service_request_open/);
      assert.doesNotMatch(plan, /Seq Scan/);
    }
  }
});
