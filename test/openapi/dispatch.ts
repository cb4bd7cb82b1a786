// Calls of dispatch in the order of a request's life: records, draft, forms, finalize, match, push, the provider's
// side, endpoints and deliveries.

import { FORM, makeActive, makeCarePlan, makeDraft, OTHER_FORM, PLAN } from '#services/dispatch/testing/samples.ts';
import { BASE, ENGINE, type Site } from '#services/dispatch/testing/site.ts';
import { makeSiteWorker } from '#services/dispatch/testing/site-worker.ts';
import type { PushedRequest } from '#test/support/dispatch/dispatch-contract.ts';
import type { Recorder } from './recorder.ts';
import { SETTING } from './setting.ts';

const as = 'anna';
const TOKEN = 'Vb1n0cS0yQ4T2mL8wR6uK3xJ9hF5dG7aP1zE2iO4sYc';
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const PROVIDER = 'provider-1';
const STREAM = 'retry: 3000\n\nevent: end\ndata: {"reason":"finished"}\n\n';

const ROUTE = {
  method: 'GET',
  route: '/api/v1/worklist',
  count: 1200,
  errors: 0,
  mean_ms: 3.1,
  p50_ms: 2.8,
  p95_ms: 5.6,
  p99_ms: 9.9,
};
/** What the status of a service shows that runs. */
const STATUS = {
  latency_ms: 0.4,
  requests: { total: 1200, errors: 0, routes: [ROUTE] },
  deliveries: { waiting: 3, dead: 1, oldest_s: 12.5 },
};

export async function records({ example }: Recorder, site: Site): Promise<void> {
  const patient = { resourceType: 'Patient', name: [{ family: 'Ek', given: ['Maj'] }], birthDate: '1950-02-03' };
  const made = await example('POST /Patient', { as, body: patient, status: 201 });
  const parameters = { id: String(made.body.id) };
  await example('GET /Patient/{id}', { as, parameters });
  await example('PUT /Patient/{id}', { as, parameters, body: { ...made.body, gender: 'female' } });
  await example('GET /Patient', { as, parameters: { name: 'ek', _count: '10' } });
  await example('DELETE /Patient/{id}', { as, parameters, status: 204 });
  const guid = await makeCarePlan(site);
  await example('GET /CarePlan', { as, parameters: { patient_guid: 'p1' } });
  await example('GET /careplans/{guid}/context', { as, parameters: { guid } });
  const consent = {
    resourceType: 'Consent',
    status: 'active',
    subject: { reference: 'Patient/p1' },
    decision: 'permit',
  };
  await example('POST /Consent', { as, body: consent, status: 201 });
  const organisation = { resourceType: 'Organization', id: PROVIDER, name: 'Hemvården' };
  await example('PUT /Organization/{id}', {
    as: 'admin',
    parameters: { id: PROVIDER },
    body: organisation,
    status: 201,
  });
}

/** What the patient decides. */
export async function ownConsents({ example }: Recorder): Promise<void> {
  const patient = 'patient';
  await example('GET /own-consents', { as: patient });
  const varies = { at: '2026-03-01T08:00:00.000Z' };
  await example('POST /own-consents/preview', { as: patient, body: { decision: 'deny' }, varies });
  const body = { decision: 'deny', organisation_guid: PROVIDER, ends_on: '2026-12-31' };
  const given = await example('POST /own-consents', { as: patient, body, status: 201 });
  const parameters = { consent_guid: String(given.body.consent_guid) };
  await example('POST /own-consents/{consent_guid}/end', { as: patient, parameters });
}

