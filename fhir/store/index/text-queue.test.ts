// Every way of writing notes whose words are to be read, and the next search for words reads them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ALL_ACCESS } from '../access.ts';
import { TEXT_BATCH } from './text-index.ts';

const { store, db, put, find } = await createTestStore(lastFirst({ after }));

const noteOf = (id: string, word: string) => ({ resourceType: 'Basic', id, code: { text: word } });
const sourceOf = (id: string, word: string) => readResourceText(JSON.stringify(noteOf(id, word)));
const inputOf = (id: string, word: string) => ({ source: sourceOf(id, word), organisation: null, id });
const updateOf = (id: string, word: string) => ({ ...inputOf(id, word), resourceType: 'Basic', access: ALL_ACCESS });

/** Each writes a new text for the ids. */
const WAYS: readonly (readonly [string, (ids: readonly string[], word: string) => Promise<unknown>])[] = [
  ['single updates', (ids, word) => Promise.all(ids.map((id) => put(noteOf(id, word))))],
  [
    'updates of a bundle',
    (ids, word) => {
      const inputs = ids.map((id) => updateOf(id, word));
      return db.transaction((tx) => store.updateMany(tx, inputs, { busy: 'wait' }));
    },
  ],
  [
    'an import over what is there',
    async (ids, word) => {
      const items = await Promise.all(ids.map((id) => store.prepareBulk(inputOf(id, word))));
      return db.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
    },
  ],
];

const NEW: readonly (readonly [string, (ids: readonly string[], word: string) => Promise<unknown>])[] = [
  ['single creates', (ids, word) => Promise.all(ids.map((id) => store.create(db, inputOf(id, word))))],
  [
    'creates of a bundle',
    (ids, word) =>
      store.createMany(
        db,
        ids.map((id) => ({ ...inputOf(id, word), isNewId: true })),
      ),
  ],
  [
    'creates under ids that may be taken',
    (ids, word) =>
      store.createMany(
        db,
        ids.map((id) => inputOf(id, word)),
      ),
  ],
  ...WAYS,
];

for (const [name, write] of NEW) {
  test(`${name}: new words are found`, async () => {
    const ids = [newGuid(), newGuid(), newGuid()];
    const word = `new${name.replaceAll(' ', '')}`;
    await write(ids, word);
    assert.deepEqual((await find('Basic', `_content=${word}`)).sort(), ids);
  });
}

for (const [name, write] of WAYS) {
  test(`${name}: changed words are found, and the old ones no longer`, async () => {
    const ids = [newGuid(), newGuid(), newGuid()];
    const [old, fresh] = ['old', 'fresh'].map((each) => `${each}${name.replaceAll(' ', '')}`);
    await write(ids, old ?? '');
    assert.equal((await find('Basic', `_content=${old}`)).length, ids.length);
    await write(ids, fresh ?? '');
    assert.deepEqual((await find('Basic', `_content=${fresh}`)).sort(), ids);
    assert.deepEqual(await find('Basic', `_content=${old}`), []);
  });
}

test('one write of more resources than are read at once is read to its end, and the queue is empty afterwards', async () => {
  const ids = Array.from({ length: 700 }, () => newGuid());
  await store.createMany(
    db,
    ids.map((id) => ({ ...inputOf(id, 'manytogether'), isNewId: true })),
  );
  const { rows: queue } = await db.query<{ rows: number }>('SELECT count(*)::int AS rows FROM fhir_text_queue');
  assert.deepEqual(queue, [{ rows: 2 }], 'one row for each statement');
  const query = store.parse('Basic', new URLSearchParams('_content=manytogether&_summary=count'), { hasPages: true });
  assert.equal((await store.search(db, query, { access: ALL_ACCESS })).total, ids.length);
  const { rows: left } = await db.query<{ rows: number }>('SELECT count(*)::int AS rows FROM fhir_text_queue');
  assert.deepEqual(left, [{ rows: 0 }]);
});

test('an import notes no more resources in a row than are read at once', async () => {
  await find('Basic', '_content=nothing');
  const inputs = Array.from({ length: TEXT_BATCH * 2 + 1 }, () => inputOf(newGuid(), 'imported'));
  const items = await Promise.all(inputs.map((input) => store.prepareBulk(input)));
  await db.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
  const { rows } = await db.query<{ size: number }>(
    'SELECT cardinality(rids) AS size FROM fhir_text_queue ORDER BY id',
  );
  assert.deepEqual(
    rows.map(({ size }) => size),
    [TEXT_BATCH, TEXT_BATCH, 1],
  );
});

test('what was deleted is no longer found by its words', async () => {
  const ids = [newGuid(), newGuid()];
  for (const id of ids) await put(noteOf(id, 'notforlong'));
  assert.equal((await find('Basic', '_content=notforlong')).length, 2);
  const inputs = ids.map((id) => ({ resourceType: 'Basic', id, access: ALL_ACCESS }));
  await db.transaction((tx) => store.deleteMany(tx, inputs));
  assert.deepEqual(await find('Basic', '_content=notforlong'), []);
  const { rows } = await db.query<{ words: number }>(
    "SELECT count(*)::int AS words FROM fhir_text WHERE rid = ANY($1::uuid[]) AND content <> ''",
    [ids],
  );
  assert.deepEqual(rows, [{ words: 0 }]);
});
