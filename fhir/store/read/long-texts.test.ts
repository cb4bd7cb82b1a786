// Pages end before their texts are more than a process should hold, and none is left out; of what is included, it is
// said.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Basic', 'Patient', 'Practitioner']);
const MEGABYTE = 'v'.repeat(1_000_000);
const LONG = Array.from({ length: 6 }, () => ({ url: 'urn:long', valueString: MEGABYTE }));
const IDS = Array.from({ length: 9 }, (_, index) => `b${index}`);

const send = (resource: { resourceType: string; id: string }) =>
  call('PUT', `/${resource.resourceType}/${resource.id}`, { body: resource, headers: { prefer: 'return=minimal' } });
assert.equal((await send({ resourceType: 'Patient', id: 'pat' })).status, 201);

for (const id of IDS) {
  // One is short, between the long ones.
  const extension = id === 'b4' ? [] : LONG;
  const subject = { reference: 'Patient/pat' };
  const code = { text: 'long' };
  const body = { resourceType: 'Basic', id, code, subject, ...(extension.length > 0 ? { extension } : {}) };
  assert.equal((await send(body)).status, 201);
}

/** The pages from this one on, as the ids that each holds; texts are whole. */
async function pagesFrom(first: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = first; next !== undefined; ) {
    const { status, text, body } = await call('GET', next.replace(/^.*\/api\/v1/, ''));
    assert.equal(status, 200, text.slice(0, 300));
    pages.push(body.entry.map(({ resource }: { resource: { id: string } }) => resource.id));
    for (const { resource } of body.entry)
      assert.equal(resource.extension?.length, resource.id.startsWith('b') && resource.id !== 'b4' ? 6 : undefined);
    next = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;
  }
  return pages;
}

for (const path of [
  '/Basic?_count=1000',
  '/Basic?_count=1000&_offset=0',
  '/Basic?_count=1000&_sort=-_lastUpdated',
  '/Basic?_count=1000&_lastUpdated=gt2000',
  '/Basic/_history?_count=1000',
  '/_history?_count=1000',
  '/?_type=Basic&_count=1000',
  '/Patient/pat/$everything?_count=1000',
]) {
  test(`${path} comes in pages of some tens of megabytes, with nothing left out or double`, async () => {
    const pages = await pagesFrom(path);
    assert.ok(pages.length > 1);
    for (const page of pages) assert.ok(page.length < IDS.length);
    assert.deepEqual(
      pages
        .flat()
        .filter((id) => id !== 'pat')
        .sort(),
      IDS,
    );
  });
}

/** The ids of what is included, all of it whole, and the codes of the outcome behind it. */
async function includedBy(path: string) {
  const { status, text, body } = await call('GET', path);
  assert.equal(status, 200, text.slice(0, 300));
  const of = (mode: string) =>
    body.entry.flatMap((each: { search: { mode: string }; resource: object }) =>
      each.search.mode === mode ? [each.resource] : [],
    );
  for (const { id, extension } of of('include'))
    assert.equal(extension?.length, id === 'b4' || id === 'pat' ? undefined : 6);
  return {
    ids: of('include').map(({ id }: { id: string }) => id),
    codes: of('outcome').map(({ issue }: { issue: { code: string }[] }) => issue[0]?.code),
  };
}

test('what a search includes ends before it becomes too long, and the answer says so', async () => {
  const { ids, codes } = await includedBy('/Patient?_id=pat&_revinclude=Basic:subject');
  assert.ok(ids.length > 1 && ids.length < IDS.length && new Set(ids).size === ids.length, ids.join());
  assert.deepEqual(codes, ['incomplete']);
  assert.deepEqual(await includedBy('/Basic?_id=b4&_include=Basic:subject&_revinclude=Basic:author'), {
    ids: ['pat'],
    codes: [],
  });
});

test('what a record refers to ends before it becomes too long, and $everything says so', async () => {
  const doctors = Array.from({ length: 7 }, (_, index) => `d${index}`);
  for (const id of doctors) {
    const body = { resourceType: 'Practitioner', id, extension: LONG };
    assert.equal((await send(body)).status, 201);
  }
  const patientOf = (id: string, ids: readonly string[]) => ({
    resourceType: 'Patient',
    id,
    generalPractitioner: ids.map((each) => ({ reference: `Practitioner/${each}` })),
  });
  await send(patientOf('many', doctors));
  await send(patientOf('few', doctors.slice(0, 2)));
  const cut = await includedBy('/Patient/many/$everything');
  assert.ok(cut.ids.length > 1 && cut.ids.length < doctors.length, cut.ids.join());
  assert.deepEqual(cut.codes, ['incomplete']);
  const whole = await includedBy('/Patient/few/$everything');
  assert.deepEqual([whole.ids.sort(), whole.codes], [doctors.slice(0, 2), []]);
});

test('a short page stays whole', async () => {
  assert.deepEqual(await pagesFrom('/Basic?_id=b4,b5&_sort=_id'), [['b4', 'b5']]);
});
