// However a search is carried out, it finds the same in the same order. The test makes random resources and searches,
// each from every possible start, collected at once and by keyset scan, page by page (docs/adr/0012).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { batchStatements } from '#lib/db/batched-statements.ts';
import type { Queryable } from '#lib/db/database.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';
import { possibleStarts } from './search-plan.ts';

const { store, db, put, clock } = await createTestStore({ after });

const ORG = '019a0000-0000-7000-8000-00000000000a';
const CODES = ['a', 'b', 'c'];
const day = fc.integer({ min: 1, max: 28 }).map((number) => `2026-02-${String(number).padStart(2, '0')}`);
const moment = fc
  .tuple(day, fc.integer({ min: 0, max: 23 }))
  .map(([date, hour]) => `${date}T${String(hour).padStart(2, '0')}:00:00Z`);
const period = fc
  .tuple(moment, moment)
  .map(([one, other]) => ({ start: one < other ? one : other, end: one < other ? other : one }));

const effective = fc.oneof(
  fc.constant({}),
  day.map((effectiveDateTime) => ({ effectiveDateTime })),
  moment.map((effectiveDateTime) => ({ effectiveDateTime })),
  fc.constant({ effectiveDateTime: '2026' }),
  period.map((effectivePeriod) => ({ effectivePeriod })),
  moment.map((start) => ({ effectivePeriod: { start } })),
  fc.array(moment, { minLength: 1, maxLength: 3 }).map((event) => ({ effectiveTiming: { event } })),
);
const coding = fc.record({ system: fc.constantFrom('urn:s', 'urn:t'), code: fc.constantFrom(...CODES) });
const observation = fc
  .record({
    status: fc.constantFrom('final', 'amended'),
    codings: fc.array(coding, { minLength: 1, maxLength: 3 }),
    effective,
    patient: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ status, codings, effective: when, patient }) => ({
    resourceType: 'Observation',
    status,
    code: { coding: codings },
    subject: { reference: `Patient/p${patient}` },
    ...when,
  }));

const dateValue = fc
  .tuple(fc.constantFrom('', 'ge', 'gt', 'lt', 'le', 'sa', 'eb', 'ne'), fc.oneof(day, moment))
  .map(([prefix, value]) => `date=${prefix}${value}`);
const condition = fc.oneof(
  { weight: 4, arbitrary: dateValue },
  { weight: 3, arbitrary: fc.constantFrom(...CODES).map((code) => `code=urn:s|${code}`) },
  fc.constantFrom(
    'code=a',
    'code=a,urn:t|b',
    'status=final',
    'status:not=final',
    '_lastUpdated=gt2026-01-01T00:40:00Z',
  ),
  fc.integer({ min: 0, max: 5 }).map((number) => `subject=Patient/p${number}`),
  fc.constantFrom('A', 'Be', 'Ce').map((name) => `subject:Patient.family=${name}`),
  fc.constantFrom('patient.identifier=urn:i|1', 'subject:Patient._has:Observation:patient:code=b'),
);
const sort = fc.constantFrom('', 'date', '-date', 'code', '-code,date', '-_lastUpdated', '_id', '-date,status');
const conditions = fc.oneof(
  fc.array(condition, { maxLength: 3 }),
  // What the index of codes with their dates is for.
  fc.tuple(fc.constantFrom(...CODES.map((code) => `code=urn:s|${code}`), 'code=b'), dateValue),
  fc.tuple(fc.constant('code=urn:s|a'), dateValue, dateValue, condition),
);
const observations = fc.record({
  type: fc.constant('Observation'),
  conditions,
  sort,
  count: fc.integer({ min: 6, max: 60 }),
});

// Several dates by one parameter.
const charge = fc
  .record({ status: fc.constantFrom('active', 'draft'), periods: fc.array(period, { maxLength: 3 }) })
  .map(({ status, periods }) => ({
    resourceType: 'ChargeItemDefinition',
    status,
    applicability: periods.map((effectivePeriod) => ({ effectivePeriod })),
  }));
const charges = fc.record({
  type: fc.constant('ChargeItemDefinition'),
  conditions: fc.array(
    fc.oneof(
      dateValue.map((each) => `effective${each.slice(4)}`),
      fc.constant('status=draft'),
    ),
    {
      maxLength: 2,
    },
  ),
  sort: fc.constantFrom('effective', '-effective', '-effective,status'),
  count: fc.integer({ min: 6, max: 60 }),
});
const search = fc.oneof({ weight: 3, arbitrary: observations }, charges);

const VIEWS: readonly Access[] = [
  ALL_ACCESS,
  (type) => (type !== 'Patient' ? { kind: 'organisations', guids: [ORG] } : { kind: 'all' }),
  () => ({ kind: 'patient', patientGuid: 'p1' }),
];

