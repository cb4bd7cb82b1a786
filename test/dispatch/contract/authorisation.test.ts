// Who may ask what of dispatch. The test calls every address of its OpenAPI document with every kind of caller, and the
// records of others (contract: dispatch, "Authentication"; decisions G7, G12). A caller who may is answered something
// else than 401 and 403.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CALLERS, ENGINE } from '#services/dispatch/testing/site.ts';
import { MORE_CALLERS, PROVIDER, startDispatchContract, UNKNOWN } from '#test/support/dispatch/dispatch-contract.ts';

const contract = await startDispatchContract({ after });
const { app, ask } = contract;
const pushed = await contract.pushed();
const draft = await contract.draft();

/** `key` has the scopes system/Patient.crs and system/CarePlan.r, `fullKey` all. */
const ANYONE = ['nobody', ...Object.keys(CALLERS), ...Object.keys(MORE_CALLERS)];
const ADMIN = ['admin'];
const PLANNERS = [...ADMIN, 'anna', 'bo', 'engineClinician'];
/** In the phases planning, analysis and followup. */
const FOLLOWERS = [...PLANNERS, 'reader'];
const PROVIDER_STAFF = ['staff', 'otherStaff'];
const CLINICIANS = [...PLANNERS, 'reader', 'idle', ...PROVIDER_STAFF];
const STAFF = [...CLINICIANS, 'engineReader'];
const PATIENTS = ['patient', 'otherPatient'];
/** For the patient p1. */
const PROXIES = ['readingProxy', 'actingProxy'];
const PATIENT_READERS = [...PATIENTS, ...PROXIES];
const PROVIDERS = ['provider', 'providerUser', 'otherProvider', ...PROVIDER_STAFF];
/** The engine is the caller `service`. */
const ENGINE_TOO = [...ADMIN, 'service'];
const PROVIDERS_TOO = [...ADMIN, ...PROVIDERS];
const NOTIFIED = [...PLANNERS, ...PROVIDERS, ...PATIENTS];
const RECORD_READERS = [...STAFF, ...PATIENT_READERS, 'fullKey'];
const RECORD_WRITERS = [...PLANNERS, 'fullKey'];
const REQUEST_READERS = [...CLINICIANS, ...PATIENT_READERS];
/** A proxy answers forms, and consents to nothing. */
const ANSWERING = [...PATIENTS, 'actingProxy'];
const FORM_READERS = STAFF;
/** In the phases planning and analysis. */
const RESULT_READERS = [...PLANNERS, 'reader', 'engineReader', ...PATIENT_READERS, 'fullKey'];

type Row = readonly [address: string, allowed: readonly string[]];

function ofRecord(type: string, given: { read: readonly string[]; write: readonly string[] }): Row[] {
  return [
    [`GET /${type}`, given.read],
    [`POST /${type}/_search`, given.read],
    [`POST /${type}`, given.write],
    [`GET /${type}/{id}`, given.read],
    [`PUT /${type}/{id}`, given.write],
    [`GET /${type}/{id}/_history`, given.read],
    [`GET /${type}/{id}/_history/{version}`, given.read],
  ];
}

const records = { read: RECORD_READERS, write: RECORD_WRITERS };

