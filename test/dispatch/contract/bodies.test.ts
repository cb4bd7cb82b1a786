// What every address of dispatch does with what it cannot read, whatever it is for (decisions G1, G2, G3, G4). The
// tests send unreadable, foreign, too large or wrongly formed bodies and parameters, other methods, and guids that are
// none.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { wireFormOf } from '#services/dispatch/plugin.ts';
import { PROVIDER, startDispatchContract, UNKNOWN } from '#test/support/dispatch/dispatch-contract.ts';

interface Operation {
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema?: { readonly additionalProperties?: boolean } }>;
  };
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

const contract = await startDispatchContract({ after });
const { app, ask, refuse } = contract;
const draft = await contract.draft();
const pushed = await contract.pushed();
const document = (await app.inject('/openapi.json')).json() as { paths: Record<string, Record<string, Operation>> };

const REAL: Readonly<Record<string, string>> = {
  id: draft,
  match_guid: pushed.match,
  token: pushed.token,
  provider_guid: PROVIDER,
  request_guid: pushed.request,
};

/** `METHOD /path` of every operation below /api/v1, as the document names it. */
const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  path.startsWith('/api/v1/')
    ? Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.slice('/api/v1'.length),
        operation,
      }))
    : [],
);
const WITH_BODY = OPERATIONS.filter(
  ({ operation, path }) => operation.requestBody !== undefined && !path.endsWith('/_search'),
);
const admin = 'admin';
const OF_ENGINE = new Set([
  '/patient-reports/place',
  '/patient-reports/notices',
  '/requests/reportable',
  '/requests/{request_guid}/results',
]);
/** Patients answer their forms and give their consents, and nobody else does; administrators may do all the rest. */
const callerOf = (path: string) => {
  if (OF_ENGINE.has(path)) return 'service';
  return /^\/(?:patient-forms(?!.*\/review$)|own-consents)/.test(path) ? 'patient' : admin;
};

function real(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => REAL[name] ?? UNKNOWN);
}

for (const { method, path } of WITH_BODY) {
  const as = callerOf(path);
  const address = `${method} ${real(path)}`;
  const isRecord = /^\/(Patient|CarePlan|Consent|Organization)/.test(path);

  test(`${method} ${path}: unreadable JSON is 400, whatever is wrong with it`, async () => {
    for (const text of ['{', '{"a": 1,}', '[1]', '"text"', 'null', '{"a":1}{"a":1}', '\uFEFF\u0000']) {
      const { status, text: body } = await ask(address, { as, text });
      assert.equal(status, 400, `${text}: ${body}`);
    }
    await refuse(address, { as, text: '{' }, 400, 'invalid_request');
  });

  test(`${method} ${path}: another media type is 415`, async () => {
    for (const type of ['application/xml', 'application/fhir+xml', 'text/plain', 'application/octet-stream']) {
      await refuse(address, { as, text: '<a/>', headers: { 'content-type': type } }, 415, 'unsupported_media_type');
    }
  });

  test(`${method} ${path}: text that is no UTF-8 is 400, and FHIR's media type is read`, async () => {
    const answer = await app.inject({
      method: method as 'POST',
      url: `/api/v1${real(path)}`,
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      payload: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    });
    assert.equal(answer.statusCode, 400, answer.payload);
    const fhir = await ask(address, { as, text: '{', headers: { 'content-type': 'application/fhir+json' } });
    assert.equal(fhir.status, 400, fhir.text);
  });

  test(`${method} ${path}: a body above its limit is 413`, async () => {
    const takesResults = method === 'POST' && path.endsWith('/status');
    const megabytes = isRecord || takesResults || wireFormOf(`/api/v1${path}`) === 'fhir' ? 11 : 2;
    const text = JSON.stringify({ padding: 'x'.repeat(megabytes * 1024 * 1024) });
    await refuse(address, { as, text }, 413, 'payload_too_large');
  });

  test(`${method} ${path}: fields that it does not know are named, each of them`, async () => {
    const body = { resourceType: undefined, unknown_field: 1, another_one: { deep: [] } };
    const { status, text } = await ask(address, { as, body });
    assert.equal(status, 400, text);
    if (isRecord) return;
    for (const name of ['unknown_field', 'another_one']) assert.ok(text.includes(name), text);
  });
}

