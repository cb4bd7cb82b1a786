// The main job from sign-in to result, as the issue tells it: played over HTTP against a running system, whatever runs
// it.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { assertValid, call } from './call.ts';
import { createCast } from './cast.ts';
import { fillLibrary } from './library.ts';
import {
  admitPatient,
  arrivalOf,
  giveConsent,
  match,
  push,
  requestWithStatus,
  taskOf,
  writeRequest,
} from './request.ts';
import type { Cast, Library, World } from './world.ts';

export interface Stage {
  readonly world: World;
  readonly cast: Cast;
  readonly library: Library;
}

/** Acts 1 and 2, and the patient's record. */
export async function setTheStage(world: World): Promise<Stage> {
  const cast = await createCast(world);
  const library = await fillLibrary(world, cast);
  await admitPatient(world, cast);
  return { world, cast, library };
}

/** The whole story; answers the secrets that it brought forth. */
export async function playTheStory(world: World): Promise<string[]> {
  const stage = await setTheStage(world);
  await consentDecides(stage);
  await hostedProviderDelivers(stage);
  await outsideProviderDelivers(stage);
  await everyAccessIsRecorded(stage);
  await signingOutReachesEveryService(stage);
  for (const { event } of world.receiver.ledger) {
    if (event.type === 'request.dispatched') assertValid(event.data.bundle, 'the webhook');
  }
  const receipts = world.receiver.ledger
    .map(({ event }) => event.data.receipt_token)
    .filter((token) => typeof token === 'string');
  const { admin, planner, patient } = stage.cast;
  return [...receipts, admin, planner, patient, stage.library.outsideKey];
}

/** Without a consent nothing is sent; with it, the push goes out. */
async function consentDecides({ world, cast, library }: Stage): Promise<void> {
  const request = await writeRequest(world, cast, library);
  await match(world, cast, request.id);
  const refused = await push(world, cast, request.id, 403);
  assert.equal(refused.issue[0].details.coding[0].code, 'consent_required');
  assert.equal(world.receiver.ledger.length, 0);
  await call(`${world.dispatch}/ServiceRequest/${request.id}/revoke`, { method: 'POST', token: cast.planner });
  await requestWithStatus(world, cast, request.id, 'revoked');
  await giveConsent(world, cast);
}

/**
 * The provider in the engine's inbox is first: it accepts, reports, and the result comes back; the other one is told.
 */
async function hostedProviderDelivers({ world, cast, library }: Stage): Promise<void> {
  const { engine, dispatch } = world;
  const request = await writeRequest(world, cast, library);
  const matches = await match(world, cast, request.id);
  assert.deepEqual([...matches.keys()].toSorted(), [library.hosted, library.outside].toSorted());
  const { pushed } = await push(world, cast, request.id, 202);
  const requestOf = (provider: string) =>
    pushed.find((entry: { match_guid: string }) => entry.match_guid === matches.get(provider)).request_guid;
  const task = await taskOf(world, cast, requestOf(library.hosted), 'received');
  const atTask = `${engine}/provider-tasks/${task.receipt_token}`;
  const before = await call(atTask);
  assert.doesNotMatch(before.text, /Kroppsvikt|1990/, 'before acceptance a provider sees the least');
  await call(`${atTask}/accept`, { method: 'POST' });
  const withdrawn = await arrivalOf(world, 'request.withdrawn', requestOf(library.outside));
  assert.ok(withdrawn.isSigned);
  const dispatched = await arrivalOf(world, 'request.dispatched', requestOf(library.outside));
  await call(dispatched.event.data.respond_url, { json: { decision: 'accepted' }, expect: 409 });
  const details = (await call(`${atTask}/careplan-details`)).body;
  assert.match(JSON.stringify(details), /Kroppsvikt/);
  await call(`${atTask}/report`, { json: makeReport(cast, library) });
  await requestWithStatus(world, cast, request.id, 'completed');
  await eventually('the CarePlan showed the result', async () => {
    const { body } = await call(`${dispatch}/CarePlan/${request.carePlan}`, { token: cast.patient });
    return JSON.stringify(body.activity ?? []).includes('Observation/') ? body : undefined;
  });
  await theResultIsSeenByThoseWhoMay({ world, cast, library });
}

function makeReport(cast: Cast, library: Library): object {
  const subject = { reference: `Patient/${cast.patientGuid}` };
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

async function theResultIsSeenByThoseWhoMay({ world, cast, library }: Stage): Promise<void> {
  const query = new URLSearchParams({
    subject: `Patient/${cast.patientGuid}`,
    code: `${library.concept.system}|${library.concept.code}`,
  });
  const search = async (token: string) => (await call(`${world.engine}/Observation?${query}`, { token })).body;
  for (const token of [cast.planner, cast.patient, cast.admin]) {
    const found = await search(token);
    assert.equal(found.total, 1);
    assert.equal(found.entry[0].resource.valueQuantity.value, 78.5);
  }
  assert.equal((await search(cast.stranger)).total, 0, 'a professional of another organisation sees nothing');
  await call(`${world.dispatch}/Patient/${cast.patientGuid}`, { token: cast.stranger, expect: 404 });
}

/** The provider with its own system is first: by receipt token, feed and status callback. */
async function outsideProviderDelivers({ world, cast, library }: Stage): Promise<void> {
  const { dispatch } = world;
  const apiKey = library.outsideKey;
  const request = await writeRequest(world, cast, library);
  const matches = await match(world, cast, request.id);
  const { pushed } = await push(world, cast, request.id, 202);
  const requestOf = (provider: string) =>
    pushed.find((entry: { match_guid: string }) => entry.match_guid === matches.get(provider)).request_guid;
  const mine = requestOf(library.outside);
  const arrival = await arrivalOf(world, 'request.dispatched', mine);
  assert.ok(arrival.isSigned);
  const respond = (decision: string, expect: number) =>
    call(arrival.event.data.respond_url, { json: { decision }, expect });
  await respond('accepted', 200);
  await respond('accepted', 200);
  await respond('rejected', 409);
  await taskOf(world, cast, requestOf(library.hosted), 'withdrawn');
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
  await requestWithStatus(world, cast, request.id, 'completed');
}

/** The administrator finds who looked at the patient's data, in all services; the patient sees it too. */
async function everyAccessIsRecorded({ world, cast }: Stage): Promise<void> {
  const look = (token: string) => async () => {
    const { body } = await call(`${world.engine}/AuditEvent?patient=Patient/${cast.patientGuid}&_count=200`, { token });
    const sources = new Set(
      (body.entry ?? []).map(
        (entry: { resource: { source: { observer: { display: string } } } }) => entry.resource.source.observer.display,
      ),
    );
    if (!['kedja-dispatch', 'kedja-engine'].every((source) => sources.has(source))) return undefined;
    return body;
  };
  await eventually('the administrator found the looks', look(cast.admin));
  await eventually('the patient found the looks', look(cast.patient));
}

async function signingOutReachesEveryService({ world, cast }: Stage): Promise<void> {
  await call(`${world.identity}/api/auth/logout`, { method: 'POST', token: cast.stranger });
  const after = Date.now();
  for (const url of [`${world.dispatch}/CarePlan`, `${world.engine}/Observation`]) {
    await eventually(`${url} refused the token`, async () => {
      const { status } = await fetch(url, { headers: { authorization: `Bearer ${cast.stranger}` } });
      return status === 401 ? true : undefined;
    });
  }
  assert.ok(Date.now() - after < 2_500, 'a sign-out takes effect everywhere within two seconds');
}
