// Many updates in one transaction, which go together, and what a transaction holds of conditional creates.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bundleOf, entryOf as entry } from '#test/support/fhir/bundle.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call, database, auditEvents } = await startFhirRest({ after }, ['Patient', 'Observation', 'Basic']);
const send = (entries: object[], headers: Record<string, string> = {}) =>
  call('POST', '/$transaction', { body: bundleOf('transaction', entries), headers });
const patient = (id: string, more: object = {}) => ({ resourceType: 'Patient', id, ...more });
const numbered = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, index) => make(index));
const statusesOf = (body: { entry: { response: { status: string } }[] }) =>
  Object.fromEntries(
    [...Map.groupBy(body.entry, ({ response }) => response.status)].map(([status, of]) => [status, of.length]),
  );

test('hundreds of PUTs of what is there and what is not are one replacement and one insert', async () => {
  const half = await send(numbered(300, (index) => entry('PUT', `Patient/u${index * 2}`, patient(`u${index * 2}`))));
  assert.deepEqual(statusesOf(half.body), { '201 Created': 300 });
  const named = (index: number) => patient(`u${index}`, { name: [{ family: `Family${index}` }] });
  const all = await send(
    numbered(600, (index) => entry('PUT', `Patient/u${index}`, named(index), index === 8 ? { ifMatch: 'W/"1"' } : {})),
  );
  assert.deepEqual(statusesOf(all.body), { '200 OK': 300, '201 Created': 300 });
  assert.equal(all.body.entry[4].response.etag, 'W/"2"');
  assert.equal(all.body.entry[5].response.etag, 'W/"1"');
  const { rows } = await database.query<{ n: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS n FROM fhir_resource WHERE id ~ $1',
    ['^u[0-9]+$'],
  );
  assert.equal(rows[0]?.n, 1);
  assert.equal((await call('GET', '/Patient?family=Family77&_summary=count')).body.total, 1);
  const history = await call('GET', '/Patient/u10/_history');
  assert.equal(history.body.entry.length, 2);
  assert.equal((await auditEvents('Patient/u10"')).filter(({ action }) => action === 'U').length, 1);
  assert.equal((await auditEvents('Patient/u11"')).filter(({ action }) => action === 'C').length, 1);
});

test('one that is refused names its entry, and nothing is written', async () => {
  const refused = await send([
    entry('PUT', 'Patient/u0', patient('u0', { active: true })),
    entry('PUT', 'Patient/u1', patient('u1', { active: true }), { ifMatch: 'W/"9"' }),
  ]);
  assert.equal(refused.status, 412);
  assert.match(refused.text, /Entry 2 \(PUT Patient\)/);
  const wrongId = await send([entry('PUT', 'Patient/u0', patient('u1'))]);
  assert.equal(wrongId.status, 400);
  assert.match(wrongId.text, /Entry 1 \(PUT Patient\)/);
  const missing = await send([entry('PUT', 'Patient/nobody', patient('nobody'), { ifMatch: 'W/"1"' })]);
  assert.equal(missing.status, 412);
  assert.equal((await call('GET', '/Patient/u0')).body.active, undefined);
});

test('what another organisation has is not found, and the own is changed', async () => {
  for (const [id, as] of [
    ['o1', 'anna'],
    ['o2', 'bo'],
  ] as const) {
    assert.equal((await call('PUT', `/Patient/${id}`, { as, body: patient(id) })).status, 201);
  }
  const put = (id: string) => entry('PUT', `Patient/${id}`, patient(id, { active: true }));
  const bundle = (ids: string[]) => ({ resourceType: 'Bundle', type: 'transaction', entry: ids.map(put) });
  const both = await call('POST', '/$transaction', { as: 'anna', body: bundle(['o1', 'o2']) });
  assert.equal(both.status, 404);
  assert.equal((await call('GET', '/Patient/o1')).body.meta.versionId, '1');
  const own = await call('POST', '/$transaction', { as: 'anna', body: bundle(['o1']) });
  assert.equal(own.status, 200);
});

test('hundreds of deletions are one statement: what is there goes, what is not is no error, what is refused stops all', async () => {
  await send(numbered(250, (index) => entry('PUT', `Patient/d${index}`, patient(`d${index}`, { gender: 'male' }))));
  const remove = (index: number, more: object = {}) => entry('DELETE', `Patient/d${index}`, undefined, more);
  const refused = await send([remove(1), remove(2, { ifMatch: 'W/"7"' })]);
  assert.equal(refused.status, 412);
  assert.match(refused.text, /Entry 2 \(DELETE Patient\)/);
  assert.equal((await call('GET', '/Patient/d1')).status, 200);
  const { body } = await send(numbered(300, (index) => remove(index)));
  assert.deepEqual(statusesOf(body), { '204 No Content': 300 });
  assert.deepEqual([body.entry[3].response.etag, body.entry[280].response.etag], ['W/"2"', undefined]);
  assert.equal((await call('GET', '/Patient/d3')).status, 410);
  assert.equal((await call('GET', '/Patient?_id=d3,d4&gender=male&_summary=count')).body.total, 0);
  assert.equal((await auditEvents('Patient/d5"')).filter(({ action }) => action === 'D').length, 1);
  const { rows } = await database.query<{ n: number }>(
    "SELECT count(DISTINCT xmin::text)::int AS n FROM fhir_resource WHERE id ~ '^d[0-9]+$' AND deleted",
  );
  assert.equal(rows[0]?.n, 1);
  const again = await send([remove(3)]);
  assert.deepEqual(statusesOf(again.body), { '204 No Content': 1 });
});

test('updates that refer to what the same bundle makes are put right', async () => {
  const { body } = await send([
    {
      ...entry('POST', 'Patient', { resourceType: 'Patient' }),
      fullUrl: 'urn:uuid:0193a7b4-5f3d-7c1e-8a2b-4c5d6e7f8091',
    },
    entry('PUT', 'Basic/b1', {
      resourceType: 'Basic',
      id: 'b1',
      code: { text: 'x' },
      subject: { reference: 'urn:uuid:0193a7b4-5f3d-7c1e-8a2b-4c5d6e7f8091' },
    }),
  ]);
  const made = body.entry[0].resource.id;
  assert.equal((await call('GET', '/Basic/b1')).body.subject.reference, `Patient/${made}`);
});

test('conditional creates that find much are refused before it fills the memory, unless nobody wants it back', async () => {
  const text = `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(900_000)}</div>`;
  const large = {
    resourceType: 'Patient',
    text: { status: 'generated', div: text },
    identifier: [{ system: 'urn:t', value: 'large' }],
  };
  assert.equal((await call('POST', '/Patient', { body: large })).status, 201);
  const entries = numbered(80, (index) =>
    entry(
      'POST',
      'Patient',
      { resourceType: 'Patient' },
      { ifNoneExist: `identifier=urn:t|large,urn:t|other${index}` },
    ),
  );
  const refused = await send(entries);
  assert.equal(refused.status, 413);
  assert.match(refused.text, /at most 64 MiB/);
  const minimal = await send(entries, { prefer: 'return=minimal' });
  assert.deepEqual(statusesOf(minimal.body), { '200 OK': 80 });
});
