// Batches: each entry by itself, with the answer of the single interaction (hl7.org/fhir/R5/http.html#batch).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { bundleOf, entryOf as entry } from '#test/support/fhir/bundle.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { eventually } from '#test/support/http.ts';

const { call, database } = await startFhirRest({ after }, ['Patient']);
const send = (entries: object[], path = '/$batch') => call('POST', path, { body: bundleOf('batch', entries) });

test('one entry that is refused leaves the others as they are', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient' } });
  const answer = await send([
    entry('POST', 'Patient', { resourceType: 'Patient', gender: 'nonsense' }),
    entry('POST', 'Patient', { resourceType: 'Patient', active: true }),
    entry('GET', `Patient/${made.id}`, undefined, { ifNoneMatch: 'W/"1"' }),
    entry('GET', `/Patient/${made.id}/_history`),
    entry('GET', `https://example.org/api/v1/Patient/${made.id}/_history/1`),
    entry('GET', 'Patient/nowhere'),
    entry('GET', 'Patient?birthdate=nonsense'),
    entry('PUT', 'Patient/b', { resourceType: 'Patient', id: 'b' }, { ifMatch: 'W/"9"' }),
    entry('DELETE', 'Patient/never'),
  ]);
  assert.equal(answer.status, 200);
  assert.deepEqual(validateResource(answer.body), []);
  const lines = answer.body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  assert.deepEqual(lines, ['422', '201', '304', '200', '200', '404', '400', '412', '204']);
  assert.deepEqual(answer.body.entry[0].response.outcome.issue[0].expression, ['Patient.gender']);
  assert.equal(answer.body.entry[1].resource.active, true);
  assert.equal(answer.body.entry[3].resource.type, 'history');
});

test('the base takes batches too, and an empty one is answered', async () => {
  assert.equal((await send([], '')).body.type, 'batch-response');
  assert.equal((await send([], '/')).status, 200);
  assert.equal((await send([], '/$transaction')).status, 400);
});

test('an entry that cannot be read is refused by itself', async () => {
  const answer = await send([
    entry('GET', 'Patient?_summary=count'),
    {},
    entry('GET', 'Nonsense/1'),
    entry('GET', 'Patient/a/b/c'),
    entry('POST', 'Patient', { gender: 'male' }),
    entry('POST', 'Patient', []),
    entry('JUMP', 'Patient'),
  ]);
  assert.equal(answer.status, 200);
  assert.deepEqual(validateResource(answer.body), []);
  const lines = answer.body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  assert.deepEqual(lines, ['200', '400', '404', '404', '400', '400', '400']);
  const transaction = await call('POST', '/', {
    body: {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [entry('POST', 'Patient', {}), entry('GET', 'Patient'), {}],
    },
  });
  assert.equal(transaction.status, 400);
  assert.deepEqual(
    transaction.body.issue.map((each: { expression: string[] }) => each.expression[0]),
    ['Bundle.entry[0]', 'Bundle.entry[2]'],
  );
});

test('operations are called as by themselves; what is none is refused in words', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', active: true } });
  const label = { system: 'urn:l', code: 'x' };
  const labels = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [label] } }] };
  const { body } = await send([
    entry('POST', 'Patient/$validate', { resourceType: 'Patient', gender: 'nonsense' }),
    entry('GET', `Patient/${made.id}/$everything`),
    entry('HEAD', `https://example.org/api/v1/Patient/${made.id}/$meta`),
    entry('GET', '_history?_count=1'),
    entry('GET', `?_type=Patient&_id=${made.id}`),
    entry('GET', `Patient/${made.id}/$nonsense`),
    entry('GET', '$export'),
    entry('PUT', `Patient/${made.id}/$everything`, { resourceType: 'Patient' }),
    entry('GET', 'Patient/nowhere/$everything'),
  ]);
  assert.deepEqual(validateResource(body), []);
  const lines = body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  assert.deepEqual(lines, ['200', '200', '200', '200', '200', '404', '404', '405', '404']);
  assert.deepEqual(body.entry[0].resource.issue[0].expression, ['Patient.gender']);
  assert.equal(body.entry[1].resource.entry[0].resource.id, made.id);
  assert.deepEqual([body.entry[2].resource, body.entry[2].response.etag], [undefined, 'W/"1"']);
  assert.deepEqual([body.entry[3].resource.type, body.entry[4].resource.type], ['history', 'searchset']);
  assert.match(body.entry[6].response.outcome.issue[0].details.text, /it may be one to call by itself$/);
  const tagged = await send([entry('POST', `Patient/${made.id}/$meta-add`, labels)]);
  assert.deepEqual(tagged.body.entry[0].resource.parameter[0].valueMeta.tag, [label]);
  assert.equal(tagged.body.entry[0].response.etag, 'W/"2"');
});

