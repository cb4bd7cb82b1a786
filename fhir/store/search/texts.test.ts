// Texts of every script and length. They are found by what is written, sorted as the language has them, and put in this
// form by an upgrade (docs/adr/0053).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { systemClock } from '#lib/clock.ts';
import { createTestStore, OWN_BASE, type TestStore } from '#test/support/fhir/fhir-store.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { ALL_ACCESS } from '../access.ts';
import { INDEX_TABLES } from '../index/index-tables.ts';
import { createIndexUpgrade } from '../index/index-upgrade.ts';
import { createFhirStore } from '../store.ts';
import { EACH } from './search-plan.ts';

const { store, db, put, find } = await createTestStore({ after });

const WORDS = Array.from({ length: 400 }, (_, index) => `word${index}`);
const LONG = `${WORDS.join(' ')} bröllopsgäst 100 % 🌻 end`;
const NAMES: Readonly<Record<string, string>> = {
  smile: '😍',
  percent: '%',
  mixed: 'Ek 😍 50 %',
  hindi: 'हिन्दी',
  other: 'हन्दी',
  thai: 'ภาษาไทย',
  hebrew: 'שָׁלוֹם',
  kana: 'がく',
};

before(async () => {
  for (const [id, text] of Object.entries(NAMES)) {
    await put({ resourceType: 'Patient', id, name: [{ text }], telecom: [{ system: 'phone', value: '-' }] });
  }
  await put({ resourceType: 'Patient', id: 'nameless' });
  await put({ resourceType: 'PlanDefinition', id: 'long', status: 'draft', description: LONG });
  await put({
    resourceType: 'PlanDefinition',
    id: 'alike',
    status: 'draft',
    description: LONG.replace('end', 'other'),
  });
  await put({ resourceType: 'Observation', id: 'display', status: 'final', code: { text: LONG } });
});

const FOUND: readonly (readonly [type: string, query: string, ids: readonly string[]])[] = [
  ['Patient', 'name:exact=😍', ['smile']],
  ['Patient', 'name:exact=%25', ['percent']],
  ['Patient', 'name=😍', ['smile']],
  ['Patient', 'name=%25', ['percent']],
  ['Patient', 'name:contains=😍', ['mixed', 'smile']],
  ['Patient', 'name:contains=%25', ['mixed', 'percent']],
  ['Patient', 'name:missing=true', ['nameless']],
  ['Patient', 'phone=-&name=😍', ['smile']],
  ['Patient', 'name=हि', ['hindi']],
  ['Patient', 'name=हन', ['other']],
  ['Patient', 'name=ภาษา', ['thai']],
  ['Patient', 'name=ภษ', []],
  ['Patient', 'name=שלום', ['hebrew']],
  ['Patient', 'name=か', []],
  ['Patient', 'name=が', ['kana']],
  ['Patient', '_filter=name eq "😍"', ['smile']],
  ['PlanDefinition', 'description=word399', ['alike', 'long']],
  ['PlanDefinition', 'description=BROLLOP', ['alike', 'long']],
  ['PlanDefinition', 'description:contains=gäst 100', ['alike', 'long']],
  ['PlanDefinition', 'description:contains=🌻', ['alike', 'long']],
  ['PlanDefinition', 'description:contains=100 🌻 end', ['long']],
  [`PlanDefinition`, `description=${WORDS.slice(380).join(' ')} bröllopsgäst 100 end`, ['long']],
  ['PlanDefinition', `description=${WORDS.slice(10, 100).join(' ')}`, ['alike', 'long']],
  ['PlanDefinition', `description=ord${WORDS.slice(11, 30).join(' ')}`, []],
  ['PlanDefinition', `description=${WORDS.join(' ')} bröllopsgäst 100 end`, ['long']],
  ['PlanDefinition', `description:exact=${encodeURIComponent(LONG)}`, ['long']],
  ['PlanDefinition', `_filter=description eq "${LONG}"`, ['long']],
  ['PlanDefinition', `_filter=description ne "${LONG}"`, ['alike']],
  ['PlanDefinition', `_filter=description sw "${LONG.slice(0, 600)}"`, ['alike', 'long']],
  ['PlanDefinition', `_filter=description ew "100 end"`, ['long']],
  ['Observation', `code:text=${WORDS.join(' ')} bröllops`, ['display']],
  ['Observation', 'code:text=word399', []],
  ['Observation', 'code:text-advanced=word399', ['display']],
  ['Observation', 'code:text-advanced=GÄST 100 ord39', ['display']],
  ['Observation', 'code:text-advanced=ord399 missing', []],
  ['Observation', 'code:text-advanced=missing,ollopsg', ['display']],
];

for (const [type, query, ids] of FOUND) {
  test(`${type}?${query.slice(0, 60)} finds ${ids.join(', ')}`, async () => {
    const encoded = query.replaceAll(' ', '+');
    assert.deepEqual((await find(type, `${encoded}&_sort=_id`)).sort(), ids);
  });
}

test('a text of blanks is refused, and a combination compares no longer text than its index entries hold', async () => {
  await assert.rejects(find('Patient', 'name=%20%20'), /more than blanks/);
  await assert.rejects(find('Observation', `code-value-string=a$${'long '.repeat(20)}`), /at most 64 characters/);
});

const SWEDISH = ['😍', '7', 'Andersson', 'Hzon', 'Håkan', 'Zorn', 'Zäll', 'Åberg', 'Ångström', 'Ärlig', 'Öberg'];

