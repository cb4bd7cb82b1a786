// Invalid requests to every FHIR route. Each response is an OperationOutcome with a message, never a 500. A 405 lists
// the permitted methods (decisions G2, G3; RFC 9110 §15.5.6).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';

const { app, logLines } = await startTestEngine({ after });
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const INSTANCE = `/Patient/${PATIENT}`;
const ADDRESSES = [
  '',
  '/',
  '/metadata',
  '/_history',
  '/$batch',
  '/$transaction',
  '/$validate',
  '/Patient',
  '/Patient/_search',
  '/Patient/_history',
  '/Patient/$validate',
  INSTANCE,
  `${INSTANCE}/_history`,
  `${INSTANCE}/_history/1`,
  `${INSTANCE}/$everything`,
  `${INSTANCE}/$validate`,
  `${INSTANCE}/Observation`,
  `${INSTANCE}/Observation/_search`,
  '/AuditEvent',
  '/AuditEvent/1',
];

async function send(
  method: (typeof METHODS)[number],
  path: string,
  more: { headers?: object; payload?: string | Buffer } = {},
) {
  const headers = { authorization: 'Bearer admin', ...more.headers };
  const answer = await app.inject({ method, url: `/api/v1${path}`, ...more, headers });
  const what = `${method} ${path} ${String(more.payload).slice(0, 80)}`;
  assert.ok(answer.statusCode < 500, `${what}: ${answer.statusCode} ${answer.body}`);
  if (answer.statusCode >= 400 && method !== 'HEAD') {
    const outcome = answer.json();
    assert.equal(outcome.resourceType, 'OperationOutcome', `${what}: ${answer.body}`);
    assert.deepEqual(validateResource(outcome), [], what);
    assert.ok(
      outcome.issue.every((issue: { details: { text: string } }) => issue.details.text.length > 10),
      what,
    );
  }
  return answer;
}
const json = { 'content-type': 'application/fhir+json' };

await send('PUT', INSTANCE, { headers: json, payload: JSON.stringify({ resourceType: 'Patient', id: PATIENT }) });

test('what an address does not take is 405 with Allow, and what it allows is no 405', async () => {
  for (const path of ADDRESSES) {
    for (const method of METHODS) {
      const answer = await send(method, path);
      if (answer.statusCode !== 405) continue;
      const allowed = String(answer.headers.allow).split(', ');
      assert.ok(allowed.length > 0 && !allowed.includes(method), `${method} ${path}: ${allowed}`);
      for (const other of allowed)
        assert.notEqual((await send(other as 'GET', path)).statusCode, 405, `${other} ${path}`);
    }
  }
  assert.equal((await send('GET', '/Patient/_search')).headers.allow, 'POST');
  assert.equal((await send('DELETE', '/Patient/_history')).headers.allow, 'GET, HEAD');
  for (const path of ['/Patient/$nothing', `${INSTANCE}/$nothing`, '/$nothing', '/Observation/1/$nothing'])
    assert.equal((await send('GET', path)).statusCode, 404, path);
});

test('an operation that is not served is 404 and named, by whatever method', async () => {
  for (const path of [
    '/$merge',
    '/Patient/$match',
    `${INSTANCE}/$graphql`,
    '/PlanDefinition/1/$apply',
    '/Group/$match/',
  ]) {
    for (const method of ['GET', 'POST'] as const) {
      const answer = await send(method, path);
      const [issue] = answer.json().issue;
      assert.deepEqual([answer.statusCode, issue.code], [404, 'not-supported'], `${method} ${path}`);
      const name = /\$[a-z]+/.exec(path)?.[0] ?? '';
      assert.equal(issue.details.text.includes(`The operation ${name} is not served at this address`), true, path);
    }
  }
  // One that is served says how.
  assert.equal((await send('PUT', '/Patient/$validate')).headers.allow, 'POST');
});

