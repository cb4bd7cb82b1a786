// Histories of a resource, a type and the system: what each entry says, order, paging
// (hl7.org/fhir/R5/http.html#history).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { BASE, startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Basic']);
const PLACES = ['/Patient/_history', '/_history'];

const { body: posted } = await call('POST', '/Patient', { body: { resourceType: 'Patient' } });
const put = () => call('PUT', '/Patient/chosen', { body: { resourceType: 'Patient', id: 'chosen' } });
await put();
await put();
await call('DELETE', '/Patient/chosen');
await put();

interface Entry {
  fullUrl: string;
  resource?: { meta: { versionId: string } };
  request: { method: string; url: string };
  response: { status: string; etag: string; lastModified: string };
}
const line = ({ request, response }: Entry) => `${request.method} ${request.url} ${response.status} ${response.etag}`;
const CHOSEN = [
  'PUT Patient/chosen 201 W/"4"',
  'DELETE Patient/chosen 204 W/"3"',
  'PUT Patient/chosen 200 W/"2"',
  'PUT Patient/chosen 201 W/"1"',
];

async function entries(path: string): Promise<Entry[]> {
  const { status, body, text } = await call('GET', path);
  assert.equal(status, 200, text);
  assert.deepEqual(validateResource(body), []);
  return body.entry ?? [];
}

test('each entry says what was done, with what answer', async () => {
  assert.deepEqual((await entries('/Patient/chosen/_history')).map(line), CHOSEN);
  assert.deepEqual((await entries(`/Patient/${posted.id}/_history`)).map(line), ['POST Patient 201 W/"1"']);
  for (const path of PLACES) {
    const found = await entries(path);
    assert.deepEqual(found.map(line), [...CHOSEN, 'POST Patient 201 W/"1"'], path);
    assert.deepEqual(
      found.map(({ fullUrl }) => fullUrl),
      [...CHOSEN.map(() => `${BASE}/Patient/chosen`), `${BASE}/Patient/${posted.id}`],
    );
    assert.equal(found[1]?.resource, undefined);
  }
});

test('the oldest first, in pages, each version once', async () => {
  for (const place of [...PLACES, '/Patient/chosen/_history']) {
    const newestFirst = (await entries(place)).map(line);
    const seen: string[] = [];
    let path: string | undefined = `${place}?_sort=_lastUpdated&_count=2`;
    while (path !== undefined) {
      const { body } = await call('GET', path);
      seen.push(...body.entry.map(line));
      path = body.link.find((link: { relation: string }) => link.relation === 'next')?.url.slice(BASE.length);
    }
    assert.deepEqual(seen, newestFirst.toReversed(), place);
    assert.deepEqual((await entries(`${place}?_sort=none`)).length, newestFirst.length);
  }
});

test('errors are reported; what is unknown is ignored or, under strict handling, refused', async () => {
  for (const path of [...PLACES, '/Patient/chosen/_history']) {
    for (const query of ['_sort=name', '_count=0', '_since=x', '_at=2020-13', '_cursor=abc'])
      assert.equal((await call('GET', `${path}?${query}`)).status, 400, `${path} ${query}`);
    const unknown = `${path}?_list=42`;
    assert.equal((await call('GET', unknown)).status, 200);
    assert.equal((await call('GET', unknown, { headers: { prefer: 'handling=strict' } })).status, 400);
  }
  assert.equal((await call('GET', '/Patient/never/_history')).status, 404);
});