/** Every address and who may. What is in braces is nobody's and unknown. */
const MATRIX: readonly Row[] = [
  ['GET /livez', ANYONE],
  ['GET /readyz', ANYONE],
  ['GET /metrics', ANYONE],
  ['GET /metadata', ANYONE],
  ...ofRecord('Patient', records).map(([address, allowed]): Row => [address, withKey(address, allowed)]),
  ['DELETE /Patient/{id}', RECORD_WRITERS],
  ...ofRecord('CarePlan', records).map(([address, allowed]): Row => [address, withKey(address, allowed)]),
  // A patient decides about their own data alone.
  ...ofRecord('Consent', { read: RECORD_READERS, write: [...RECORD_WRITERS, ...PATIENTS] }),
  ['GET /own-consents', PATIENTS],
  ['POST /own-consents', PATIENTS],
  ['POST /own-consents/preview', PATIENTS],
  ['POST /own-consents/{consent_guid}/end', PATIENTS],
  ...ofRecord('Organization', { read: [...STAFF, ...PROVIDERS], write: ADMIN }),
  ...(
    [
      ['QuestionnaireResponse', RESULT_READERS],
      ['Observation', RESULT_READERS],
      ['Provenance', RECORD_READERS],
    ] as const
  ).flatMap(([type, readers]): Row[] => [
    [`GET /${type}`, readers],
    [`POST /${type}/_search`, readers],
    [`GET /${type}/{id}`, readers],
  ]),
  ['GET /QuestionnaireResponse/{id}/_history', RESULT_READERS],
  ['GET /QuestionnaireResponse/{id}/_history/{version}', RESULT_READERS],
  ['GET /ServiceRequest', REQUEST_READERS],
  ['POST /ServiceRequest/_search', REQUEST_READERS],
  ['POST /ServiceRequest', PLANNERS],
  ['GET /ServiceRequest/{id}', REQUEST_READERS],
  ['GET /Questionnaire', FORM_READERS],
  ['POST /Questionnaire/_search', FORM_READERS],
  ['GET /Questionnaire/{id}', FORM_READERS],
  ['POST /patient-reports/place', ['service']],
  ['POST /patient-reports/notices', ['service']],
  ['GET /patient-forms', PATIENT_READERS],
  ['GET /patient-forms/{guid}', PATIENT_READERS],
  ...['PUT', 'DELETE'].map((method): Row => [`${method} /patient-forms/{guid}/draft`, ANSWERING]),
  ...['POST', 'PUT', 'DELETE'].map((method): Row => [`${method} /patient-forms/{guid}/response`, ANSWERING]),
  ['POST /patient-forms/{guid}/review', [...PLANNERS, 'reader']],
  ['GET /ServiceRequest/{id}/snapshot', REQUEST_READERS],
  ['PUT /ServiceRequest/{id}/snapshot', PLANNERS],
  ...['finalize', 'hold', 'resume', 'archive', 'revoke', 'match', 'push', 'push/{match_guid}'].map(
    (operation): Row => [`POST /ServiceRequest/{id}/${operation}`, PLANNERS],
  ),
  ['GET /ServiceRequest/{id}/matches', REQUEST_READERS],
  ['GET /ServiceRequest/{id}/results', REQUEST_READERS],
  ['GET /ServiceRequest/{id}/matches/{match_guid}/attempts', REQUEST_READERS],
  ...['POST', 'GET', 'DELETE'].map(
    (method): Row => [`${method} /ServiceRequest/{id}/matches/{match_guid}/link`, PLANNERS],
  ),
  ['GET /ServiceRequest/{id}/forms', REQUEST_READERS],
  ['POST /ServiceRequest/{id}/forms', PLANNERS],
  ['DELETE /ServiceRequest/{id}/forms/{form_attachment_guid}', PLANNERS],
  ['POST /ServiceRequest/{id}/forms/reorder', PLANNERS],
  ['GET /Form', FORM_READERS],
  ['GET /Form/{form_guid}', FORM_READERS],
  ['GET /schemas/render-ready-form', [...STAFF, ...PATIENT_READERS, ...PROVIDERS, 'key', 'fullKey']],
  ['GET /careplans/{guid}/context', [...RECORD_READERS, 'key']],
  ['GET /providers/{provider_guid}/endpoint', PROVIDERS_TOO],
  ['PUT /providers/{provider_guid}/endpoint', ENGINE_TOO],
  ['DELETE /providers/{provider_guid}/endpoint', ADMIN],
  ['POST /providers/{provider_guid}/endpoint/rotate-secret', [...ENGINE_TOO, ...PROVIDERS]],
  ['POST /providers/{provider_guid}/endpoint/ping', PROVIDERS_TOO],
  ['GET /providers/{provider_guid}/deliveries', PROVIDERS_TOO],
  ['GET /providers/{provider_guid}/deliveries/{delivery_guid}', PROVIDERS_TOO],
  ['GET /providers/{provider_guid}/deliveries/{delivery_guid}/payload', PROVIDERS_TOO],
  ['POST /providers/{provider_guid}/deliveries/{delivery_guid}/resend', PROVIDERS_TOO],
  ['GET /deliveries', ADMIN],
  ['GET /deliveries/{guid}', ADMIN],
  ['GET /dead-letters', ADMIN],
  ['GET /dead-letters/causes', ADMIN],
  ['POST /dead-letters/{guid}/discard', ADMIN],
  ['POST /dead-letters/{guid}/replay', ADMIN],
  ['POST /dead-letters/replay', ADMIN],
  // Of the providers, those whose feed it is.
  ['GET /requests', [...ADMIN, 'provider', 'providerUser', 'staff']],
  ['POST /requests/reportable', ['service']],
  ['POST /requests/{request_guid}/results', ['service']],
  ['GET /requests/{request_guid}/questions', [...ADMIN, ...PROVIDERS]],
  ['POST /requests/{request_guid}/questions', [...ADMIN, ...PROVIDERS]],
  ['GET /ServiceRequest/{id}/questions', REQUEST_READERS],
  ['POST /ServiceRequest/{id}/questions/{question_guid}/answer', PLANNERS],
  ['POST /access-checks', ADMIN],
  ['GET /worklist', FOLLOWERS],
  ['GET /worklist/stream', FOLLOWERS],
  ['GET /statistics', FOLLOWERS],
  ['GET /settings', ADMIN],
  ['GET /status', STAFF],
  ['GET /notifications', NOTIFIED],
  ['GET /notifications/stream', NOTIFIED],
  ['GET /notifications/settings', NOTIFIED],
  ['PUT /notifications/settings', NOTIFIED],
  ['POST /notifications/{guid}/read', NOTIFIED],
  ['POST /notifications/read-all', NOTIFIED],
  ['PUT /requests/{request_guid}/status', [...ENGINE_TOO, ...PROVIDERS]],
  ['POST /requests/{request_guid}/status', [...ENGINE_TOO, ...PROVIDERS]],
  ['POST /ServiceRequest/receipt/{token}/status', ANYONE],
  ['POST /ServiceRequest/receipt/{token}/respond', ANYONE],
];

