// Nobody learns of another organisation's patients and requests at dispatch (decisions G7, G12, docs/adr/0059). Callers
// who may not see it ask every address of the OpenAPI document that names something. They ask about what is there and
// hidden, and about what is not there. Both are answered alike: status, headers and body.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FORM, makeCarePlan } from '#services/dispatch/testing/samples.ts';
import { PROVIDER, startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { type ComparableResponse, comparableResponse, type PairedRequest } from '#test/support/paired-responses.ts';

const contract = await startDispatchContract({ after });
const { app, ask } = contract;
const carePlan = await makeCarePlan(contract);
const pushed = await contract.pushed();
const draft = await contract.draft();
const attached = await ask(`POST /ServiceRequest/${draft}/forms`, { body: { form_guid: FORM.id } });
const attachment = String(attached.body['form_attachment_guid']);
const asking = await ask(`POST /requests/${pushed.request}/questions`, { as: 'provider', body: { question: 'When?' } });
assert.equal(asking.status, 201, asking.text);
const question = String(asking.body['question_guid']);

/** Another organisation's planner, another patient, another provider, and keys that belong to none of them. */
const OUTSIDERS = ['bo', 'otherPatient', 'otherProvider', 'fullKey', 'key'];
const ABSENT = '01900000-0000-7000-8000-00000000ffff';

/** What is there of each kind, and twins of its names that are not there. */
const THERE: Readonly<Record<string, string>> = {
  Patient: 'p1',
  CarePlan: carePlan,
  Consent: 'consent-1',
  careplans: carePlan,
  requests: pushed.request,
};
const ABSENT_OF: Readonly<Record<string, string>> = { Patient: 'p9', Consent: 'consent-9' };

interface Pair {
  readonly method: string;
  /** Of the thing, and of the twin. */
  readonly paths: readonly [there: string, absent: string];
  readonly names: readonly [there: string, absent: string];
  readonly body?: object | string;
  readonly bodyType?: string;
}

/** What is beneath a request: of a draft and of one that is pushed. */
function below(path: string, id: string): string {
  return path
    .replace(/\{(id|guid|request_guid)\}/, id)
    .replace('{version}', '1')
    .replace('{form_attachment_guid}', attachment)
    .replace('{match_guid}', pushed.match)
    .replace('{question_guid}', question);
}

function bodyOf(method: string, path: string): Pick<Pair, 'body' | 'bodyType'> {
  const json = (body: object) => ({ body, bodyType: 'application/json' });
  if (method === 'GET' || method === 'DELETE') return {};
  if (path.endsWith('/reorder')) return json({ ordered_guids: [attachment] });
  if (path.endsWith('/answer')) return json({ answer: 'Yes' });
  if (path.endsWith('/questions')) return json({ question: 'Why?' });
  if (path.endsWith('/forms')) return json({ form_guid: FORM.id });
  return json(path.endsWith('/status') ? { status: 'acknowledged' } : {});
}

const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, object> };

/** A PUT of a record may make one: see docs/adr/0059. Providers' endpoints and deliveries are administrators'. */
function pairsOf(path: string, method: string): Pair[] {
  const kind = path.split('/')[1] ?? '';
  const isRecord = ['Patient', 'CarePlan', 'Consent'].includes(kind);
  if (!/\{(id|guid|request_guid)\}/.test(path) || (method === 'PUT' && isRecord)) return [];
  const there = kind === 'ServiceRequest' ? [draft, pushed.id] : [THERE[kind] ?? ''];
  const absent = ABSENT_OF[kind] ?? ABSENT;
  return there
    .filter((id) => id !== '')
    .map(
      (id): Pair => ({
        method,
        paths: [below(path, id), below(path, absent)],
        names: [id, absent],
        ...bodyOf(method, path),
      }),
    );
}

const PAIRS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).flatMap((method) => pairsOf(path.replace('/api/v1', ''), method.toUpperCase())),
);

