// Pages end before their texts are more than a process should hold, and none is left out.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Basic']);
const MEGABYTE = 'v'.repeat(1_000_000);
const LONG = Array.from({ length: 6 }, () => ({ url: 'urn:long', valueString: MEGABYTE }));
const IDS = Array.from({ length: 9 }, (_, index) => `b${index}`);

for (const id of IDS) {
  // One is short, between the long ones.
  const extension = id === 'b4' ? [] : LONG;
  const body = { resourceType: 'Basic', id, code: { text: 'long' }, ...(extension.length > 0 ? { extension } : {}) };
  assert.equal((await call('PUT', `/Basic/${id}`, { body, headers: { prefer: 'return=minimal' } })).status, 201);
}

/** The pages from this one on, as the ids that each holds; texts are whole. */
async function pagesFrom(first: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = first; next !== undefined; ) {
    const { status, text, body } = await call('GET', next.replace(/^.*\/api\/v1/, ''));
    assert.equal(status, 200, text.slice(0, 300));
    pages.push(body.entry.map(({ resource }: { resource: { id: string } }) => resource.id));
    for (const { resource } of body.entry)
      assert.equal(resource.extension?.length, resource.id === 'b4' ? undefined : 6);
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
]) {
  test(`${path} comes in pages of some tens of megabytes, with nothing left out or double`, async () => {
    const pages = await pagesFrom(path);
    assert.ok(pages.length > 1);
    for (const page of pages) assert.ok(page.length < IDS.length);
    assert.deepEqual(pages.flat().sort(), IDS);
  });
}

test('a short page stays whole', async () => {
  assert.deepEqual(await pagesFrom('/Basic?_id=b4,b5&_sort=_id'), [['b4', 'b5']]);
});