test('what an update made is a PUT, under whatever id', async () => {
  const id = '019a0000-0000-7000-8000-0000000000f1';
  const basic = { resourceType: 'Basic', code: { text: 'x' } };
  const identifier = (value: string) => [{ system: 'urn:h', value }];
  assert.equal((await call('PUT', `/Basic/${id}`, { body: { ...basic, id } })).status, 201);
  const body = { ...basic, identifier: identifier('single') };
  const { body: single } = await call('PUT', '/Basic?identifier=urn:h|single', { body });
  const resource = { ...basic, identifier: identifier('entry') };
  const entry = [
    { resource, request: { method: 'PUT', url: 'Basic?identifier=urn:h|entry' } },
    { resource: basic, request: { method: 'POST', url: 'Basic' } },
  ];
  const { body: answer } = await call('POST', '/', { body: { resourceType: 'Bundle', type: 'transaction', entry } });
  const [put, post] = answer.entry.map((each: { resource: { id: string } }) => each.resource.id);
  const expected = [
    [id, [`PUT Basic/${id} 201 W/"1"`]],
    [single.id, [`PUT Basic/${single.id} 201 W/"1"`]],
    [put, [`PUT Basic/${put} 201 W/"1"`]],
    [post, ['POST Basic 201 W/"1"']],
  ] as const;
  for (const [name, lines] of expected) assert.deepEqual((await entries(`/Basic/${name}/_history`)).map(line), lines);
  // An update leaves what its first version was.
  await call('PUT', `/Basic/${id}`, { body: { ...basic, id, language: 'sv' } });
  await call('PUT', `/Basic/${post}`, { body: { ...basic, id: post, language: 'sv' } });
  const after = (await entries('/Basic/_history')).map(line);
  assert.deepEqual(after.slice(0, 2), [`PUT Basic/${post} 200 W/"2"`, `PUT Basic/${id} 200 W/"2"`]);
  assert.deepEqual(
    after.filter((each) => each.startsWith('POST')),
    ['POST Basic 201 W/"1"'],
  );
});

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

test('what a patch made is a PATCH, whichever patch it was, and the update after it a PUT again', async () => {
  const at = '/Patient/patched';
  const resource = { resourceType: 'Patient', id: 'patched' };
  const operation = [
    ['type', 'valueCode', 'add'],
    ['path', 'valueString', 'Patient'],
    ['name', 'valueString', 'birthDate'],
    ['value', 'valueDate', '1950-02-03'],
  ].map(([name = '', type = '', value]) => ({ name, [type]: value }));
  const fhirPath = { resourceType: 'Parameters', parameter: [{ name: 'operation', part: operation }] };
  const activate = [{ op: 'add', path: '/active', value: true }];
  await call('PUT', at, { body: resource });
  await call('PATCH', at, { body: activate, headers: JSON_PATCH });
  await call('PATCH', at, { body: fhirPath });
  await call('PUT', at, { body: resource });
  const entry = [{ resource: fhirPath, request: { method: 'PATCH', url: 'Patient/patched' } }];
  await call('POST', '/', { body: { resourceType: 'Bundle', type: 'transaction', entry } });
  await call('DELETE', at);
  await call('PUT', at, { body: resource });
  await call('PATCH', '/Patient?_id=patched', { body: activate, headers: JSON_PATCH });
  const lines = [
    'PATCH Patient/patched 200 W/"8"',
    'PUT Patient/patched 201 W/"7"',
    'DELETE Patient/patched 204 W/"6"',
    'PATCH Patient/patched 200 W/"5"',
    'PUT Patient/patched 200 W/"4"',
    'PATCH Patient/patched 200 W/"3"',
    'PATCH Patient/patched 200 W/"2"',
    'PUT Patient/patched 201 W/"1"',
  ];
  for (const place of [...PLACES, at.concat('/_history')])
    assert.deepEqual((await entries(place)).map(line).slice(0, lines.length), lines, place);
});

test('at the instant at which a version was made, the one that it replaced is not current any more', async () => {
  const place = '/Basic/instants/_history';
  const resource = { resourceType: 'Basic', id: 'instants', code: { text: 'x' } };
  // Versions of one and the same millisecond were never current by themselves.
  const instants = new Set<string>();
  while (instants.size < 3) {
    const { body } = await call('PUT', '/Basic/instants', { body: { ...resource, language: `x-${instants.size}` } });
    instants.add(body.meta.lastUpdated);
  }
  for (const instant of instants) {
    for (const at of [place, '/Basic/_history', '/_history']) {
      const found = await entries(`${at}?_at=${instant}&_type=Basic`);
      const own = found.filter(({ fullUrl }) => fullUrl.endsWith('/instants'));
      assert.deepEqual(
        own.map(({ response }) => response.lastModified),
        [instant],
        at,
      );
    }
  }
});