async function assertAlike(
  caller: string,
  { method, paths: [there, absent], names, ...rest }: Pair,
): Promise<ComparableResponse> {
  const of = (path: string, name: string) =>
    comparableResponse(app, caller, { method, path, ...rest } satisfies PairedRequest, { NAME: name });
  const [one, other] = [await of(there, names[0]), await of(absent, names[1])];
  assert.deepEqual(one, other, `${caller} ${method} ${there}`);
  assert.ok(one.status < 500 && !one.body.includes('Ek'), `${caller} ${method} ${there}: ${one.body}`);
  return one;
}

test('every address answers of what is hidden as of what is not there', async () => {
  assert.ok(PAIRS.length > 40, String(PAIRS.length));
  for (const pair of PAIRS) for (const caller of OUTSIDERS) await assertAlike(caller, pair);
});

test('what names it in a search finds nothing, whatever is asked of the answer', async () => {
  const more = ['', '&_count=0', '&_total=accurate', '&_sort=-_lastUpdated', '&per_page=1&page=1', '&_summary=count'];
  const searches = [
    (name: string) => `/Patient?_id=${name}`,
    (name: string) => `/Patient?identifier=${name}`,
    (name: string) => `/CarePlan?patient_guid=${name}`,
    (name: string) => `/Consent?patient_guid=${name}`,
    (name: string) => `/ServiceRequest?subject=Patient/${name}`,
    (name: string) => `/CarePlan?subject:Patient._id=${name}`,
    (name: string) => `/Patient?_has:CarePlan:patient:_id=${name}`,
  ];
  for (const search of searches)
    for (const rest of more)
      for (const caller of OUTSIDERS)
        await assertAlike(caller, {
          method: 'GET',
          paths: [search('p1') + rest, search('p9') + rest],
          names: ['p1', 'p9'],
        });
});

test('a feed, a receipt token and an Idempotency-Key of others are as good as none', async () => {
  const feed = (provider: string) => `/requests?provider_guid=${provider}`;
  const refused = await assertAlike('otherProvider', {
    method: 'GET',
    paths: [feed(PROVIDER), feed('provider-9')],
    names: [PROVIDER, 'provider-9'],
  });
  assert.equal(refused.status, 403);
  const send = (caller: string, key: string) => {
    const body = { resourceType: 'Patient', name: [{ family: 'Ny' }] };
    return comparableResponse(
      app,
      caller,
      { method: 'POST', path: '/Patient', headers: { 'idempotency-key': key }, body },
      {},
    );
  };
  assert.equal((await send('anna', 'a-key-that-is-used')).status, 201);
  for (const caller of OUTSIDERS)
    assert.deepEqual(
      await send(caller, 'a-key-that-is-used'),
      await send(caller, `a-key-that-is-new-${caller}`),
      caller,
    );
});

test('a consent about a patient who is hidden is refused as about one who is not there', async () => {
  const about = (name: string) => ({
    resourceType: 'Consent',
    status: 'active',
    decision: 'permit',
    subject: { reference: `Patient/${name}` },
  });
  for (const caller of ['bo', 'fullKey']) {
    const of = (name: string) =>
      comparableResponse(app, caller, { method: 'POST', path: '/Consent', body: about(name) }, { NAME: name });
    const [hidden, absent] = [await of('p1'), await of('p9')];
    assert.deepEqual(hidden, absent, caller);
    assert.equal(hidden.status, 422);
  }
});

test('what they have asked for has changed nothing', async () => {
  for (const path of ['/Patient/p1', '/Consent/consent-1']) assert.equal((await ask(`GET ${path}`)).status, 200, path);
  const { body } = await ask(`GET /ServiceRequest/${draft}/forms`);
  assert.equal(JSON.stringify(body).split(attachment).length, 2);
  assert.equal((await ask(`GET /ServiceRequest/${draft}`)).body['status'], 'draft');
  assert.equal((await ask(`GET /ServiceRequest/${pushed.id}`)).body['status'], 'active');
});