for (const { method, path, operation } of OPERATIONS) {
  if (wireFormOf(`/api/v1${path}`) === 'fhir' && !/\/(forms|matches|attempts)$/.test(path)) continue;
  if (method !== 'GET') continue;
  const as = callerOf(path);
  test(`${method} ${path}: parameters that it does not know, or cannot read, are 400`, async () => {
    const names = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const query = (pair: string) =>
      `GET ${real(path)}?provider_guid=${PROVIDER}&${pair}`.replace(
        names.includes('provider_guid') ? '' : `provider_guid=${PROVIDER}&`,
        '',
      );
    if (names.length > 0) await refuse(query('unknown=1'), { as }, 400, 'validation_error');
    for (const name of names.filter((each) => ['page', 'per_page', 'limit'].includes(each))) {
      for (const value of ['0', '-1', '201', 'x', '1.5', '', '99999999999999999999']) {
        if (name === 'page' && value === '201') continue;
        await refuse(query(`${name}=${value}`), { as }, 400, 'validation_error');
      }
    }
    for (const name of names.filter((each) => ['since', 'until'].includes(each))) {
      for (const value of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-01', '']) {
        await refuse(query(`${name}=${value}`), { as }, 400, 'validation_error');
      }
    }
  });
}

for (const [path, methods] of Object.entries(document.paths)) {
  if (!path.startsWith('/api/v1/')) continue;
  test(`${path}: other methods are 405 with Allow`, async () => {
    const known = Object.keys(methods).map((method) => method.toUpperCase());
    // Beneath the forms of a request, `reorder` is also the place of a guid.
    const unasked = path.endsWith('/reorder') ? ['DELETE', ...known] : known;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !unasked.includes(each))) {
      const answer = await refuse(
        `${method} ${real(path).slice('/api/v1'.length)}`,
        { as: admin },
        405,
        'method_not_allowed',
      );
      const allowed = String(answer.headers['allow'])
        .split(', ')
        .filter((each) => each !== 'HEAD' && each !== 'OPTIONS');
      assert.deepEqual(allowed.sort(), known.sort(), method);
    }
  });
}

test('a snapshot is replaced by what is sent and never by nothing', async () => {
  const id = await contract.draft();
  const before = await ask(`GET /ServiceRequest/${id}/snapshot`);
  for (const call of [{}, { text: '' }, { text: 'null' }, { text: ' ' }, { text: '7' }, { text: '[]' }]) {
    const headers = { 'content-type': 'application/json' };
    assert.equal((await ask(`PUT /ServiceRequest/${id}/snapshot`, { ...call, headers })).status, 400);
  }
  const now = await ask(`GET /ServiceRequest/${id}/snapshot`);
  assert.deepEqual([now.text, now.headers['etag']], [before.text, 'W/"1"']);
});

test('a path guid that is none, or too long, or meant to leave the path, is 404 and never 500', async () => {
  const rubbish = [
    'x',
    '%00',
    '..%2f..%2fetc',
    'a'.repeat(300),
    '%E2%82%AC',
    "'%20OR%201=1--",
    '%7B%7D',
    '00000000-0000-0000-0000-000000000000',
  ];
  for (const { method, path } of OPERATIONS.filter((operation) => operation.path.includes('{'))) {
    for (const value of rubbish) {
      const address = `${method} ${path.replaceAll(/\{\w+\}/g, value)}`;
      const as = callerOf(path);
      const { status, text } = await ask(address, method === 'GET' || method === 'DELETE' ? { as } : { as, body: {} });
      assert.ok(
        [400, 404, 405, 414].includes(status) || (status === 204 && method === 'DELETE'),
        `${address}: ${status} ${text}`,
      );
    }
  }
});

test('an address that is not there is 404 in the form of its kind', async () => {
  await refuse('GET /Nothing', {}, 404, 'not_found');
  await refuse('GET /ServiceRequest/x/y/z', {}, 404, 'not_found');
  await refuse('POST /requests', { as: admin }, 405, 'method_not_allowed');
});
