// Which representation is answered and taken: Accept with weights, _format, charset, FHIR version, encodings.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { responseTypeOf } from './media-type.ts';

const FHIR = 'application/fhir+json; charset=utf-8';
const PLAIN = 'application/json; charset=utf-8';
const { call } = await startFhirRest({ after }, ['Patient']);

function answered(accept: string | undefined, format: string | null = null): string | undefined {
  try {
    return responseTypeOf(accept, format);
  } catch {
    return undefined;
  }
}

test('Accept: the heavier type wins, the more exact range says its weight', () => {
  const cases: readonly [accept: string | undefined, type: string | undefined][] = [
    [undefined, FHIR],
    ['', FHIR],
    ['*/*', FHIR],
    ['application/*', FHIR],
    ['application/json', PLAIN],
    ['APPLICATION/JSON', PLAIN],
    ['text/json', PLAIN],
    ['application/json, application/fhir+json', FHIR],
    ['application/json;q=0.9, application/fhir+json;q=0.1', PLAIN],
    ['application/json, */*;q=0.1', PLAIN],
    ['application/fhir+xml, */*;q=0.1', FHIR],
    ['application/fhir+json;q=0, */*', PLAIN],
    ['application/fhir+json; fhirVersion=5.0', FHIR],
    ['application/fhir+json; fhirVersion="5.0.0"', FHIR],
    ['application/fhir+json; fhirVersion=4.0, application/json;q=0.5', PLAIN],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', FHIR],
    ['text/html', FHIR],
    ['application/fhir+json;q=0', undefined],
    ['*/*;q=0', undefined],
    ['application/fhir+json; fhirVersion=4.0', undefined],
    ['application/fhir+xml', undefined],
    ['text/turtle, application/xml;q=0.5', undefined],
    ['application/json-patch+json', undefined],
  ];
  for (const [accept, type] of cases) assert.equal(answered(accept), type, accept ?? 'none');
});

test('_format in all its spellings wins over Accept', () => {
  const cases: readonly [format: string, type: string | undefined][] = [
    ['json', FHIR],
    ['JSON', FHIR],
    ['text/json', FHIR],
    ['application/fhir+json', FHIR],
    ['application/fhir json', FHIR],
    ['application/json+fhir', FHIR],
    ['application/fhir+json; fhirVersion=5.0', FHIR],
    ['application/json', PLAIN],
    ['application/json;charset=utf-8', PLAIN],
    ['application/fhir+json; fhirVersion=4.3', undefined],
    ['xml', undefined],
    ['application/fhir+xml', undefined],
    ['ttl', undefined],
    ['html', undefined],
  ];
  for (const [format, type] of cases) assert.equal(answered('application/fhir+xml', format), type, format);
});

test('bodies: every name of JSON; no other character set, encoding, format or version of FHIR', async () => {
  const body = { resourceType: 'Patient' };
  const cases: readonly [contentType: string, status: number][] = [
    ['application/fhir+json', 201],
    ['application/fhir+json; charset=UTF-8', 201],
    ['application/fhir+json; fhirVersion=5.0', 201],
    ['application/json', 201],
    ['text/json', 201],
    ['application/json+fhir', 201],
    ['application/fhir+json; charset=iso-8859-1', 415],
    ['application/fhir+json; fhirVersion=4.0', 415],
    ['application/fhir+xml', 415],
    ['text/turtle', 415],
    ['text/plain', 415],
  ];
  for (const [contentType, status] of cases) {
    const answer = await call('POST', '/Patient', { body, contentType });
    assert.equal(answer.status, status, `${contentType}: ${answer.text}`);
  }
  const answer = await call('POST', '/Patient', { body, headers: { 'content-encoding': 'zstd' } });
  assert.deepEqual([answer.status, answer.headers['accept-encoding']], [415, 'gzip, deflate, br, identity']);
  assert.match(answer.body.issue[0].details.text, /not zstd/);
});

test('content that a GET does not have may be described in any way', async () => {
  const headers = { 'content-type': 'application/xml', 'content-encoding': 'zstd' };
  assert.equal((await call('GET', '/Patient?_count=1', { headers })).status, 200);
});

test('what is refused is said in FHIR, whatever was asked for', async () => {
  const refused = await call('GET', '/Patient?_format=xml', { headers: { accept: 'application/fhir+xml' } });
  assert.deepEqual([refused.status, refused.body.resourceType], [406, 'OperationOutcome']);
  assert.match(refused.body.issue[0].details.text, /XML/);
});