test('bodies that are none, of every kind, at every address', async () => {
  const bodies = [
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"resourceType":',
    '{"resourceType":7}',
    '{"resourceType":"Bundle"}',
    '{"resourceType":"Bundle","type":"transaction","entry":{}}',
    '{"resourceType":"Bundle","type":"batch","entry":[null,7,[],{"request":7},{"request":{"method":[],"url":{}}}]}',
    '{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"POST","url":"Patient"},"resource":[]}]}',
    '{"resourceType":"Parameters","parameter":7}',
    '{"resourceType":"Parameters","parameter":[null,{"name":7},{"name":"_count","valueInteger":[]},{"name":"resource","resource":7}]}',
    '{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"add"},{"name":"path","valueString":"((("}]}]}',
    '{"resourceType":"Patient","id":{},"meta":7,"name":[[[]]],"contained":[7],"extension":{"url":[]}}',
    '{"resourceType":"Patient","multipleBirthInteger":1e999,"birthDate":20200101,"contact":[{"period":{"start":1e9}}]}',
    Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    '[{"op":"add"}]',
    '[{"op":"copy","from":"/a/b","path":"/-/~2"}]',
  ];
  for (const path of ADDRESSES) {
    for (const payload of bodies) {
      for (const method of ['POST', 'PUT', 'PATCH'] as const) {
        await send(method, path, { headers: json, payload });
        if (method === 'PATCH')
          await send(method, path, { headers: { 'content-type': 'application/json-patch+json' }, payload });
      }
    }
  }
});

test('queries that are none', async () => {
  const values = [
    '',
    '%00',
    '%zz',
    '%ff',
    '-1',
    '99999999999999999999',
    '1e9',
    'null',
    '[]',
    'ge',
    '|',
    '$',
    ',',
    '\\',
    '%F0%9F%98%80',
    `${'x'.repeat(3000)}`,
  ];
  const names = [
    '_count',
    '_since',
    '_at',
    '_sort',
    '_type',
    '_summary',
    '_elements',
    '_cursor',
    '_format',
    '_include',
    '_revinclude',
    '_has',
    '_total',
    '_id',
    'birthdate',
    'name',
    'identifier',
    'general-practitioner',
    'general-practitioner.name',
    '_lastUpdated',
    'nonsense',
    '__proto__',
    'constructor',
  ];
  const paths = [
    '/Patient',
    '/Patient/_history',
    '/_history',
    `${INSTANCE}/_history`,
    `${INSTANCE}/$everything`,
    `${INSTANCE}/Observation`,
    INSTANCE,
    '/metadata',
  ];
  for (const path of paths)
    for (const name of names) for (const value of values) await send('GET', `${path}?${name}=${value}`);
  for (const query of ['name=%zz', 'name=%ff', '_id=%C3%28']) {
    const answer = await send('GET', `/Patient?${query}`);
    assert.equal(answer.statusCode, 400, query);
  }
});

test('headers that are none', async () => {
  const names = [
    'if-match',
    'if-none-match',
    'if-modified-since',
    'if-none-exist',
    'prefer',
    'accept',
    'content-type',
    'idempotency-key',
  ];
  const values = ['', ',', '"', 'W/""', '*, *', ';;;', '=', '/', '\u00ff', 'x'.repeat(3000)];
  for (const name of names) {
    for (const value of values) {
      for (const [method, path, payload] of [
        ['GET', INSTANCE, undefined],
        ['POST', '/Patient', '{"resourceType":"Patient"}'],
        ['PUT', INSTANCE, `{"resourceType":"Patient","id":"${PATIENT}"}`],
        ['POST', '', '{"resourceType":"Bundle","type":"batch"}'],
      ] as const) {
        await send(method, path, {
          headers: { ...json, [name]: value },
          ...(payload === undefined ? {} : { payload }),
        });
      }
    }
  }
});

test('bodies that are too large', async () => {
  for (const [path, mebibytes] of [
    ['/Patient', 10],
    ['/$validate', 10],
    ['', 50],
    ['/$transaction', 50],
  ] as const) {
    const answer = await send('POST', path, { headers: json, payload: Buffer.alloc(mebibytes * 1024 * 1024 + 1, ' ') });
    assert.equal(answer.statusCode, 413, path);
  }
  const entry = { request: { method: 'GET', url: 'Patient?_count=0' } };
  const many = { resourceType: 'Bundle', type: 'batch', entry: Array.from({ length: 5001 }, () => entry) };
  const answer = await send('POST', '', { headers: json, payload: JSON.stringify(many) });
  assert.deepEqual([answer.statusCode, answer.json().issue[0].expression], [400, ['Bundle.entry']]);
});

test('nothing of all this was an error of ours', () => {
  assert.deepEqual(
    logLines.filter((line) => line.includes('request.failed')),
    [],
  );
});
