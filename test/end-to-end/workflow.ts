// The main workflow from consent to result, over HTTP against a running system.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { createAccounts } from './accounts.ts';
import { call } from './call.ts';
import type { Accounts, Addresses, Library, Scenario, Story } from './context.ts';
import { fillLibrary } from './library.ts';
import { arrivalOf, giveConsent, match, push, requestWithStatus, taskOf, writeRequest } from './request.ts';

/** The accounts with the patient's record, and the library. */
export async function prepareScenario(addresses: Addresses): Promise<Scenario> {
  const accounts = await createAccounts(addresses);
  const library = await fillLibrary(addresses, accounts);
  return { addresses, accounts, library };
}

/** From the consent to the results of both providers; rows of the patient on the way. */
export async function runWorkflow(story: Story): Promise<void> {
  await consentDecides(story);
  await hostedProviderDelivers(story);
  await outsideProviderDelivers(story);
}

/** Without a consent nothing is sent; with it, the push goes out. */
async function consentDecides({ addresses, accounts, library }: Scenario): Promise<void> {
  const request = await writeRequest(addresses, accounts, library);
  await match(addresses, accounts, request.id);
  const refused = await push(addresses, accounts, request.id, 403);
  assert.equal(refused.issue[0].details.coding[0].code, 'consent_required');
  assert.ok(!addresses.receiver.ledger.some(({ body }) => body.includes(request.id)));
  await call(`${addresses.dispatch}/ServiceRequest/${request.id}/revoke`, { method: 'POST', token: accounts.planner });
  await requestWithStatus(addresses, accounts, request.id, 'revoked');
  await giveConsent(addresses, accounts);
}

/**
 * The provider in the engine's inbox is first: it accepts, reports, and the result comes back; the other one
 * is informed.
 */
async function hostedProviderDelivers(story: Story): Promise<void> {
  const { addresses, accounts, library } = story;
  const { engine } = addresses;
  const request = await writeRequest(addresses, accounts, library);
  const matches = await match(addresses, accounts, request.id);
  assert.deepEqual([...matches.keys()].toSorted(), [library.hosted, library.outside].toSorted());
  const { pushed } = await push(addresses, accounts, request.id, 202);
  const requestOf = (provider: string) =>
    pushed.find((entry: { match_guid: string }) => entry.match_guid === matches.get(provider)).request_guid;
  const task = await taskOf(addresses, accounts, requestOf(library.hosted), 'received');
  const atTask = `${engine}/provider-tasks/${task.receipt_token}`;
  const before = await call(atTask);
  assert.doesNotMatch(before.text, /Kroppsvikt|1990/, 'before acceptance a provider sees the least');
  await call(`${atTask}/accept`, { method: 'POST' });
  const withdrawn = await arrivalOf(addresses, 'request.withdrawn', requestOf(library.outside));
  assert.ok(withdrawn.isSigned);
  const dispatched = await arrivalOf(addresses, 'request.dispatched', requestOf(library.outside));
  await call(dispatched.event.data.respond_url, { json: { decision: 'accepted' }, expect: 409 });
  const details = (await call(`${atTask}/careplan-details`)).body;
  assert.match(JSON.stringify(details), /Kroppsvikt/);
  await call(`${atTask}/report`, { json: makeReport(accounts, library) });
  await requestWithStatus(addresses, accounts, request.id, 'completed');
  await story.walk('P2', () => patientReadsPlanAndRequest(story, request));
  await story.walk('P3', () => theResultIsSeenByThoseWhoMay(story, request));
}

/** The plan in words, the request, and which provider accepted it. */
async function patientReadsPlanAndRequest(story: Story, request: { id: string; carePlan: string }): Promise<void> {
  const { addresses, accounts, library } = story;
  const { dispatch } = addresses;
  const asPatient = { token: accounts.patient };
  const plans = await call(`${dispatch}/CarePlan?status=active`, asPatient);
  assert.ok(plans.body.entry.some(({ resource }: { resource: { id: string } }) => resource.id === request.carePlan));
  assert.match((await call(`${dispatch}/careplans/${request.carePlan}/context`, asPatient)).text, /Vikt under 80 kg/);
  const seen = (await call(`${dispatch}/ServiceRequest/${request.id}`, asPatient)).body;
  assert.equal(seen.status, 'completed');
  const matches = await call(`${dispatch}/ServiceRequest/${request.id}/matches`, asPatient);
  const accepted = matches.body.data.filter(({ status }: { status: string }) => status === 'accepted');
  assert.deepEqual(
    accepted.map(({ provider_guid: guid }: { provider_guid: string }) => guid),
    [library.hosted],
    'the patient sees who accepted',
  );
}

function makeReport(accounts: Accounts, library: Library): object {
  const subject = { reference: `Patient/${accounts.patientGuid}` };
  const observation = {
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [library.concept], text: 'Kroppsvikt' },
    subject,
    effectiveDateTime: '2026-11-20T07:30:00+01:00',
    valueQuantity: { value: 78.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  };
  const answers = {
    resourceType: 'QuestionnaireResponse',
    status: 'completed',
    questionnaire: 'https://example.org/forms/breathing|1',
    subject,
    item: [
      {
        linkId: 'breath',
        answer: [{ valueCoding: { system: 'https://example.org/answers', code: 'good', display: 'Bra' } }],
      },
    ],
  };
  return { status: 'final', observations: [observation], questionnaire_responses: [answers], note: 'Allt väl' };
}