before(async () => {
  for (const [index, family] of ['Ahl', 'Alm', 'Berg', 'Bengtsson', 'Cederlund', 'Dahl'].entries()) {
    const identifier = [{ system: 'urn:i', value: String(index) }];
    await put({ resourceType: 'Patient', id: `p${index}`, name: [{ family }], identifier });
  }
  for (const [index, resource] of fc.sample(observation, { numRuns: 150, seed: 7 }).entries()) {
    clock.time += 60_000;
    const { id } = await put(resource, index % 3 === 0 ? ORG : null);
    // Some are changed and some deleted, so that the index has seen more than is there.
    if (index % 10 === 0)
      await put({ ...resource, id, status: 'amended', effectiveDateTime: undefined, effectivePeriod: undefined });
    if (index % 17 === 0) await remove(id);
  }
  for (const [index, resource] of fc.sample(charge, { numRuns: 60, seed: 8 }).entries()) {
    await put(resource, index % 3 === 0 ? ORG : null);
  }
});

async function remove(id: string): Promise<void> {
  await db.transaction((tx) => store.delete(tx, { resourceType: 'Observation', id, access: ALL_ACCESS }));
}

interface Forced {
  readonly start: number;
  readonly isBeyond: boolean;
}

/** All matches, page by page. */
async function collect(
  type: string,
  query: string,
  { access, forced }: { access: Access; forced?: Forced },
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const pairs = [...new URLSearchParams(query), ...(cursor === undefined ? [] : [['_cursor', cursor] as const])];
    const parsed = store.parse(type, pairs, { isStrict: true });
    const start = forced && possibleStarts(parsed)[forced.start];
    const plan = start && { start, isBeyond: forced.isBeyond };
    const result = await store.search(db, parsed, { access, ...(plan && { plan }) });
    ids.push(...result.matches.map(({ id }) => id));
    cursor = result.nextCursor;
    assert.ok(ids.length <= 150, 'pages come to an end');
  } while (cursor !== undefined);
  return ids;
}

test('every plan, by sort or by keyset scan, finds the same in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(
      search,
      fc.constantFrom(...VIEWS),
      async ({ type, conditions: asked, sort: by, count }, access) => {
        const query = [...asked, ...(by === '' ? [] : [`_sort=${by}`]), `_count=${count}`].join('&');
        const starts = possibleStarts(store.parse(type, new URLSearchParams(query), { isStrict: true }));
        const expected = await collect(type, query, { access, forced: { start: 0, isBeyond: false } });
        assert.equal(new Set(expected).size, expected.length, 'each once');
        assert.deepEqual(await collect(type, query, { access }), expected, `${type}?${query}, as sizes suggest`);
        for (const start of starts.keys()) {
          for (const isBeyond of [false, true]) {
            const found = await collect(type, query, { access, forced: { start, isBeyond } });
            assert.deepEqual(
              found,
              expected,
              `${type}?${query}, start ${JSON.stringify(starts[start])}, beyond: ${isBeyond}`,
            );
          }
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('totals are the same for every start', async () => {
  await fc.assert(
    fc.asyncProperty(search, async ({ type, conditions: asked, sort: by, count }) => {
      const query = [...asked, ...(by === '' ? [] : [`_sort=${by}`]), `_count=${count}`].join('&');
      const parsed = store.parse(type, new URLSearchParams(query), { isStrict: true });
      const totals = await Promise.all(
        possibleStarts(parsed).map(async (start) => {
          const plan = { start, isBeyond: false };
          return (await store.search(db, parsed, { access: ALL_ACCESS, plan })).total;
        }),
      );
      const usual = (await store.search(db, parsed, { access: ALL_ACCESS })).total;
      assert.deepEqual(
        totals,
        totals.map(() => usual),
        query,
      );
    }),
    { numRuns: 50 },
  );
});

test('batched searches find what each finds alone', async () => {
  let statements = 0;
  const counted: Queryable = {
    query: (statement, values) => {
      statements += 1;
      return db.query(statement, values);
    },
  };
  const batched = batchStatements(counted);
  let searches = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(search, fc.constantFrom(...VIEWS)), { minLength: 2, maxLength: 8 }),
      async (given) => {
        const asked = given.map(([{ type, conditions: all, sort: by, count }, access]) => {
          const query = [...all, ...(by === '' ? [] : [`_sort=${by}`]), `_count=${count}`].join('&');
          return { query: store.parse(type, new URLSearchParams(query), { isStrict: true }), access };
        });
        const alone: unknown[] = [];
        for (const { query, access } of asked) alone.push(await store.search(db, query, { access }));
        // Several ask for each, so that every statement is prepared and has company.
        const together = await Promise.all(
          [...asked, ...asked, ...asked].map(({ query, access }) => store.search(db, query, { access, batched })),
        );
        searches += together.length;
        assert.deepEqual(together, [...alone, ...alone, ...alone]);
      },
    ),
    { numRuns: 30 },
  );
  assert.ok(statements < searches * 0.9, `${statements} statements for ${searches} searches`);
});