test('an operation that is called by another method is refused alike, by itself and as an entry', async () => {
  const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', active: true } });
  const resource = { resourceType: 'Patient', active: true };
  const calls = [
    ['GET', '$validate', 'POST'],
    ['GET', 'Patient/$validate', 'POST'],
    ['PUT', 'Patient/$validate', 'POST'],
    ['DELETE', 'Patient/$validate', 'POST'],
    ['PUT', `Patient/${made.id}/$validate`, 'GET, HEAD, POST'],
    ['POST', `Patient/${made.id}/$meta`, 'GET, HEAD'],
    ['GET', 'Patient/$everything', undefined],
    ['GET', 'Patient/$nonsense', undefined],
  ] as const;
  for (const [method, path, allow] of calls) {
    const isWrite = method === 'PUT' || method === 'POST';
    const alone = await call(method, `/${path}`, isWrite ? { body: resource } : {});
    const { body } = await send([entry(method, path, ...(isWrite ? [resource] : []))]);
    const expected = allow === undefined ? 404 : 405;
    assert.deepEqual([alone.status, body.entry[0].response.status.slice(0, 3)], [expected, String(expected)], path);
    assert.equal(alone.headers['allow'], allow, path);
  }
});

test('a conditional reference is what it means when the entry is written, or refuses the entry alone', async () => {
  const identifier = [{ system: 'urn:b', value: 'doctor' }];
  const { body: doctor } = await call('POST', '/Patient', { body: { resourceType: 'Patient', identifier } });
  const seeAlso = (reference: string) => ({
    resourceType: 'Patient',
    link: [{ type: 'seealso', other: { reference } }],
  });
  const { body } = await send([
    entry('POST', 'Patient', seeAlso('Patient?identifier=urn:b|doctor')),
    entry('PUT', 'Patient/referring', { ...seeAlso('Patient?identifier=urn:b|doctor'), id: 'referring' }),
    entry('POST', 'Patient', seeAlso('Patient?identifier=urn:b|nobody')),
    entry('POST', 'Patient', seeAlso('Patient?birthdate=nonsense')),
    entry('POST', 'Patient', seeAlso('Organization?name=x')),
  ]);
  const lines = body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  assert.deepEqual(lines, ['201', '201', '422', '400', '422']);
  for (const { resource } of body.entry.slice(0, 2))
    assert.equal(resource.link[0].other.reference, `Patient/${doctor.id}`);
  // Values may say who somebody is.
  assert.equal(
    body.entry[2].response.outcome.issue[0].details.text,
    'Nothing fulfils the reference Patient?identifier=…',
  );
});

test('an answer is bounded: reads beyond it are refused, writes answered without their body, a transaction not carried out', async () => {
  const photo = [{ contentType: 'image/png', data: 'A'.repeat(9 * 1024 * 1024) }];
  const patch = Buffer.from('[{"op":"add","path":"/active","value":true}]').toString('base64');
  const change = { resourceType: 'Binary', contentType: 'application/json-patch+json', data: patch };
  // On a busy machine a read of so much may wait longer than it may, which is another refusal.
  const { made, entries, body, lines } = await eventually(
    'nothing waited too long',
    async () => {
      const { body: made } = await call('POST', '/Patient', { body: { resourceType: 'Patient', photo } });
      const reads = Array.from({ length: 8 }, () => entry('GET', `Patient/${made.id}`));
      const entries = [...reads, entry('PATCH', `Patient/${made.id}`, change)];
      const { body } = await send(entries);
      const lines = body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
      return lines.includes('503') ? undefined : { made, entries, body, lines };
    },
    120_000,
  );
  assert.deepEqual(lines.toSorted(), ['200', '200', '200', '200', '200', '200', '200', '200', '413']);
  assert.deepEqual([lines[8], body.entry[8].resource, body.entry[8].response.etag], ['200', undefined, 'W/"2"']);
  const transaction = { resourceType: 'Bundle', type: 'transaction', entry: entries };
  const answer = await call('POST', '/', { body: transaction });
  assert.deepEqual([answer.status, answer.body.issue[0].code], [413, 'too-costly']);
  const head = await call('GET', `/Patient/${made.id}?_elements=id`);
  assert.equal(head.body.meta.versionId, '2');
});

test('reads by id and single writes of a batch share statements and transactions', async () => {
  const known = await Promise.all(
    Array.from({ length: 10 }, () => call('POST', '/Patient', { body: { resourceType: 'Patient' } })),
  );
  const entries = known.flatMap(({ body }, place) => [
    entry('GET', `Patient/${body.id}`),
    entry('POST', 'Patient', { resourceType: 'Patient', name: [{ family: `Shared ${place}` }] }),
    entry('PUT', `Patient/shared-${place}`, { resourceType: 'Patient', id: `shared-${place}` }),
    entry('PUT', `Patient/${body.id}`, { resourceType: 'Patient', id: body.id, active: true }),
  ]);
  const answer = await send(entries);
  const lines = answer.body.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3));
  assert.deepEqual(
    lines,
    known.flatMap(() => ['200', '201', '201', '200']),
  );
  const ids = answer.body.entry.flatMap((each: { resource: { id: string; name?: unknown } }) =>
    each.resource.name === undefined ? [] : [each.resource.id],
  );
  assert.equal(ids.length, 10);
  const { rows } = await database.query<{ transactions: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS transactions FROM fhir.fhir_resource WHERE rid = ANY($1::uuid[])',
    [ids],
  );
  assert.ok((rows[0]?.transactions ?? 10) <= 5, `${rows[0]?.transactions} transactions`);
});
