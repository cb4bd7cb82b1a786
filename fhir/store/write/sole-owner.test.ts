// Where everything belongs to the caller's organisation nobody is asked whose each resource is, and what belongs to
// others stays hidden.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';
import { explainSearch } from '../search/explain.ts';
import { searchResources } from '../search/search.ts';

const OWN = '019a0000-0000-7000-8000-00000000000b';
const LESSER = '019a0000-0000-7000-8000-00000000000a';
const GREATER = '019a0000-0000-7000-8000-00000000000c';
const own: Access = () => ({ kind: 'organisations', guids: [OWN] });
/** Searches that begin in different ways, each of which all patients of this test fulfil. */
const SEARCHES = ['family=berg', 'gender=female', 'birthdate=1970', 'family=berg&gender=female&_sort=birthdate'];

async function makeSite(hooks: Parameters<typeof createTestStore>[0]) {
  const site = await createTestStore(hooks);
  const patient = (id: string, organisation: string | null) =>
    site.put(
      { resourceType: 'Patient', id, name: [{ family: 'Berg' }], gender: 'female', birthDate: '1970-01-01' },
      organisation,
    );
  for (const id of ['a', 'b', 'c']) await patient(id, OWN);
  const seen = () => Promise.all(SEARCHES.map(async (query) => (await site.find('Patient', query, own)).sort()));
  /** How often somebody was asked whose a resource is. */
  const asked = async () => {
    const query = site.store.parse('Patient', new URLSearchParams('family=berg'));
    const { statements } = await explainSearch(site.db, (db) => searchResources(db, query, { access: own }));
    const plans = statements.flatMap(({ plan }) => nodesOf(plan));
    return plans.filter(({ Alias }) => Alias === 'o').reduce((sum, node) => sum + Number(node['Actual Loops']), 0);
  };
  return { ...site, patient, seen, asked };
}

function nodesOf(plan: unknown): Record<string, unknown>[] {
  if (Array.isArray(plan)) return plan.flatMap(nodesOf);
  if (typeof plan !== 'object' || plan === null) return [];
  return [plan as Record<string, unknown>, ...Object.values(plan).flatMap(nodesOf)];
}

const ALL = SEARCHES.map(() => ['a', 'b', 'c']);

test('where all belongs to the caller’s organisation nothing is asked one by one', async (t) => {
  const { seen, asked, put } = await makeSite(t);
  assert.deepEqual(await seen(), ALL);
  assert.equal(await asked(), 0);
  // What is of another type, and nobody's, makes no difference.
  await put({ resourceType: 'Location', id: 'ward' });
  assert.equal(await asked(), 0);
});

for (const [name, organisation] of [
  ['an organisation before it', LESSER],
  ['an organisation after it', GREATER],
  ['nobody', null],
] as const) {
  test(`what belongs to ${name} is hidden, alone as it is`, async (t) => {
    const { seen, asked, patient } = await makeSite(t);
    await patient('d', organisation);
    assert.deepEqual(await seen(), ALL);
    assert.equal(await asked(), 4);
  });
}

test('another type that belongs to another organisation, and a resource that moves there, are reported', async (t) => {
  const site = await makeSite(t);
  const { seen, asked, put } = site;
  await put({ resourceType: 'Observation', id: 'o' }, GREATER);
  assert.deepEqual(await seen(), ALL);
  assert.equal(await asked(), 3);
  const { store, db } = site;
  const text = JSON.stringify({
    resourceType: 'Patient',
    id: 'c',
    name: [{ family: 'Berg' }],
    gender: 'female',
    birthDate: '1970',
  });
  const moved = {
    resourceType: 'Patient',
    id: 'c',
    source: readResourceText(text),
    organisation: OWN,
    moveTo: GREATER,
  };
  await db.transaction((tx) => store.update(tx, { ...moved, access: ALL_ACCESS }));
  const left = SEARCHES.map(() => ['a', 'b']);
  assert.deepEqual(await seen(), left);
});

test('chains and _has lead through what others own no more than before, and ask nobody where there are no others', async (t) => {
  const { put, find, patient, store, db } = await makeSite(t);
  const observe = (id: string, subject: string, organisation: string | null) =>
    put(
      {
        resourceType: 'Observation',
        id,
        status: 'final',
        code: { text: 'x' },
        subject: { reference: `Patient/${subject}` },
      },
      organisation,
    );
  await observe('o-a', 'a', OWN);
  const HAS = '_has:Observation:subject:status=final';
  const CHAIN = 'subject:Patient.family=berg';
  const plansOf = async (type: string, text: string) => {
    const query = store.parse(type, new URLSearchParams(text));
    const { statements } = await explainSearch(db, (tx) => searchResources(tx, query, { access: own }));
    return statements.flatMap(({ plan }) => nodesOf(plan));
  };
  for (const [type, text] of [
    ['Patient', HAS],
    ['Observation', CHAIN],
  ] as const) {
    const first = type === 'Patient' ? ['a'] : ['o-a'];
    assert.deepEqual(await find(type, text, own), first);
    const plans = await plansOf(type, text);
    const organisations = plans.filter((node) => String(node['Index Cond'] ?? '').includes('organisation ='));
    assert.deepEqual(
      organisations.map((node) => node['Actual Loops']),
      organisations.map(() => 0),
    );
    assert.ok(plans.some((node) => String(node['Alias']).startsWith('x')));
  }
  await observe('o-b', 'b', GREATER);
  await patient('d', GREATER);
  await observe('o-d', 'd', OWN);
  assert.deepEqual(await find('Patient', HAS, own), ['a']);
  assert.deepEqual((await find('Observation', CHAIN, own)).sort(), ['o-a']);
});
