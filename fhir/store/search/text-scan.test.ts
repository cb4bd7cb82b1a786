// Searches that are sorted by a text and have too many matches to collect them. The keyset scan answers what collecting
// answers, page by page. It reads no more than its pages hold, however many resources have the same name
// (docs/adr/0063).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { systemClock } from '#lib/clock.ts';
import { createTestStore, OWN_BASE } from '#test/support/fhir/fhir-store.ts';
import { ALL_ACCESS } from '../access.ts';
import { createFhirStore, type FhirStore } from '../store.ts';
import { explainSearch } from './explain.ts';
import { EACH } from './search-plan.ts';

const { store, db, put } = await createTestStore({ after });

const FAMILIES = ['Zorn', 'Åberg', 'Berg', 'berg', 'Östlund', 'Karin', 'alm', 'Ängström', '%'];
const GIVEN = ['Karin', 'Åsa', 'Berg', 'Örjan', 'Zara'];
/** Of each patient so many are alike. */
const ALIKE = 150;

const organization = (index: number) => `019b0000-0000-7000-8000-${String(index).padStart(12, '0')}`;

before(async () => {
  for (let index = 0; index < 30; index += 1) {
    const family = FAMILIES[index % FAMILIES.length] ?? '';
    const given = [GIVEN[index % GIVEN.length] ?? '', ...(index % 4 === 0 ? ['Åsa'] : [])];
    const former = index % 7 === 0 ? [{ family: 'Ek', use: 'old' }] : [];
    await put({
      resourceType: 'Patient',
      id: `019a0000-0000-7000-8000-0000000000${index + 10}`,
      name: [...(index % 11 === 0 ? [] : [{ family, given }]), ...former],
      gender: index % 2 === 0 ? 'male' : 'female',
      managingOrganization: { reference: `Organization/${organization(index % 3)}` },
      birthDate: `19${50 + (index % 13)}-01-01`,
      address: [{ city: family, country: GIVEN[index % 3], ...(index % 5 === 0 ? { postalCode: '%' } : {}) }],
    });
  }
});

async function idsOf(query: string, isScanned: boolean): Promise<string[]> {
  const ids: string[] = [];
  const plan = { start: EACH, isBeyond: isScanned };
  for (let cursor = ''; ; ) {
    const asked = new URLSearchParams(`${query}${cursor}`);
    const { matches, nextCursor } = await store.search(db, store.parse('Patient', asked, { isStrict: true }), {
      access: ALL_ACCESS,
      plan,
    });
    ids.push(...matches.map(({ id }) => id));
    if (nextCursor === undefined) return ids;
    cursor = `&_cursor=${nextCursor}`;
  }
}

const SORTS = ['family', 'name', 'given', 'address', 'address-city', 'address-postalcode'];

for (const sort of SORTS) {
  test(`by ${sort}, in both directions, alone and before others, the scan finds what collecting finds`, async () => {
    for (const more of ['', ',-birthdate', '&gender=male']) {
      for (const direction of ['', '-']) {
        const query = `_sort=${direction}${sort}${more}&_count=4`;
        const collected = await idsOf(query, false);
        assert.equal(new Set(collected).size, more.includes('gender') ? 15 : 30);
        assert.deepEqual(await idsOf(query, true), collected, query);
      }
    }
  });
}

test('a scan backwards takes a condition of many values, however many stretches it goes along', async () => {
  const organizations = Array.from({ length: 820 }, (_, index) => organization(index + 1));
  const query = `organization=${organizations.join(',')}&_sort=-address&_count=15`;
  const collected = await idsOf(query, false);
  assert.equal(collected.length, 20);
  assert.deepEqual(await idsOf(query, true), collected);
});

test('a page reads what it holds, in the middle of thousands of equal names too', async () => {
  const fresh = `overlay(s.rid::text placing lpad(to_hex(k), 4, '0') from 25 for 4)::uuid`;
  await db.query(
    `INSERT INTO fhir_resource (type, rid, version, updated_at, deleted, content)
     SELECT type, ${fresh}, version, updated_at, deleted, content FROM fhir_resource s, generate_series(1, ${ALIKE}) k WHERE rid < '019a0000-0000-7000-8000-000000000100'`,
  );
  await db.query(
    `INSERT INTO fhir_string (type, param, rid, value, exact, mask, whole, sort)
     SELECT type, param, ${fresh}, value, exact, mask, whole, sort FROM fhir_string s, generate_series(1, ${ALIKE}) k WHERE rid < '019a0000-0000-7000-8000-000000000100'`,
  );
  await db.query('ANALYZE fhir_string, fhir_resource');
  const plan = { start: EACH, isBeyond: true };
  const middle = '019a0000-0000-7000-8000-003c00000000';
  for (const [sort, text, bound] of [
    ['family', '', 500],
    ['family', 'berg', 500],
    ['name', 'karin', 1000],
    ['given', 'z\u{30002}sa', 500],
    ['-family', '', 400],
    ['-family', 'berg', 400],
  ] as const) {
    const cursor = Buffer.from(JSON.stringify([middle, null, text])).toString('base64url');
    const asked = new URLSearchParams(`_sort=${sort}&_count=10${text === '' ? '' : `&_cursor=${cursor}`}`);
    const query = store.parse('Patient', asked, { isStrict: true });
    const { result, statements } = await explainSearch(db, (tx) =>
      store.search(tx, query, { access: ALL_ACCESS, plan }),
    );
    assert.equal(result.matches.length, 10);
    const [statement] = statements;
    assert.ok(pagesOf(statement?.plan) < bound, `${sort} ${text}: ${pagesOf(statement?.plan)} pages`);
  }
});

test('a page goes on in the order in which it began, or is refused', async () => {
  const inOrderOf = (language: string) =>
    createFhirStore({ parameters: loadSearchParameters(OWN_BASE, language), clock: systemClock, validate: () => [] });
  const [swedish, norwegian] = [inOrderOf('sv'), inOrderOf('nb')];
  const page = async (from: FhirStore, sort: string, cursor?: string) => {
    const asked = new URLSearchParams({
      _sort: sort,
      _count: '4',
      ...(cursor === undefined ? {} : { _cursor: cursor }),
    });
    const { nextCursor } = await from.search(db, from.parse('Patient', asked, { isStrict: true }), {
      access: ALL_ACCESS,
      plan: { start: EACH, isBeyond: true },
    });
    return nextCursor;
  };
  const refused = { code: 'invalid_request', message: /in the order of another language; begin again/ };
  for (const [one, other] of [
    [swedish, norwegian],
    [norwegian, swedish],
  ] as const) {
    const cursor = await page(one, '-birthdate,family');
    assert.notEqual(await page(one, '-birthdate,family', cursor), cursor);
    await assert.rejects(page(other, '-birthdate,family', cursor), refused);
    await page(other, '-birthdate', await page(one, '-birthdate'));
  }
});

function pagesOf(plan: unknown): number {
  const [{ Plan }] = plan as [{ Plan: Record<string, number> }];
  return (Plan['Shared Hit Blocks'] ?? 0) + (Plan['Shared Read Blocks'] ?? 0);
}