test('Preference-Applied names which preference an answer follows', async () => {
  const applied = async (method: 'GET' | 'POST', path: string, prefer: string) => {
    const body = method === 'POST' ? { body: { resourceType: 'Patient' } } : {};
    return (await call(method, path, { ...body, headers: { prefer } })).headers['preference-applied'];
  };
  assert.equal(await applied('POST', '/Patient', 'return=minimal'), 'return=minimal');
  assert.equal(
    await applied('POST', '/Patient', 'Return="OperationOutcome"; handling=strict'),
    'return=OperationOutcome',
  );
  assert.equal(await applied('POST', '/Patient', 'return=nothing'), undefined);
  assert.equal(await applied('GET', '/Patient?gender=male', 'handling=strict, return=minimal'), 'handling=strict');
  assert.equal(await applied('GET', '/Patient?gender=male', 'return=minimal'), undefined);
});

test('Prefer: names in any case, values in quotes, several headers, unknown ones ignored', async () => {
  const post = (prefer: string) => call('POST', '/Patient', { body: { resourceType: 'Patient' }, headers: { prefer } });
  for (const prefer of [
    'return=minimal',
    'Return="minimal"',
    'respond-async, return=minimal; x=y',
    'wait=1 , RETURN = minimal',
  ])
    assert.deepEqual([(await post(prefer)).status, (await post(prefer)).text], [201, ''], prefer);
  assert.equal((await post('return=OperationOutcome')).body.resourceType, 'OperationOutcome');
  for (const prefer of ['return=representation', 'return=nothing', 'minimal', 'handling=lenient'])
    assert.equal((await post(prefer)).body.resourceType, 'Patient', prefer);
  const search = async (prefer: string) => (await call('GET', '/Patient?nonsense=1', { headers: { prefer } })).status;
  assert.deepEqual(
    [await search('Handling="strict"'), await search('handling=lenient'), await search('strict')],
    [400, 200, 200],
  );
});

test('a deletion answers an OperationOutcome where that is preferred, and claims no representation', async () => {
  const remove = async (prefer: string, path = '/Patient/gone') => {
    await call('PUT', '/Patient/gone', { body: { resourceType: 'Patient', id: 'gone' } });
    const { status, body, headers } = await call('DELETE', path, { headers: { prefer } });
    return [status, body?.resourceType, headers['preference-applied']];
  };
  for (const path of ['/Patient/gone', '/Patient/never', '/Patient?_id=gone', '/Patient?_id=never']) {
    const expected = [200, 'OperationOutcome', 'return=OperationOutcome'];
    assert.deepEqual(await remove('return=OperationOutcome', path), expected, path);
    assert.deepEqual(await remove('return=representation', path), [204, undefined, undefined], path);
    assert.deepEqual(await remove('return=minimal', path), [204, undefined, 'return=minimal'], path);
  }
  const entry = ['gone', 'never'].map((id) => ({ request: { method: 'DELETE', url: `Patient/${id}` } }));
  for (const type of ['batch', 'transaction']) {
    await call('PUT', '/Patient/gone', { body: { resourceType: 'Patient', id: 'gone' } });
    const bundle = { body: { resourceType: 'Bundle', type, entry }, headers: { prefer: 'return=OperationOutcome' } };
    const { body } = await call('POST', '/', bundle);
    for (const { response } of body.entry)
      assert.deepEqual([response.status, response.outcome?.resourceType], ['200 OK', 'OperationOutcome'], type);
  }
});

test('a patch of another type gets the types that are taken', async () => {
  await call('PUT', '/Patient/merged', { body: { resourceType: 'Patient', id: 'merged' } });
  const merge = { body: { active: true }, headers: { 'content-type': 'application/merge-patch+json' } };
  const { status, headers } = await call('PATCH', '/Patient/merged', merge);
  assert.deepEqual([status, headers['accept-patch']], [415, 'application/json-patch+json, application/fhir+json']);
});

test('_pretty holds for errors, too', async () => {
  const { status, text } = await call('GET', '/Patient/never?_pretty=true');
  assert.equal(status, 404);
  assert.match(text, /^\{\n {2}"resourceType": "OperationOutcome",\n/);
  assert.ok(!(await call('GET', '/Patient/never')).text.includes('\n'));
});

test('_pretty is true or false', async () => {
  for (const path of ['/Patient?_pretty=yes', '/Patient/never?_pretty=', '/Patient?_pretty=True']) {
    const { status, text } = await call('GET', path);
    assert.equal(status, 400, path);
    assert.match(text, /_pretty must be true or false/);
  }
});