/** The key with few scopes may what these say: create, read and search patients, read CarePlans. */
function withKey(address: string, allowed: readonly string[]): readonly string[] {
  const mayPatient = /^(GET \/Patient|POST \/Patient)/.test(address);
  const mayCarePlan = /^GET \/CarePlan\/\{id\}/.test(address);
  return mayPatient || mayCarePlan ? [...allowed, 'key'] : allowed;
}

const OUTSIDE = new Set(['/livez', '/readyz', '/metrics']);

const QUERIES: Readonly<Record<string, string>> = {
  'GET /requests': `?provider_guid=${PROVIDER}`,
  'GET /notifications/stream': '?seconds=0',
  'GET /worklist/stream': '?seconds=0',
};

function concrete(address: string): string {
  const known = address + (QUERIES[address] ?? '');
  return known.replaceAll(/\{\w+\}/g, UNKNOWN);
}

for (const [address, allowed] of MATRIX) {
  const [method = '', path = ''] = address.split(' ');
  test(`${address}: for ${allowed.length === ANYONE.length ? 'anybody' : allowed.join(', ')}`, async () => {
    const body = method === 'POST' || method === 'PUT' ? emptyOf(path) : {};
    for (const as of ANYONE) {
      const answer = OUTSIDE.has(path)
        ? await contract.call('GET', path, { as })
        : await ask(concrete(address), { as, ...body });
      const { status, text } = answer;
      const expected = allowed.includes(as) ? 'in' : as === 'nobody' ? 'unknown' : 'out';
      const actual = status === 403 ? 'out' : status === 401 ? 'unknown' : 'in';
      assert.equal(actual, expected, `${as}: ${status} ${text}`);
      assert.ok(status < 500, text);
      if (actual === 'unknown') assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });
}

/** Checked after the right to send one. */
function emptyOf(path: string): object {
  if (!path.endsWith('/_search')) return { body: {} };
  return { text: '_count=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
}

test('the matrix names every address of the document, each once', async () => {
  const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, object> };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
  );
  assert.deepEqual(MATRIX.map(([address]) => address).sort(), served.sort());
});

const OWN: Readonly<Record<string, string>> = {
  id: draft,
  version: '1',
  form_attachment_guid: UNKNOWN,
  match_guid: pushed.match,
  question_guid: UNKNOWN,
};

/** Bodies that are right, so that nothing but whose record it is can refuse them. */
function bodyOf(address: string): object {
  if (address.endsWith('/answer')) return { body: { answer: 'Yes' } };
  if (address.endsWith('/reorder')) return { body: { ordered_guids: [] } };
  if (address === 'POST /ServiceRequest/{id}/forms')
    return { body: { form_guid: contract.world.resources[1]?.['id'] } };
  return address.startsWith('POST') || address.startsWith('PUT') ? { body: {} } : {};
}