export async function drafts({ example }: Recorder, site: Site): Promise<void> {
  const body = { careplan_guid: await makeCarePlan(site) };
  const made = await example('POST /ServiceRequest', { as, body, status: 201 });
  const id = String(made.body.id);
  const parameters = { id };
  await example('GET /ServiceRequest/{id}', { as, parameters });
  await example('GET /ServiceRequest', { as, parameters: { status: 'draft', page: '1', per_page: '1' } });
  await example('GET /ServiceRequest/{id}/snapshot', { as, parameters });
  const snapshot = { plan_definition: PLAN, note: 'Mornings', priority: 'urgent', occurrence: '2026-03-02' };
  await example('PUT /ServiceRequest/{id}/snapshot', { as, parameters, body: snapshot });
  await example('GET /Form', { as });
  await example('GET /Form/{form_guid}', { as, parameters: { form_guid: FORM.id } });
  await example('GET /schemas/render-ready-form', { as });
  const attach = { as, parameters, body: { form_guid: FORM.id }, status: 201 };
  const one = await example('POST /ServiceRequest/{id}/forms', attach);
  const two = await site.call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: OTHER_FORM.id } });
  const [first, second] = [one.body.form_attachment_guid, String(two.body['form_attachment_guid'])];
  const order = { ordered_guids: [second, first] };
  await example('POST /ServiceRequest/{id}/forms/reorder', { as, parameters, body: order });
  const removed = { id, form_attachment_guid: second };
  await example('DELETE /ServiceRequest/{id}/forms/{form_attachment_guid}', { as, parameters: removed, status: 204 });
  await example('GET /ServiceRequest/{id}/forms', { as, parameters });
  await example('POST /ServiceRequest/{id}/finalize', { as, parameters, body: {} });
  await example('POST /ServiceRequest/{id}/finalize', { as, parameters, body: {}, status: 409, summary: 'no draft' });
  await example('POST /ServiceRequest/{id}/hold', { as, parameters, body: {} });
  await example('POST /ServiceRequest/{id}/resume', { as, parameters, body: {} });
  await example('POST /ServiceRequest/{id}/revoke', { as, parameters, body: { reason: 'Admitted to hospital' } });
  await example('POST /ServiceRequest/{id}/archive', { as, parameters, body: {} });
}

/** A form that the patient answers. */
export async function patientForms({ example }: Recorder, site: Site): Promise<void> {
  const id = await makeDraft(site);
  const form = { form_guid: FORM.id, answered_by: 'patient', due: '2026-04-01' };
  const attached = await example('POST /ServiceRequest/{id}/forms', {
    as,
    parameters: { id },
    body: form,
    status: 201,
    summary: 'for the patient',
  });
  await site.call('POST', `ServiceRequest/${id}/finalize`);
  const parameters = { guid: attached.body.form_attachment_guid };
  const body = {
    resourceType: 'QuestionnaireResponse',
    item: [{ linkId: '1', answer: [{ valueBoolean: false }] }],
  };
  const patient = 'patient';
  await example('GET /patient-forms', { as: patient, parameters: { status: 'to_do' } });
  await example('PUT /patient-forms/{guid}/draft', { as: patient, parameters, body });
  await example('GET /patient-forms/{guid}', { as: patient, parameters });
  await example('DELETE /patient-forms/{guid}/draft', { as: patient, parameters });
  const made = await example('POST /patient-forms/{guid}/response', { as: patient, parameters, body, status: 201 });
  const missing = { resourceType: 'QuestionnaireResponse' };
  await example('PUT /patient-forms/{guid}/response', { as: patient, parameters, body });
  await example('PUT /patient-forms/{guid}/response', {
    as: patient,
    parameters,
    body: missing,
    status: 400,
    summary: 'faults',
  });
  await example('DELETE /patient-forms/{guid}/response', { as: patient, parameters, status: 204 });
  await site.call('POST', `patient-forms/${parameters.guid}/response`, { as: patient, body });
  await example('POST /patient-forms/{guid}/review', { as, parameters });
  const placing = { patient_ids: ['p1'], based_on: [`ServiceRequest/${id}`] };
  await example('POST /patient-reports/place', { as: 'service', body: placing });
  const told = { ...placing, organisation_guid: PROVIDER, resource_type: 'Observation' };
  await example('POST /patient-reports/notices', { as: 'service', body: { notices: [told] }, status: 204 });
  await example('GET /QuestionnaireResponse/{id}', { as, parameters: { id: made.body.id } });
}

