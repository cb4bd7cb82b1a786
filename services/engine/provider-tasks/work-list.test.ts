// What a nurse works by (decisions E10, L7). They are tasks in the order of their due times with counts, and the plan
// with what it asks to be measured. A report that is sent twice is stored once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeRequest, startTestInbox } from '#test/support/engine/engine-inbox.ts';

const { app, call, push, send } = await startTestInbox({ after });
const at = (guid: string, rest = '') => `/provider-tasks/${guid}${rest}`;

interface ServiceRequest {
  occurrencePeriod?: object;
  contained: object[];
  supportingInfo?: object[];
}

/** A request that was changed before it is pushed. */
async function pushChanged(change: (serviceRequest: ServiceRequest) => void): Promise<string> {
  const { requestGuid, message } = makeRequest();
  const { bundle } = message.data as { bundle: { entry: { resource: ServiceRequest }[] } };
  const [first] = bundle.entry;
  assert.ok(first);
  change(first.resource);
  assert.equal(await send(message), 204);
  return requestGuid;
}

test('tasks are listed by what is due first, those that are open or one’s own, with counts', async () => {
  const dueOn = (day: string | undefined) =>
    pushChanged((request) => {
      request.occurrencePeriod = day === undefined ? {} : { end: `${day}T00:00:00Z` };
    });
  const never = await dueOn(undefined);
  const late = await dueOn('2026-05-01');
  const soon = await dueOn('2026-03-01');
  const done = await dueOn('2026-02-01');
  await call('nurse', 'POST', at(done, '/reject'), { reason: 'Fullt' });
  await call('nurse', 'POST', at(late, '/accept'));
  await call('colleague', 'POST', at(soon, '/accept'));
  const list = async (caller: string, query: string) => {
    const { body, status, text } = await call(caller, 'GET', `/provider-tasks/my?${query}`);
    assert.equal(status, 200, text);
    return body.data.map((each: { request_guid: string }) => each.request_guid);
  };
  const countsOf = async (caller: string, query = '') =>
    (await call(caller, 'GET', `/provider-tasks/my/counts${query}`)).body;
  assert.deepEqual(await list('nurse', 'order=due&open=true'), [soon, late, never]);
  assert.deepEqual((await list('nurse', 'order=due'))[0], done);
  assert.deepEqual(await list('nurse', 'mine=true&open=true'), [late]);
  assert.deepEqual(await list('provider', 'mine=true'), [], 'a key is no person');
  const none = { received: 0, accepted: 0, in_progress: 0, completed: 0, rejected: 0, withdrawn: 0 };
  assert.deepEqual(await countsOf('nurse'), { ...none, received: 1, accepted: 2, rejected: 1 });
  assert.deepEqual(await countsOf('nurse', '?mine=true'), { ...none, accepted: 1 });
  assert.deepEqual(await countsOf('otherNurse'), none, 'nothing of another provider is counted');
  assert.equal((await call('planner', 'GET', '/provider-tasks/my/counts')).status, 403);
  assert.equal((await call('nurse', 'GET', '/provider-tasks/my?order=name')).status, 400);
});

test('a report under a key is stored once, however often it is sent', async () => {
  const { requestGuid } = await push();
  await call('nurse', 'POST', at(requestGuid, '/accept'));
  const observations = [{ resourceType: 'Observation', status: 'final', code: { text: 'Weight' }, valueInteger: 80 }];
  const report = async (note: string) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/api/v1${at(requestGuid, '/report')}`,
      headers: { authorization: 'Bearer nurse', 'content-type': 'application/json', 'idempotency-key': 'report-1' },
      payload: JSON.stringify({ status: 'partial', observations, note }),
    });
    return { status: answer.statusCode, text: answer.body, observations: answer.json().observations };
  };
  const first = await report('Once');
  assert.equal(first.status, 200, first.text);
  assert.deepEqual((await report('Once')).observations, first.observations);
  assert.equal((await report('Twice')).status, 422, 'the key is for another report');
});

const UCUM = 'http://unitsofmeasure.org';
const weight = { coding: [{ system: 'https://example.org/codes', code: 'weight', display: 'Weight' }] };

test('the plan of care has the plan resolved, and a form of what is to be measured', async () => {
  const guid = await pushChanged((request) => {
    request.contained.push(
      {
        resourceType: 'PlanDefinition',
        id: 'plan',
        status: 'active',
        goal: [{ id: 'goal', description: { text: 'Stable weight' } }],
        action: [{ id: 'weigh', title: 'Weigh at home', definitionCanonical: '#activity' }],
      },
      {
        resourceType: 'ActivityDefinition',
        id: 'activity',
        status: 'active',
        timingTiming: { repeat: { frequency: 1, period: 1, periodUnit: 'd' } },
        observationResultRequirement: ['#kilograms'],
      },
      {
        resourceType: 'ObservationDefinition',
        id: 'kilograms',
        status: 'active',
        title: 'Weight',
        code: weight,
        permittedDataType: ['Quantity'],
        permittedUnit: [{ system: UCUM, code: 'kg', display: 'kilogram' }],
        qualifiedValue: [{ rangeCategory: 'reference', range: { low: { value: 50.5 }, high: { value: 90 } } }],
      },
    );
    request.supportingInfo?.push({ reference: { reference: '#plan' } });
  });
  await call('nurse', 'POST', at(guid, '/accept'));
  const details = await call('nurse', 'GET', at(guid, '/careplan-details'));
  assert.equal(details.status, 200, details.text);
  const { plan, measures } = details.body;
  assert.deepEqual(
    [plan.goals[0].description, plan.activities[0].title, plan.transactions[0].title],
    ['Stable weight', 'Weigh at home', 'Weight'],
  );
  const [, values] = measures.form.items;
  const { link_id: id, units, expected } = values.items[0];
  assert.deepEqual([units[0].label, expected.low.value, measures.codes[id]], ['kilogram', 50.5, weight]);
  const without = await push();
  await call('nurse', 'POST', at(without.requestGuid, '/accept'));
  const bare = (await call('nurse', 'GET', at(without.requestGuid, '/careplan-details'))).body;
  assert.deepEqual([bare.plan, bare.measures], [null, null]);
});
