// Pages that come as one text have what pages of rows have: keys, versions, texts short and long, sort values, and
// whether another page follows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { ALL_ACCESS } from '../access.ts';

const { store, db, put } = await createTestStore({ after });

/** More than a page as one text may have. */
const UNPACKED = 101;
const ids: string[] = [];

before(async () => {
  for (const [index, id] of ['b.1', '019a0000-0000-7000-8000-00000000000a', 'A-2', 'c', 'd', 'e', 'f'].entries()) {
    const resource = {
      resourceType: 'Patient',
      id,
      gender: 'male',
      // Neither of these ends a record, written as the client has it or not.
      language: `\u{1F600} "å" \\u001e`,
      name: [{ text: index === 2 ? 'long '.repeat(20_000) : `Name ${index}` }],
      ...(index % 3 === 0 ? {} : { birthDate: `19${80 - index}` }),
    };
    await put(resource);
    if (index % 2 === 0) await put({ ...resource, active: true });
    ids.push(id);
  }
  await put({ resourceType: 'Patient', id: 'woman', gender: 'female', birthDate: '1970' });
});

async function page(query: string) {
  const parsed = store.parse('Patient', new URLSearchParams(query), { isStrict: true });
  return store.search(db, parsed, { access: ALL_ACCESS });
}

for (const sort of ['', '&_sort=birthdate', '&_sort=-birthdate', '&_sort=-_lastUpdated', '&_sort=name']) {
  test(`pages of gender=male${sort} are parts of the whole`, async () => {
    const whole = await page(`gender=male&_count=${UNPACKED}${sort}`);
    assert.deepEqual(whole.matches.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.equal(whole.nextCursor, undefined);
    for (let count = 1; count <= ids.length + 1; count += 1) {
      const found: (typeof whole.matches)[number][] = [];
      for (let cursor = ''; ; ) {
        const { matches, total, nextCursor } = await page(`gender=male&_count=${count}${sort}${cursor}`);
        assert.equal(total, ids.length);
        assert.ok(matches.length === count || nextCursor === undefined);
        found.push(...matches);
        if (nextCursor === undefined) break;
        cursor = `&_cursor=${nextCursor}`;
      }
      assert.deepEqual(found, whole.matches, `${count} each`);
    }
  });
}

test('nothing found is a page without resources, and its total', async () => {
  for (const sort of ['', '&_sort=birthdate']) {
    const { matches, total, nextCursor } = await page(`gender=other${sort}`);
    assert.deepEqual([matches, total, nextCursor], [[], 0, undefined]);
  }
});

test('a page by number goes on where the one before ended', async () => {
  const numbers = { isStrict: true, hasPages: true } as const;
  const pages = [1, 2, 3, 4].map(async (number) => {
    const parsed = store.parse('Patient', new URLSearchParams(`gender=male&page=${number}&per_page=3`), numbers);
    return store.search(db, parsed, { access: ALL_ACCESS });
  });
  const found = await Promise.all(pages);
  assert.deepEqual(
    found.map(({ matches }) => matches.length),
    [3, 3, 1, 0],
  );
  assert.deepEqual(found.flatMap(({ matches }) => matches.map(({ id }) => id)).toSorted(), ids.toSorted());
});