for (const [address, allowed] of MATRIX) {
  if (!address.includes('/ServiceRequest/{id}')) continue;
  test(`${address}: 404 for a record of others, as for none`, async () => {
    const path = (id: string) => address.replaceAll(/\{(\w+)\}/g, (_, name) => ({ ...OWN, id })[name as string] ?? '');
    for (const as of ['bo', 'otherPatient'].filter((name) => allowed.includes(name))) {
      for (const id of [draft, pushed.id, UNKNOWN, 'no-guid']) {
        await contract.refuse(path(id), { as, ...bodyOf(address) }, 404, 'not_found');
      }
    }
  });
}

test('records of others: 404 when read and written, absent when searched, backwards too', async () => {
  const made = await ask('POST /CarePlan', {
    body: { resourceType: 'CarePlan', status: 'active', intent: 'plan', subject: { reference: 'Patient/p1' } },
  });
  const carePlan = String(made.body['id']);
  for (const as of ['bo', 'otherPatient']) {
    for (const address of ['/Patient/p1', `/CarePlan/${carePlan}`, '/Consent/consent-1', `/ServiceRequest/${draft}`]) {
      await contract.refuse(`GET ${address}`, { as }, 404, 'not_found');
    }
    for (const search of ['/Patient', '/CarePlan', '/Consent', '/ServiceRequest', '/Patient?_id=p1']) {
      assert.equal((await ask(`GET ${search}`, { as })).body['total'], 0, `${as} ${search}`);
    }
    await contract.refuse(`GET /careplans/${carePlan}/context`, { as }, 404, 'not_found');
  }
  for (const as of ['patient', 'anna', 'admin']) {
    assert.equal((await ask('GET /Patient/p1', { as })).status, 200, as);
    assert.equal((await ask(`GET /ServiceRequest/${draft}`, { as })).status, 200, as);
  }
  const theft = { resourceType: 'Patient', id: 'p1', name: [{ family: 'Taken' }] };
  assert.ok((await ask('PUT /Patient/p1', { as: 'bo', body: theft })).status >= 400);
  assert.ok(!(await ask('GET /Patient/p1')).text.includes('Taken'));
});

test("a provider's key sees and reports its own requests alone: 403 for another's feed, 404 for another's request", async () => {
  const feed = (as: string) => ask(`GET /requests?provider_guid=${PROVIDER}`, { as });
  assert.equal((await feed('provider')).text.includes(pushed.request), true);
  await contract.refuse(`GET /requests?provider_guid=${PROVIDER}`, { as: 'otherProvider' }, 403, 'forbidden');
  assert.ok(!(await ask('GET /requests', { as: 'otherProvider' })).text.includes(pushed.request));
  const body = { status: 'acknowledged' };
  await contract.refuse(`PUT /requests/${pushed.request}/status`, { as: 'otherProvider', body }, 404, 'not_found');
});

test('beyond consents about themselves patients write nothing of what they read', async () => {
  const as = 'patient';
  const endpoint = { url: `${ENGINE}/inbox`, enabled: true };
  for (const [address, body] of [
    ['PUT /Patient/p1', { resourceType: 'Patient', id: 'p1' }],
    [
      'POST /CarePlan',
      { resourceType: 'CarePlan', status: 'active', intent: 'plan', subject: { reference: 'Patient/p1' } },
    ],
    [`POST /ServiceRequest/${draft}/finalize`, {}],
    [`PUT /ServiceRequest/${draft}/snapshot`, {}],
    [`PUT /providers/${PROVIDER}/endpoint`, endpoint],
  ] as const) {
    await contract.refuse(address, { as, body }, 403, 'forbidden');
  }
});

test('the requester sees who of the provider accepted and reported; the patient sees the provider alone', async () => {
  const { id, request } = await contract.pushed();
  await ask(`POST /ServiceRequest/receipt/${request}/respond`, { as: 'staff', body: { decision: 'accepted' } });
  await ask(`PUT /requests/${request}/status`, { as: 'staff', body: { status: 'in_progress' } });
  const matchFor = async (as: string) => {
    const { body } = await ask(`GET /ServiceRequest/${id}/matches`, { as });
    const [match] = body['data'] as Record<string, unknown>[];
    return [match?.['progress'], match?.['accepted_by'], match?.['reported_by']];
  };
  assert.deepEqual(await matchFor('anna'), ['in_progress', { name: 'Sara Ek' }, { name: 'Sara Ek' }]);
  assert.deepEqual(await matchFor('patient'), ['in_progress', undefined, undefined]);
});