async function theResultIsSeenByThoseWhoMay(
  { addresses, accounts, library }: Scenario,
  { id, carePlan }: { readonly id: string; readonly carePlan: string },
): Promise<void> {
  await eventually('the CarePlan showed the result', async () => {
    const { body } = await call(`${addresses.dispatch}/CarePlan/${carePlan}`, { token: accounts.patient });
    return JSON.stringify(body.activity ?? []).includes('Observation/') ? body : undefined;
  });
  const answers = `${addresses.engine}/QuestionnaireResponse?based-on=ServiceRequest/${id}`;
  for (const token of [accounts.planner, accounts.patient])
    assert.equal((await call(answers, { token })).body.total, 1);
  const query = new URLSearchParams({
    subject: `Patient/${accounts.patientGuid}`,
    code: `${library.concept.system}|${library.concept.code}`,
  });
  const search = async (token: string) => (await call(`${addresses.engine}/Observation?${query}`, { token })).body;
  for (const token of [accounts.planner, accounts.patient, accounts.admin]) {
    const found = await search(token);
    assert.equal(found.total, 1);
    assert.equal(found.entry[0].resource.valueQuantity.value, 78.5);
  }
  assert.equal((await search(accounts.stranger)).total, 0, 'a professional of another organisation sees nothing');
  await call(`${addresses.dispatch}/Patient/${accounts.patientGuid}`, { token: accounts.stranger, expect: 404 });
}

/** The provider with its own system is first: by receipt token, feed and status callback. */
async function outsideProviderDelivers({ addresses, accounts, library }: Scenario): Promise<void> {
  const { dispatch } = addresses;
  const apiKey = library.outsideKey;
  const request = await writeRequest(addresses, accounts, library);
  const matches = await match(addresses, accounts, request.id);
  const { pushed } = await push(addresses, accounts, request.id, 202);
  const requestOf = (provider: string) =>
    pushed.find((entry: { match_guid: string }) => entry.match_guid === matches.get(provider)).request_guid;
  const mine = requestOf(library.outside);
  const arrival = await arrivalOf(addresses, 'request.dispatched', mine);
  assert.ok(arrival.isSigned);
  const respond = (decision: string, expect: number) =>
    call(arrival.event.data.respond_url, { json: { decision }, expect });
  await respond('accepted', 200);
  await respond('accepted', 200);
  await respond('rejected', 409);
  await taskOf(addresses, accounts, requestOf(library.hosted), 'withdrawn');
  const feed = (await call(`${dispatch}/requests?provider_guid=${library.outside}`, { apiKey })).body;
  const entry = feed.requests.find((item: { request_guid: string }) => item.request_guid === mine);
  assert.equal(entry.receipt_token, arrival.event.data.receipt_token);
  await call(`${dispatch}/requests?provider_guid=${library.hosted}`, { apiKey, expect: 403 });
  const report = (status: string, expect = 200) =>
    call(`${dispatch}/requests/${mine}/status`, { method: 'PUT', apiKey, json: { status }, expect });
  await report('acknowledged');
  await report('in_progress');
  await report('in_progress');
  await report('acknowledged', 409);
  await report('completed');
  await requestWithStatus(addresses, accounts, request.id, 'completed');
}

/** The administrator finds who looked at the patient's data, in all services; the patient sees it too. */
export async function everyAccessIsRecorded({ addresses, accounts }: Scenario): Promise<void> {
  const findRecords = (token: string) => async () => {
    const { body } = await call(`${addresses.engine}/AuditEvent?patient=Patient/${accounts.patientGuid}&_count=200`, {
      token,
    });
    const sources = new Set(
      (body.entry ?? []).map(
        (entry: { resource: { source: { observer: { display: string } } } }) => entry.resource.source.observer.display,
      ),
    );
    if (!['kedja-dispatch', 'kedja-engine'].every((source) => sources.has(source))) return undefined;
    return body;
  };
  await eventually('the administrator found the access records', findRecords(accounts.admin));
  await eventually('the patient found the access records', findRecords(accounts.patient));
}

export async function signingOutReachesEveryService({ addresses, accounts }: Scenario): Promise<void> {
  await call(`${addresses.identity}/api/auth/logout`, { method: 'POST', token: accounts.stranger });
  const after = Date.now();
  for (const url of [`${addresses.dispatch}/CarePlan`, `${addresses.engine}/Observation`]) {
    await eventually(`${url} refused the token`, async () => {
      const { status } = await fetch(url, { headers: { authorization: `Bearer ${accounts.stranger}` } });
      return status === 401 ? true : undefined;
    });
  }
  assert.ok(Date.now() - after < 2_500, 'a sign-out takes effect everywhere within two seconds');
}