export async function pushes({ example, show }: Recorder, site: Site): Promise<PushedRequest> {
  const id = await makeActive(site);
  const parameters = { id };
  const matched = await example('POST /ServiceRequest/{id}/match', { as, parameters, body: { region: 'Skåne' } });
  const match = String(matched.body.matches[0].match_guid);
  await example('GET /ServiceRequest/{id}/matches', { as, parameters });
  const pushed = await example('POST /ServiceRequest/{id}/push', {
    as,
    parameters,
    body: { selection: 'first' },
    status: 202,
  });
  const request = String(pushed.body.pushed[0].request_guid);
  const feed = await site.call('GET', 'requests', { as: 'provider' });
  const [item] = feed.body['requests'] as { receipt_token: string }[];
  const token = String(item?.receipt_token);
  show(token, TOKEN);
  const caller = { kind: 'provider', guid: PROVIDER };
  await example('POST /access-checks', { as: 'admin', body: { caller, resource_type: 'ServiceRequest', id } });
  await example('GET /ServiceRequest/{id}/matches/{match_guid}/attempts', {
    as,
    parameters: { id, match_guid: match },
  });
  const another = await makeActive(site);
  const { body } = await site.call('POST', `ServiceRequest/${another}/match`);
  const [other] = body['matches'] as { match_guid: string }[];
  const one = { id: another, match_guid: String(other?.match_guid) };
  await example('POST /ServiceRequest/{id}/push/{match_guid}', { as, parameters: one, body: {}, status: 202 });
  const link = { as, parameters: { id, match_guid: match }, body: { qr: true } };
  const own = { link: `${BASE.replace('/api/v1', '')}/receipt#${TOKEN}`, qr_svg: '<svg>…</svg>' };
  await example('POST /ServiceRequest/{id}/matches/{match_guid}/link', { ...link, varies: own });
  const state = { as, parameters: link.parameters };
  await example('GET /ServiceRequest/{id}/matches/{match_guid}/link', state);
  await example('DELETE /ServiceRequest/{id}/matches/{match_guid}/link', { ...state, status: 204 });
  return { id, match, request, token };
}

export async function providers({ example }: Recorder, { id, request, token }: PushedRequest): Promise<void> {
  const provider = 'provider';
  const parameters = { request_guid: request };
  const next = { next_cursor: 'WyJuZXh0Il0' };
  await example('GET /requests', { as: provider, parameters: { provider_guid: PROVIDER, limit: '1' }, varies: next });
  const question = { question: 'Is there a lift?' };
  const asked = await example('POST /requests/{request_guid}/questions', {
    as: provider,
    parameters,
    body: question,
    status: 201,
  });
  const cursor = { cursor: 'W1sib3JnYW5pc2F0aW9uLzAxOWEiLDFdXQ' };
  await example('GET /settings', { as: 'admin', varies: { settings: [SETTING] } });
  await example('GET /status', { as: 'admin', varies: STATUS });
  await example('GET /worklist', { as, parameters: { stage: 'unanswered', order: 'oldest' } });
  await example('GET /worklist/stream', { as, parameters: { seconds: '0' }, text: STREAM });
  await example('GET /statistics', { as });
  const notifications = await example('GET /notifications', { as, parameters: { unread: 'true' }, varies: cursor });
  const guid = String(notifications.body.data[0].notification_guid);
  await example('POST /notifications/{guid}/read', { as, parameters: { guid } });
  await example('POST /notifications/read-all', { as });
  await example('GET /notifications/settings', { as });
  await example('PUT /notifications/settings', { as, body: { digest: 'off', language: 'en' } });
  await example('GET /notifications/stream', { as, parameters: { seconds: '0' }, text: STREAM });
  await example('GET /ServiceRequest/{id}/questions', { as, parameters: { id } });
  const answer = { as, parameters: { id, question_guid: String(asked.body.question_guid) }, body: { answer: 'Yes' } };
  await example('POST /ServiceRequest/{id}/questions/{question_guid}/answer', answer);
  await example('GET /requests/{request_guid}/questions', { as: provider, parameters });
  const about = { provider_guids: [PROVIDER], service_request_ids: [id] };
  await example('POST /requests/reportable', { as: 'service', body: about });
  const written = { results: ['https://engine.example.org/api/v1/Observation/weight-1'] };
  await example('POST /requests/{request_guid}/results', { as: 'service', parameters, body: written, status: 204 });
  await example('GET /ServiceRequest/{id}/results', { as, parameters: { id } });
  const decision = { parameters: { token }, body: { decision: 'accepted' } };
  await example('POST /ServiceRequest/receipt/{token}/respond', decision);
  const started = { as: provider, parameters, body: { status: 'in_progress', note: 'Has begun' } };
  await example('PUT /requests/{request_guid}/status', started);
  const results = { resourceType: 'Bundle', type: 'collection', entry: [{ resource: OBSERVATION }] };
  const report = { as: provider, parameters, body: { status: 'completed', note: 'Went well', results } };
  await example('POST /requests/{request_guid}/status', report);
  const byToken = { parameters: { token }, body: { status: 'completed', results } };
  await example('POST /ServiceRequest/receipt/{token}/status', byToken);
}