async function withNames(names: readonly string[]): Promise<TestStore> {
  const site = await createTestStore({ after });
  for (const [index, family] of names.toSorted().entries()) {
    await site.put({ resourceType: 'Patient', id: `p${index}`, name: [{ family }] });
  }
  await site.put({ resourceType: 'Patient', id: 'none' });
  return site;
}

/** The family names in the order of a search, page by page. */
async function sorted(site: Pick<TestStore, 'store' | 'db'>, sort: string, isScanned: boolean): Promise<string[]> {
  const names: string[] = [];
  const plan = { start: EACH, isBeyond: isScanned };
  let cursor: string | undefined;
  do {
    const parts = `_sort=${sort}&_count=3${cursor === undefined ? '' : `&_cursor=${cursor}`}`;
    const query = site.store.parse('Patient', new URLSearchParams(parts), { isStrict: true });
    const { matches, nextCursor } = await site.store.search(site.db, query, { access: ALL_ACCESS, plan });
    names.push(...matches.map(({ content }) => JSON.parse(content).name?.[0].family ?? 'none'));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return names;
}

test('names are sorted in Swedish, collected and scanned, page by page, in both directions', async () => {
  const site = await withNames(SWEDISH);
  for (const isScanned of [false, true]) {
    assert.deepEqual(await sorted(site, 'family', isScanned), [...SWEDISH, 'none']);
    assert.deepEqual(await sorted(site, '-family', isScanned), [...SWEDISH.toReversed(), 'none']);
  }
});

/** What stood in the index before: nothing of signs, no whole texts, no order of a language. */
const AS_BEFORE = [
  `DELETE FROM fhir_string WHERE value !~ '[[:alnum:]]'`,
  'UPDATE fhir_string SET whole = NULL, sort = NULL',
  `UPDATE fhir_index_form SET form = '1'`,
];

async function indexOf({ db: of }: Pick<TestStore, 'db'>): Promise<string[]> {
  const rows = INDEX_TABLES.map(({ table }) => of.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`));
  return (await Promise.all(rows)).flatMap((each) => each.rows.map(({ row }) => row)).sort();
}

async function formOf({ db: of }: Pick<TestStore, 'db'>): Promise<string | undefined> {
  return (await of.query<{ form: string }>('SELECT form FROM fhir_index_form')).rows[0]?.form;
}

/** Runs the upgrade until the index is in the form. */
async function upgrade(site: TestStore, language: string, isDone: () => Promise<boolean>): Promise<void> {
  const parameters = loadSearchParameters(OWN_BASE, language);
  const loop = createIndexUpgrade({ database: site.db, parameters, log: makeTestLogger() });
  loop.start();
  try {
    await eventually('the index is upgraded', async () => ((await isDone()) ? true : undefined));
  } finally {
    await loop.stop();
  }
}

test('an index from before is put in the form of this release by itself, also what older nodes write meanwhile', async () => {
  const site = await withNames(SWEDISH);
  const written = await indexOf(site);
  for (const statement of AS_BEFORE) await site.db.query(statement);
  assert.notDeepEqual(await indexOf(site), written);
  await upgrade(site, 'sv', async () => (await formOf(site)) === '2 sv');
  assert.deepEqual(await indexOf(site), written);
  // A node of the older release has written one more.
  await site.db.query(`UPDATE fhir_string SET sort = NULL WHERE value = 'oberg'`);
  await site.db.query(
    `UPDATE fhir_resource SET extraction = 1, updated_at = statement_timestamp() WHERE content LIKE '%Öberg%'`,
  );
  await upgrade(site, 'sv', async () => JSON.stringify(await indexOf(site)) === JSON.stringify(written));
});

test('another language puts the index in another order, and an index of a newer release is left alone', async () => {
  const site = await withNames(SWEDISH);
  await site.db.query(`UPDATE fhir_index_form SET form = '2 sv'`);
  await upgrade(site, 'da', async () => (await formOf(site)) === '2 da');
  const parameters = loadSearchParameters(OWN_BASE, 'da');
  const danish = createFhirStore({ parameters, clock: systemClock, validate: () => [] });
  const names = SWEDISH.filter((name) => !name.startsWith('Å'));
  assert.deepEqual(await sorted({ ...site, store: danish }, 'family', true), [...names, 'Åberg', 'Ångström', 'none']);
  await site.db.query(`UPDATE fhir_index_form SET form = '3 sv'`);
  const before = await indexOf(site);
  const loop = createIndexUpgrade({ database: site.db, parameters, log: makeTestLogger() });
  loop.start();
  await loop.stop();
  assert.deepEqual([await formOf(site), await indexOf(site)], ['3 sv', before]);
});

test('an update that changes only a later part of a long text changes the index', async () => {
  const description = `${LONG} once`;
  const resource = { resourceType: 'PlanDefinition', id: 'changing', status: 'draft', description };
  await put(resource);
  assert.deepEqual(await find('PlanDefinition', 'description:contains=end+once'), ['changing']);
  await put({ ...resource, description: `${LONG} twice` });
  assert.deepEqual(await find('PlanDefinition', 'description:contains=end+once'), []);
  assert.deepEqual(await find('PlanDefinition', 'description:contains=end+twice'), ['changing']);
  const source = readResourceText(JSON.stringify({ ...resource, description: 'short' }));
  const input = { resourceType: 'PlanDefinition', id: 'changing', source, organisation: null, access: ALL_ACCESS };
  await db.transaction((tx) => store.update(tx, input));
  assert.deepEqual(await find('PlanDefinition', 'description:contains=end+twice'), []);
});
