// A provider with its own system reports Observations and form answers with the status (decision L9). The planner finds
// them in the plan, and the patient in the own record.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Scenario, Story } from '../context.ts';
import { arrivalOf, makeRequest, pushTo, requestWithStatus } from '../request.ts';

export async function resultsArrive(story: Story): Promise<void> {
  const request = await story.walk('C5', () => reportsWithTheStatus(story));
  await story.walk('C6', () => createAtEngine(story, request));
}

/** Returns the id of the request. */
async function reportsWithTheStatus(story: Story): Promise<string> {
  const { addresses, accounts, library, walk } = story;
  const { dispatch, engine } = addresses;
  const request = await makeRequest(story);
  const guid = await pushTo(library.outside, story, request);
  const { event } = await arrivalOf(addresses, 'request.dispatched', guid);
  const byToken = `${dispatch}/ServiceRequest/receipt/${event.data.receipt_token}/status`;
  const status = `${dispatch}/requests/${guid}/status`;
  const refused = await call(byToken, {
    json: { status: 'in_progress', results: bundleOf({ value: 'x' }) },
    expect: 400,
  });
  assert.match(refused.text, /results\.entry\[0\]/);
  const begun = await call(byToken, { json: { status: 'in_progress', results: bundleOf({ value: 79.2 }) } });
  await walk('B8', async () => {
    const again = await call(byToken, { json: { status: 'in_progress', results: bundleOf({ value: 79.2 }) } });
    assert.deepEqual(again.body, begun.body, 'a report sent twice is one effect');
  });
  const apiKey = library.outsideKey;
  await call(status, { apiKey, json: { status: 'completed', results: bundleOf({ value: 78.9 }, answers()) } });
  await requestWithStatus(addresses, accounts, request.id, 'completed');
  const find = async (type: string, token: string) => {
    const query = new URLSearchParams({ 'based-on': `ServiceRequest/${request.id}` });
    return (await call(`${engine}/${type}?${query}`, { token })).body.total;
  };
  for (const token of [accounts.planner, accounts.patient]) {
    await eventually('the results were there', async () =>
      (await find('Observation', token)) === 2 ? true : undefined,
    );
    assert.equal(await find('QuestionnaireResponse', token), 1);
  }
  assert.equal(await find('Observation', accounts.stranger), 0);
  const carePlan = await call(`${dispatch}/CarePlan/${request.carePlan}`, { token: accounts.planner });
  const shown = JSON.stringify(carePlan.body.activity ?? []);
  assert.match(shown, /Observation\//, 'the plan shows them');
  const [reference] = begun.body.results;
  const id = String(reference).split('/').at(-1) ?? '';
  const corrected = bundleOf({ value: 79.4, id, status: 'amended' });
  await call(status, { apiKey, json: { status: 'completed', results: corrected } });
  await eventually('the correction was there', async () => {
    const { body } = await call(`${engine}/Observation/${id}`, { token: accounts.planner });
    return body.status === 'amended' && body.valueQuantity.value === 79.4 ? true : undefined;
  });
  return request.id;
}

/** The same by FHIR at the engine; about a request of somebody else it is refused. */
async function createAtEngine({ addresses, accounts, library }: Scenario, request: string): Promise<void> {
  const { engine, dispatch } = addresses;
  const apiKey = library.outsideKey;
  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'Vikt på mottagningen' } };
  const about = (id: string) => ({ ...observation, basedOn: [{ reference: `ServiceRequest/${id}` }] });
  const made = await call(`${engine}/Observation`, { apiKey, json: about(request), expect: 201 });
  for (const token of [accounts.planner, accounts.patient])
    await call(`${engine}/Observation/${made.body.id}`, { token });
  const query = new URLSearchParams({ target: `Observation/${made.body.id}` });
  const { body } = await call(`${engine}/Provenance?${query}`, { token: accounts.planner });
  assert.equal(body.entry[0].resource.agent[0].who.identifier.value, library.outside);
  await call(`${engine}/Observation`, { apiKey, json: about(crypto.randomUUID()), expect: 422 });
  const address = `${engine}/Observation/${made.body.id}`;
  await call(address, { method: 'PUT', apiKey, json: { ...about(request), id: made.body.id, status: 'amended' } });
  assert.equal((await call(address, { token: accounts.patient })).body.status, 'amended');
  const staff = {
    method: 'PUT',
    token: accounts.planner,
    json: { ...observation, id: made.body.id },
    expect: 403,
  } as const;
  await call(address, staff);
  await eventually('the match showed what was written by FHIR', async () => {
    const { body: matches } = await call(`${dispatch}/ServiceRequest/${request}/matches`, { token: accounts.planner });
    return JSON.stringify(matches).includes(`/Observation/${made.body.id}`) ? true : undefined;
  });
}

function bundleOf(weight: { value: unknown; id?: string; status?: string }, ...others: object[]): object {
  const { value, id, status = 'final' } = weight;
  const observation = {
    resourceType: 'Observation',
    ...(id === undefined ? {} : { id }),
    status,
    code: { text: 'Vikt hemma' },
    effectiveDateTime: '2026-11-21T07:30:00+01:00',
    valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  };
  const entry = [observation, ...others].map((resource) => ({ resource }));
  return { resourceType: 'Bundle', type: 'collection', entry };
}

function answers(): object {
  const valueCoding = { system: 'https://example.org/answers', code: 'good', display: 'Bra' };
  return {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: 'https://example.org/forms/breathing|1',
    item: [{ linkId: 'breath', answer: [{ valueCoding }] }],
  };
}
