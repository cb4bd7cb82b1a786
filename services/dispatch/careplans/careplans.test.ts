// CarePlans made from PlanDefinitions over HTTP: the snapshot, the context, and errors (decision D1).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { carePlanOf, LIBRARY, makeCarePlan, PLAN } from '../testing/samples.ts';
import { assertValid, makeSite } from '../testing/site.ts';

const site = await makeSite({ after });
const { call, world } = site;
const daily = { repeat: { frequency: 1, period: 1, periodUnit: 'd' } };
const weighing = { system: LIBRARY, code: 'weighing', display: 'Weighing' };
const weight = { system: LIBRARY, code: 'weight', display: 'Body weight' };

test('the context holds the CarePlan and what the plan resolved to', async () => {
  const guid = await makeCarePlan(site);
  const { status, body } = await call('GET', `careplans/${guid}/context`);
  assert.equal(status, 200);
  assert.equal(body['careplan_guid'], guid);
  assert.equal((body['careplan'] as { resourceType: string }).resourceType, 'CarePlan');
  const { plan_definition: plan, ...resolved } = body['snapshot'] as Record<string, unknown>;
  assert.equal((plan as { url: string }).url, PLAN.url);
  assert.deepEqual(resolved, {
    concepts: [weighing, weight],
    activities: [
      {
        activity_id: 'action-1',
        activity_guid: '019a0000-0000-7000-8000-0000000000a1',
        title: 'Weigh at home',
        concept: weighing,
        timing: daily,
        goal_ids: ['goal-1'],
      },
    ],
    transactions: [
      {
        transaction_id: 'transaction-1',
        activity_id: 'action-1',
        transaction_guid: '019a0000-0000-7000-8000-0000000000b1',
        title: 'Weight',
        concept: weight,
        response_type: 'Quantity',
        unit: { system: 'http://unitsofmeasure.org', code: 'kg', display: 'kilogram' },
        timing: daily,
        required: true,
      },
    ],
    goals: [
      {
        goal_id: 'goal-1',
        description: 'Stable weight',
        targets: [
          {
            concept: weight,
            detailQuantity: { value: 80.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
          },
        ],
      },
    ],
    timing: [
      { applies_to: 'activity', id: 'action-1', title: 'Weigh at home', timing: daily },
      { applies_to: 'transaction', id: 'transaction-1', title: 'Weight', timing: daily },
    ],
  });
});

test('it stays the same when the plan changes later, until the CarePlan names another plan', async () => {
  const guid = await makeCarePlan(site);
  const before = await call('GET', `careplans/${guid}/context`);
  const index = world.resources.indexOf(PLAN);
  world.resources[index] = { ...PLAN, title: 'Changed' };
  const carePlan = await call('GET', `CarePlan/${guid}`);
  const kept = await call('PUT', `CarePlan/${guid}`, { body: { ...carePlan.body, title: 'New title' } });
  assert.equal(kept.status, 200, kept.text);
  const later = await call('GET', `careplans/${guid}/context`);
  assert.deepEqual(later.body['snapshot'], before.body['snapshot']);
  const other = { ...PLAN, id: 'other', url: 'https://kedja.dev/plans/other', title: 'Other' };
  world.resources[index] = PLAN;
  world.resources.push(other);
  await call('PUT', `CarePlan/${guid}`, { body: { ...carePlan.body, instantiatesCanonical: [`${other.url}|1`] } });
  const moved = await call('GET', `careplans/${guid}/context`);
  assert.equal((moved.body['snapshot'] as { plan_definition: { title: string } }).plan_definition.title, 'Other');
  await call('PUT', `CarePlan/${guid}`, { body: { ...carePlan.body, instantiatesCanonical: undefined } });
  assert.equal((await call('GET', `careplans/${guid}/context`)).body['snapshot'], null);
});

test('activities that the plan names by address are contained', async () => {
  await makeCarePlan(site);
  const outside = {
    resourceType: 'ActivityDefinition',
    id: 'outside',
    url: 'https://kedja.dev/activities/walk',
    status: 'active',
    title: 'Walk',
    code: { coding: [{ system: LIBRARY, code: 'walking' }] },
    contained: [{ resourceType: 'ObservationDefinition', id: 'steps', status: 'active', code: { text: 'Steps' } }],
    observationResultRequirement: ['#steps'],
  };
  const { contained: _contained, ...rest } = PLAN;
  const plan = {
    ...rest,
    id: 'walks',
    url: 'https://kedja.dev/plans/walks',
    action: [{ title: 'Group', action: [{ definitionCanonical: outside.url }] }],
  };
  world.resources.push(outside, plan);
  const made = await call('POST', 'CarePlan', { body: { ...carePlanOf('p1'), instantiatesCanonical: [plan.url] } });
  assert.equal(made.status, 201, made.text);
  const context = await call('GET', `careplans/${made.body['id']}/context`);
  const snapshot = context.body['snapshot'] as {
    plan_definition: { contained: { id: string }[] };
    activities: { title: string }[];
    transactions: { title: string }[];
  };
  assertValid(snapshot.plan_definition);
  assert.deepEqual(
    snapshot.plan_definition.contained.map(({ id }) => id),
    ['external-activity-1', 'external-activity-1-steps'],
  );
  assert.deepEqual([snapshot.activities[0]?.title, snapshot.transactions[0]?.title], ['Walk', 'Steps']);
});

test('an unknown canonical, several of them, or a plan service that is down: nothing is written', async () => {
  await makeCarePlan(site);
  const count = async () => (await call('GET', 'CarePlan?_total=accurate')).body['total'];
  const before = await count();
  const post = (canonicals: string[]) =>
    call('POST', 'CarePlan', { body: { ...carePlanOf('p1'), instantiatesCanonical: canonicals } });
  const unknown = await post(['https://kedja.dev/plans/none']);
  assert.equal(unknown.status, 422);
  assert.match(unknown.text, /CarePlan.instantiatesCanonical/);
  assert.equal((await post([`${PLAN.url}|99`])).status, 422, 'another version');
  assert.equal((await post([PLAN.url, 'https://kedja.dev/plans/other'])).status, 422);
  world.isPlanDown = true;
  const down = await post([PLAN.url]);
  world.isPlanDown = false;
  assert.equal(down.status, 503);
  assert.match(down.text, /upstream_unavailable/);
  assert.equal(await count(), before);
});

test('the context needs access to the CarePlan, and each read is in the access record', async () => {
  const guid = await makeCarePlan(site);
  const status = async (as: string, target = guid) => (await call('GET', `careplans/${target}/context`, { as })).status;
  assert.deepEqual(
    [
      await status('nobody'),
      await status('bo'),
      await status('patient'),
      await status('reader'),
      await status('provider'),
    ],
    [401, 404, 200, 200, 403],
  );
  const missing = await call('GET', 'careplans/none/context');
  assert.deepEqual([missing.status, missing.body['error']], [404, 'not_found']);
  const { rows } = await site.database.query<{ count: number }>(
    `SELECT count(*) AS count FROM audit_event WHERE resource LIKE '%care-plan.context%' AND resource LIKE $1`,
    [`%${guid}%`],
  );
  assert.equal(rows[0]?.count, 2);
});
