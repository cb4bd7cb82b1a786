// The steps of a request: the patient's consent and CarePlan, the draft, its forms, finalize, match, push, and the
// providers' responses.
import assert from 'node:assert/strict';
import type { Arrival } from '#test/support/dispatch/receiver.ts';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import type { Accounts, Addresses, Library, Scenario } from './context.ts';

/** Makes the patient's record in dispatch. It has no number: over a record that has one it would end the link to it. */
export async function admitPatient(addresses: Addresses, accounts: Accounts): Promise<void> {
  const { dispatch } = addresses;
  const patient = {
    resourceType: 'Patient',
    id: accounts.patientGuid,
    name: [{ family: 'Berg', given: ['Astrid'] }],
    gender: 'female',
    birthDate: '1990-01-18',
    managingOrganization: { reference: `Organization/${accounts.organisationGuid}` },
  };
  await call(`${dispatch}/Patient/${accounts.patientGuid}`, { method: 'PUT', token: accounts.planner, json: patient });
}

export async function giveConsent(addresses: Addresses, accounts: Accounts): Promise<string> {
  const consent = {
    resourceType: 'Consent',
    status: 'active',
    subject: { reference: `Patient/${accounts.patientGuid}` },
    date: '2026-01-01',
    decision: 'permit',
  };
  return (await call(`${addresses.dispatch}/Consent`, { token: accounts.planner, json: consent, expect: 201 })).body.id;
}

/** A CarePlan from the published plan, and from it a finalized ServiceRequest with one form; answers its id. */
export async function writeRequest(
  addresses: Addresses,
  accounts: Accounts,
  library: Library,
): Promise<{ id: string; carePlan: string }> {
  const { dispatch } = addresses;
  const asPlanner = { token: accounts.planner };
  const carePlanGuid = await makeCarePlan(addresses, accounts, library);
  const context = (await call(`${dispatch}/careplans/${carePlanGuid}/context`, asPlanner)).body;
  assert.match(JSON.stringify(context), /Kroppsvikt/);
  const draft = await call(`${dispatch}/ServiceRequest`, {
    ...asPlanner,
    json: { careplan_guid: carePlanGuid },
    expect: 201,
  });
  const request = `${dispatch}/ServiceRequest/${draft.body.id}`;
  assert.equal(draft.body.status, 'draft');
  const snapshot = await call(`${request}/snapshot`, asPlanner);
  const edited = { ...snapshot.body, note: 'Ring först', priority: 'urgent' };
  const headers = { 'if-match': snapshot.headers.get('etag') ?? '' };
  await call(`${request}/snapshot`, { ...asPlanner, method: 'PUT', json: edited, headers });
  await call(`${request}/snapshot`, { ...asPlanner, method: 'PUT', json: edited, headers, expect: 412 });
  await call(`${request}/forms`, { ...asPlanner, json: { form_guid: library.formGuid }, expect: 201 });
  await call(`${request}/forms`, { ...asPlanner, json: { form_guid: library.formGuid }, expect: 409 });
  await call(`${request}/push`, { ...asPlanner, json: {}, expect: 409 });
  await call(`${request}/finalize`, { ...asPlanner, method: 'POST' });
  const final = (await call(request, asPlanner)).body;
  assert.deepEqual([final.status, final.priority], ['active', 'urgent']);
  const contained = final.contained.map((part: { resourceType: string }) => part.resourceType);
  for (const type of ['CarePlan', 'PlanDefinition', 'Questionnaire']) assert.ok(contained.includes(type), type);
  return { id: draft.body.id, carePlan: carePlanGuid };
}

/** A CarePlan from the published plan; returns its id. */
export async function makeCarePlan(addresses: Addresses, accounts: Accounts, library: Library): Promise<string> {
  const json = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${accounts.patientGuid}` },
    instantiatesCanonical: [`${library.planUrl}|${library.planVersion}`],
  };
  return (await call(`${addresses.dispatch}/CarePlan`, { token: accounts.planner, json, expect: 201 })).body.id;
}

export interface MatchedRequest {
  readonly id: string;
  readonly carePlan: string;
  /** The guids of the matches by provider. */
  readonly matches: ReadonlyMap<string, string>;
}

/** A finalized and matched ServiceRequest as `writeRequest` makes it, by the calls alone that it takes. */
export async function makeRequest({ addresses, accounts, library }: Scenario): Promise<MatchedRequest> {
  const carePlan = await makeCarePlan(addresses, accounts, library);
  const asPlanner = { token: accounts.planner };
  const requests = `${addresses.dispatch}/ServiceRequest`;
  const { id } = (await call(requests, { ...asPlanner, json: { careplan_guid: carePlan }, expect: 201 })).body;
  await call(`${requests}/${id}/forms`, { ...asPlanner, json: { form_guid: library.formGuid }, expect: 201 });
  await call(`${requests}/${id}/finalize`, { ...asPlanner, method: 'POST' });
  const { body } = await call(`${requests}/${id}/match`, { ...asPlanner, method: 'POST' });
  return { id, carePlan, matches: byProvider(body.matches) };
}

/** Pushes it to all; returns the guid under which the provider has got it. */
export async function pushTo(
  provider: string,
  { addresses, accounts }: Scenario,
  { id, matches }: MatchedRequest,
): Promise<string> {
  const { pushed } = await push(addresses, accounts, id, 202);
  return pushed.find((each: Record<string, string>) => each['match_guid'] === matches.get(provider)).request_guid;
}

export async function match(addresses: Addresses, accounts: Accounts, id: string): Promise<Map<string, string>> {
  const url = `${addresses.dispatch}/ServiceRequest/${id}/match`;
  const { body } = await call(url, { method: 'POST', token: accounts.planner });
  const again = await call(url, { method: 'POST', token: accounts.planner });
  assert.equal(again.body.matches.length, body.matches.length);
  return byProvider(body.matches);
}

function byProvider(
  matches: readonly { readonly provider_guid: string; readonly match_guid: string }[],
): Map<string, string> {
  return new Map(matches.map((entry) => [entry.provider_guid, entry.match_guid]));
}

export async function push(addresses: Addresses, accounts: Accounts, id: string, expect: number) {
  const url = `${addresses.dispatch}/ServiceRequest/${id}/push`;
  return (await call(url, { token: accounts.planner, json: { selection: 'first' }, expect })).body;
}

/** The webhook of the given type that reached the outside provider for the request. */
export function arrivalOf(addresses: Addresses, type: string, requestGuid: string): Promise<Arrival> {
  return eventually(`${type} arrived`, async () =>
    addresses.receiver.ledger.find(({ event }) => event.type === type && event.data.request_guid === requestGuid),
  );
}

/** The hosted provider's task for the request, as the administrator sees it. */
export function taskOf(
  addresses: Addresses,
  accounts: Accounts,
  requestGuid: string,
  status: string,
): Promise<{ receipt_token: string; status: string }> {
  return eventually(`the task was ${status}`, async () => {
    const { body } = await call(`${addresses.engine}/provider-tasks?per_page=200`, { token: accounts.admin });
    return body.data.find(
      (task: { request_guid: string; status: string }) => task.request_guid === requestGuid && task.status === status,
    );
  });
}

/** Waits until the ServiceRequest has the status. */
export function requestWithStatus(addresses: Addresses, accounts: Accounts, id: string, status: string): Promise<true> {
  return eventually(`the ServiceRequest was ${status}`, async () => {
    const { body } = await call(`${addresses.dispatch}/ServiceRequest/${id}`, { token: accounts.planner });
    return body.status === status ? true : undefined;
  });
}
