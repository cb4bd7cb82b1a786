// What a client wrote comes back as it was written, in every answer that holds it. Odd but legal JSON is taken, what is
// ambiguous is not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Observation', 'Patient', 'Basic']);
const HEAD = /^\{"resourceType":"\w+","id":"[^"]+","meta":\{"versionId":"\d+","lastUpdated":"[^"]+"\}/;

/** The members behind resourceType, id and meta, as text. */
const tail = (text: string) => text.replace(HEAD, '');
const quantity = (value: string) =>
  `,"status":"final","code":{"text":"q"},"valueQuantity":{"value":${value},"unit":"kg"}}`;
const extension = (value: string) =>
  `, "code" : {"text":"x"},\n\t"extension":[ {"valueString": ${value}, "url":"http:\\/\\/x.org\\/e"} ]}`;

const TEXTS: readonly (readonly [type: string, members: string])[] = [
  ...['1.0', '1.50', '100', '1e2', '1E+2', '0.000000001', '-0.0', '-0', '12345678901234567.1', '1.0e-3'].map(
    (value) => ['Observation', quantity(value)] as const,
  ),
  ...['"\\u00e5 \\u0041"', '"\\ud83d\\ude00"', '"a\\/b\\\\\\"\\t"', '"  two  spaces  "', '"åäö 😀"'].map(
    (value) => ['Basic', extension(value)] as const,
  ),
  ['Patient', ',"gender":"male","active":true,"name":[{"given":["B","A"],"family":"Z"}],"birthDate":"1950"}'],
  ['Basic', ',"code":{"text":"n"},"extension":[{"url":"http://x.org/i","valueInteger64":"9223372036854775807"}]}'],
  ['Patient', ',"birthDate":"1950-02","_birthDate":{"extension":[{"url":"http://x.org/e","valueDecimal":1.00}]}}'],
];

test('by create, read, vread, search, history, update and bundles', async () => {
  for (const [type, members] of TEXTS) {
    const created = await call('POST', `/${type}`, { body: `{"resourceType":"${type}"${members}` });
    assert.equal(created.status, 201, `${members}: ${created.text}`);
    const expected = members.replace(/^,\s*/, ',');
    assert.equal(tail(created.text), expected);
    const path = `/${type}/${created.body.id}`;
    for (const address of [path, `${path}/_history/1`]) assert.equal((await call('GET', address)).text, created.text);
    for (const address of [`/${type}?_id=${created.body.id}`, `${path}/_history`])
      assert.ok((await call('GET', address)).text.includes(`"resource":${created.text}`), address);
    const updated = await call('PUT', path, { body: `{"resourceType":"${type}","id":"${created.body.id}"${members}` });
    assert.equal(tail(updated.text), expected);
    const entry = `{"resource":{"resourceType":"${type}"${members},"request":{"method":"POST","url":"${type}"}}`;
    for (const kind of ['batch', 'transaction']) {
      const answer = await call('POST', '/', { body: `{"resourceType":"Bundle","type":"${kind}","entry":[${entry}]}` });
      assert.ok(answer.text.includes(expected), answer.text);
    }
  }
});

test('a byte order mark, space around and the order of members', async () => {
  const created = await call('POST', '/Patient', {
    body: '\ufeff \r\n{ "active" : true ,"id":"theirs", "resourceType":"Patient","meta" : {"versionId":"9","lastUpdated":"2001-01-01T00:00:00Z","tag":[{"code":"t"}]},"gender":"male" }\n',
  });
  assert.equal(created.status, 201, created.text);
  assert.notEqual(created.body.id, 'theirs');
  assert.deepEqual([created.body.meta.versionId, created.body.meta.tag], ['1', [{ code: 't' }]]);
  assert.ok(created.text.endsWith(',"active" : true,"gender":"male"}'), created.text);
});

test('what could be read in two ways, or not stored, is refused with its place', async () => {
  const cases: readonly (readonly [body: string, status: number, place: string | undefined])[] = [
    ['{"resourceType":"Patient","active":true,"active":false}', 400, 'active'],
    ['{"resourceType":"Patient","name":[{"family":"a","family":"b"}]}', 400, 'name[0].family'],
    ['{"resourceType":"Patient","\\u0061ctive":true,"active":false}', 400, 'active'],
    ['{"resourceType":"Patient","name":[{"family":"a\\u0000b"}]}', 422, 'Patient.name[0].family'],
    ['{"resourceType":"Patient","name":[{"family":"a\\ud800b"}]}', 422, 'Patient.name[0].family'],
    ['{"resourceType":"Patient","name":[{"family":""}]}', 422, 'Patient.name[0].family'],
    ['{"resourceType":"Patient","name":[]}', 422, 'Patient.name'],
    ['{"resourceType":"Patient","name":{}}', 422, 'Patient.name'],
    ['{"resourceType":"Patient","active":null}', 422, 'Patient.active'],
    ['{"resourceType":"Patient","multipleBirthInteger":1.5}', 422, 'Patient.multipleBirth'],
    ['{"resourceType":"Patient","multipleBirthInteger":1e400}', 422, 'Patient.multipleBirth'],
    ['{"resourceType":"Patient","meta":[]}', 422, 'Patient.meta'],
    [`{"resourceType":"Patient","x":${'['.repeat(300)}${']'.repeat(300)}}`, 400, undefined],
    [`{"resourceType":"Patient","x":${'['.repeat(200_000)}`, 400, undefined],
    ['{"resourceType":"Patient","__proto__":{"active":true}}', 422, undefined],
    ['{"resourceType":["Patient"]}', 400, 'resourceType'],
    ['{"resourceType":"Patient"} {}', 400, undefined],
    ['null', 400, undefined],
    ['[]', 400, undefined],
    ['"Patient"', 400, undefined],
    ["{'resourceType':'Patient'}", 400, undefined],
  ];
  for (const [body, status, place] of cases) {
    const answer = await call('POST', '/Patient', { body });
    assert.equal(answer.status, status, `${body.slice(0, 80)}: ${answer.text.slice(0, 300)}`);
    assert.equal(answer.body.resourceType, 'OperationOutcome');
    const places = answer.body.issue.flatMap((issue: { expression?: string[] }) => issue.expression ?? []);
    if (place !== undefined)
      assert.ok(
        places.some((each: string) => each.startsWith(place)),
        `${place}: ${answer.text}`,
      );
  }
});
