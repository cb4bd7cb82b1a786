// PATCH over HTTP: both formats, validation of the result, conditions, races (hl7.org/fhir/R5/http.html#patch).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { fifty } from '#test/support/system/at-once.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation']);
const JSON_PATCH = 'application/json-patch+json';
const patch = (path: string, body: unknown, headers = {}) =>
  call('PATCH', path, { body: JSON.stringify(body), contentType: JSON_PATCH, headers });

test('a JSON Patch changes what it names and leaves the rest as it was written', async () => {
  const body = `{"resourceType":"Observation","status":"final","code":{"text":"x"},
    "valueQuantity":{"value":1.50,"unit":"kg"}}`;
  const { body: made } = await call('POST', '/Observation', { body });
  const answer = await patch(`/Observation/${made.id}`, [
    { op: 'test', path: '/status', value: 'final' },
    { op: 'replace', path: '/status', value: 'amended' },
    { op: 'add', path: '/note', value: [{ text: 'seen' }] },
    { op: 'test', path: '/valueQuantity/value', value: 1.5 },
  ]);
  assert.equal(answer.status, 200);
  assert.match(answer.text, /"value":1\.50,/);
  assert.deepEqual(
    [answer.body.status, answer.body.note[0].text, answer.headers['etag']],
    ['amended', 'seen', 'W/"2"'],
  );
  assert.equal((await call('GET', `/Observation/${made.id}`)).text, answer.text);
  assert.equal((await call('GET', '/Observation?status=amended')).body.total, 1);
});

test('a FHIRPath Patch does the same', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', birthDate: '1990-01-01' } });
  const operation = (type: string, path: string, part: object[]) => ({
    name: 'operation',
    part: [{ name: 'type', valueCode: type }, { name: 'path', valueString: path }, ...part],
  });
  const answer = await call('PATCH', `/Patient/${made.id}`, {
    body: {
      resourceType: 'Parameters',
      parameter: [
        operation('replace', 'Patient.birthDate', [{ name: 'value', valueDate: '1990-02-02' }]),
        operation('add', 'Patient', [
          { name: 'name', valueString: 'active' },
          { name: 'value', valueBoolean: true },
        ]),
      ],
    },
  });
  assert.deepEqual([answer.status, answer.body.birthDate, answer.body.active], [200, '1990-02-02', true]);
});

test('what the patch leaves must be valid, of the same type and the same id; else nothing is changed', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', gender: 'male' } });
  const path = `/Patient/${made.id}`;
  for (const [status, operations] of [
    [422, [{ op: 'replace', path: '/gender', value: 'nonsense' }]],
    [
      422,
      [
        { op: 'add', path: '/active', value: true },
        { op: 'test', path: '/gender', value: 'female' },
      ],
    ],
    [422, [{ op: 'remove', path: '/birthDate' }]],
    [422, [{ op: 'replace', path: '/resourceType', value: 'Group' }]],
    [400, [{ op: 'replace', path: '/id', value: 'another' }]],
    [400, [{ op: 'jump', path: '/gender' }]],
    [400, { op: 'remove', path: '/gender' }],
    [422, [{ op: 'replace', path: '', value: 'text' }]],
  ] as const) {
    const answer = await patch(path, operations);
    assert.deepEqual([answer.status, answer.body.resourceType], [status, 'OperationOutcome'], answer.text);
  }
  assert.equal((await call('PATCH', path, { body: '[', contentType: JSON_PATCH })).status, 400);
  assert.equal((await call('PATCH', path, { body: { resourceType: 'Patient' } })).status, 400);
  assert.equal((await call('PATCH', path, { body: '<a/>', contentType: 'application/xml' })).status, 415);
  assert.equal((await call('POST', '/Patient', { body: '[]', contentType: JSON_PATCH })).status, 415);
  assert.equal((await call('GET', path)).body.meta.versionId, '1');
});

test('a patch without operations, or of what is so already, makes no version', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', gender: 'male' } });
  const path = `/Patient/${made.id}`;
  const tests = [{ op: 'test', path: '/gender', value: 'male' }];
  const answers = [
    await patch(path, []),
    await patch(path, tests),
    await patch(path, [{ op: 'replace', path: '/gender', value: 'male' }]),
    await call('PATCH', path, { body: { resourceType: 'Parameters' } }),
    await patch(path, [], { 'if-match': 'W/"1"' }),
  ];
  for (const { status, headers, body } of answers)
    assert.deepEqual([status, headers['etag'], body.gender], [200, 'W/"1"', 'male']);
  assert.equal((await patch(path, [], { 'if-match': 'W/"2"' })).status, 412);
  assert.equal((await call('GET', `${path}/_history`)).body.entry.length, 1);
});

test('missing, deleted, hidden and stale resources', async () => {
  const operations = [{ op: 'add', path: '/active', value: true }];
  assert.equal((await patch('/Patient/nobody', operations)).status, 404);
  const { body: made } = await call('POST', '/Patient', { as: 'anna', body: { resourceType: 'Patient' } });
  const hidden = { as: 'bo', body: JSON.stringify(operations), contentType: JSON_PATCH } as const;
  assert.equal((await call('PATCH', `/Patient/${made.id}`, hidden)).status, 404);
  assert.equal((await patch(`/Patient/${made.id}`, operations, { 'if-match': 'W/"7"' })).status, 412);
  assert.equal((await patch(`/Patient/${made.id}`, operations, { 'if-match': 'W/"1"' })).status, 200);
  await call('DELETE', `/Patient/${made.id}`);
  assert.equal((await patch(`/Patient/${made.id}`, operations)).status, 410);
});

test('50 patches at once are all carried out', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', name: [{ family: 'x' }] } });
  const answers = await fifty((index) =>
    patch(`/Patient/${made.id}`, [{ op: 'add', path: '/name/-', value: { family: `n${index}` } }]),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const { body } = await call('GET', `/Patient/${made.id}`);
  assert.deepEqual([body.name.length, body.meta.versionId], [51, '51']);
});

test('a patch of another content type gets those that there are', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient' } });
  const operations = JSON.stringify([{ op: 'add', path: '/active', value: true }]);
  for (const [contentType, body] of [
    ['application/merge-patch+json', '{"active":true}'],
    ['application/json', operations],
    ['application/fhir+json', operations],
  ] as const) {
    const answer = await call('PATCH', `/Patient/${made.id}`, { body, contentType });
    assert.equal(answer.status, 415, contentType);
    assert.match(answer.body.issue[0].details.text, /application\/json-patch\+json/);
  }
});