const OBSERVATION = {
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'Body weight' },
  valueQuantity: { value: 80.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
};

export async function deliveries({ example }: Recorder, site: Site): Promise<void> {
  const admin = 'admin';
  const parameters = { provider_guid: PROVIDER };
  const varies = { secret: SECRET };
  const body = { url: `${ENGINE}/inbox`, enabled: true };
  await example('PUT /providers/{provider_guid}/endpoint', { as: admin, parameters, body, status: 201, varies });
  await example('GET /providers/{provider_guid}/endpoint', { as: admin, parameters });
  const rotation = { as: admin, parameters, body: { grace_hours: 24 }, varies };
  await example('POST /providers/{provider_guid}/endpoint/rotate-secret', rotation);
  await example('POST /providers/{provider_guid}/endpoint/ping', { as: admin, parameters, status: 202 });
  // One that is sent again, and one that is discarded.
  await site.call('POST', `providers/${PROVIDER}/endpoint/ping`, { as: admin });
  const { worker } = makeSiteWorker(site, () => 503);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await worker.runOnce();
    site.clock.move(60_000);
  }
  const listed = await example('GET /dead-letters', { as: admin, parameters });
  await example('GET /dead-letters/causes', { as: admin });
  const guid = String(listed.body.data[0].delivery_guid);
  await example('GET /deliveries', { as: admin, parameters: { status: 'dead', per_page: '5' } });
  await example('GET /deliveries/{guid}', { as: admin, parameters: { guid }, varies: { duration_ms: 12 } });
  await example('POST /dead-letters/{guid}/replay', { as: admin, parameters: { guid }, status: 202 });
  const given = { as: admin, parameters: { guid: String(listed.body.data[1].delivery_guid) } };
  await example('POST /dead-letters/{guid}/discard', { ...given, body: { reason: 'The provider has closed' } });
  await example('POST /dead-letters/replay', { as: admin, body: parameters, status: 202 });
  await ownDeliveries(example, guid);
  await example('DELETE /providers/{provider_guid}/endpoint', { as: admin, parameters, status: 204 });
}

/** As the provider sees the delivery, which is due again. */
async function ownDeliveries(example: Recorder['example'], guid: string): Promise<void> {
  const own = { as: 'provider', parameters: { provider_guid: PROVIDER } };
  const one = { ...own, parameters: { provider_guid: PROVIDER, delivery_guid: guid } };
  const path = '/providers/{provider_guid}/deliveries';
  await example(`GET ${path}`, { ...own, parameters: { ...own.parameters, per_page: '5' } });
  await example(`GET ${path}/{delivery_guid}`, { ...one, varies: { duration_ms: 12 } });
  await example(`GET ${path}/{delivery_guid}/payload`, one);
  await example(`POST ${path}/{delivery_guid}/resend`, { ...one, status: 202 });
}

/** So that what is listed has something in it. */
export async function prepare(site: Site): Promise<void> {
  await makeDraft(site);
}
