// Quantities in units of UCUM: the same amount in another unit is found, compared and sorted
// (hl7.org/fhir/R5/search.html#quantity).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';

const { db, put, find } = await createTestStore({ after });

const UCUM = 'http://unitsofmeasure.org';
const code = { coding: [{ system: 'urn:c', code: 'dose' }] };

before(async () => {
  const quantities: Record<string, object> = {
    g: { value: 0.0054, system: UCUM, code: 'g', unit: 'gram' },
    mg: { value: 5.4, system: UCUM, code: 'mg', unit: 'mg' },
    more: { value: 20, system: UCUM, code: 'mg' },
    most: { value: 1, system: UCUM, code: 'g' },
    written: { value: 5.4, unit: 'mg' },
    unknown: { value: 7, system: UCUM, code: '[iU]' },
    below: { value: 3, comparator: '<', system: UCUM, code: 'mg' },
    warm: { value: 98.6, system: UCUM, code: '[degF]' },
  };
  for (const [id, valueQuantity] of Object.entries(quantities)) {
    await put({ resourceType: 'Observation', id, status: 'final', code, valueQuantity });
  }
});

const CASES: readonly (readonly [query: string, ids: readonly string[]])[] = [
  [`value-quantity=5.4|${UCUM}|mg`, ['g', 'mg']],
  [`value-quantity=0.0054|${UCUM}|g`, ['g', 'mg']],
  [`value-quantity=5400|${UCUM}|ug`, ['g', 'mg']],
  // 5 stands for 4.5 to 5.5, and 0.005 g for the same; 5.0 does not reach so far.
  [`value-quantity=5|${UCUM}|mg`, ['g', 'mg']],
  [`value-quantity=5.0|${UCUM}|mg`, []],
  [`value-quantity=gt5.4|${UCUM}|mg`, ['more', 'most']],
  [`value-quantity=ge0.0054|${UCUM}|g`, ['g', 'mg', 'more', 'most']],
  [`value-quantity=lt5.4|${UCUM}|mg`, ['below']],
  [`value-quantity=ne5.4|${UCUM}|mg`, ['below', 'more', 'most']],
  [`value-quantity=37.0|${UCUM}|Cel`, ['warm']],
  [`value-quantity=7|${UCUM}|[iU]`, ['unknown']],
  [`value-quantity=5.4|${UCUM}|m`, []],
  ['value-quantity=5.4||mg', ['mg', 'written']],
  ['value-quantity=5.4', ['mg', 'written']],
  [`value-quantity=20|${UCUM}|mg,5.4||mg`, ['mg', 'more', 'written']],
  [`code-value-quantity=dose$5.4|${UCUM}|mg`, ['g', 'mg']],
  [`combo-code-value-quantity=urn:c|dose$gt5000|${UCUM}|ug`, ['g', 'mg', 'more', 'most']],
  ['code-value-quantity=dose$5.4', ['mg', 'written']],
];

for (const [query, ids] of CASES) {
  test(query, async () => assert.deepEqual((await find('Observation', `${query}&_sort=_id`)).sort(), ids));
}

test('what is measured in different units is sorted by amount', async () => {
  assert.deepEqual(await find('Observation', '_id=most,more,mg&_sort=value-quantity'), ['mg', 'more', 'most']);
  assert.deepEqual(await find('Observation', '_id=most,more,mg&_sort=-value-quantity'), ['most', 'more', 'mg']);
});

test('each amount is in the index once as written and once in base units', async () => {
  const { rows } = await db.query<{ count: number }>("SELECT count(*) AS count FROM fhir_quantity WHERE code = 'g'");
  // The two in grams; g, mg, more, most and below in base units; each for value-quantity and combo-value-quantity
  // together.
  assert.equal(Number(rows[0]?.count), 2 + 5);
});
