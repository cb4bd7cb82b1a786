// The migration that gives a text one entry in the indexes of values (docs/adr/0128), in a store that is in use.
// Searches find the same in the same order before it, until a node has made the indexes, and after.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { makeIndexChanges } from '#lib/db/schema/index-change.ts';
import { skipOnCitus } from '#test/support/database/citus.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { OWN_BASE } from '#test/support/fhir/fhir-store.ts';
import { ALL_ACCESS } from '../access.ts';
import { fhirStoreMigrations } from '../migrations.ts';
import { EACH } from '../search/search-plan.ts';
import { createFhirStore } from '../store.ts';

const MIGRATION = readFileSync(new URL('../migrations/0260_one_index_of_texts.sql', import.meta.url), 'utf8');
const SCHEMA = 'fhir';
const store = createFhirStore({ parameters: loadSearchParameters(OWN_BASE), clock: systemClock, validate: () => [] });
const { url, database } = await createTestDatabase(
  { after },
  { schemas: [{ schema: SCHEMA, migrations: [fhirStoreMigrations] }] },
);
const db = database(SCHEMA);

const NEW = ['fhir_string_own_order', 'fhir_string_rid', 'fhir_string_text', 'fhir_string_whole'];
const OLD = ['fhir_string_order', 'fhir_string_rid', 'fhir_string_value', 'fhir_string_whole'];

async function indexes(): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = 'fhir_string'::regclass AND indisvalid ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** The indexes as the releases before had them. */
async function undo(tx: Pick<Database, 'query'>): Promise<void> {
  await tx.query(`DROP TABLE index_change;
    DROP STATISTICS fhir_string_shares;
    DROP INDEX fhir_string_own_order;
    DROP INDEX fhir_string_text;
    CREATE INDEX fhir_string_value ON fhir_string (param, value, rid, mask);
    CREATE INDEX fhir_string_order ON fhir_string (param, mask, (coalesce(sort, value)), rid) WHERE exact IS NOT NULL`);
}

const FAMILIES = ['Berg', 'Åberg', 'berg', 'von Berg', 'Östlund', 'Zorn'];

async function put(index: number): Promise<void> {
  const family = FAMILIES[index % FAMILIES.length] ?? '';
  const resource = {
    resourceType: 'Patient',
    name: [{ text: `Åsa Berg ${family}`, family, given: index % 2 === 0 ? ['Åsa', 'Berg'] : ['Karin'] }],
    address: [{ city: index % 3 === 0 ? 'Umeå' : 'Lund', country: 'SE' }],
  };
  await store.create(db, { source: readResourceText(JSON.stringify(resource)), organisation: null });
}

/** The ids of all pages. */
async function found(query: string, isBeyond?: boolean): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const parsed = store.parse('Patient', new URLSearchParams(`${query}&_count=5${cursor}`), { isStrict: true });
    const plan = isBeyond === undefined ? {} : { plan: { start: EACH, isBeyond } };
    const { matches, nextCursor } = await store.search(db, parsed, { access: ALL_ACCESS, ...plan });
    ids.push(...matches.map(({ id }) => id));
    if (nextCursor === undefined) return ids;
    cursor = `&_cursor=${nextCursor}`;
  }
}

const SEARCHES = ['family=berg', 'given=berg', 'name=berg', 'address=lund', 'address-city=ume', 'family:exact=Berg'];
const SORTS = ['family', '-family', 'name', '-given', 'address-city', '-address'];

/** What all searches find; a scan in order finds what sorting all matches finds. */
async function everything(): Promise<string[][]> {
  const all: string[][] = [];
  for (const search of SEARCHES) all.push(await found(search));
  for (const sort of SORTS) {
    const sorted = await found(`_sort=${sort}`, false);
    assert.deepEqual(await found(`_sort=${sort}`, true), sorted, sort);
    all.push(sorted);
  }
  return all;
}

test('a new store has the indexes at once', async () => {
  assert.deepEqual(await indexes(), NEW);
  assert.equal(await makeIndexChanges({ url, schema: SCHEMA }), 'current');
});

test('a store in use gets them from a node, and searches find the same all along', {
  skip: skipOnCitus('Citus changes a distributed schema by single statements'),
}, async () => {
  for (let index = 0; index < 36; index += 1) await put(index);
  await db.query('ANALYZE fhir_string');
  const expected = await everything();
  assert.ok(expected.every(({ length }) => length > 0 && length <= 36));
  await db.transaction(undo);
  await db.transaction((tx) => tx.query(MIGRATION));
  assert.deepEqual(await indexes(), OLD, 'the migration makes nobody wait');
  assert.deepEqual(await everything(), expected);
  assert.equal(await makeIndexChanges({ url, schema: SCHEMA }), 'changed');
  assert.deepEqual(await indexes(), NEW);
  assert.deepEqual(await everything(), expected);
});
