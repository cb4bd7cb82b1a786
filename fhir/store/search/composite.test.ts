// Composite search parameters: components of one element together, never of several
// (hl7.org/fhir/R5/search.html#composite).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';

const { put, find, store, db } = await createTestStore({ after });
const concept = (...codes: string[]) => ({ coding: codes.map((code) => ({ system: 'http://loinc.org', code })) });
const mmHg = (value: number, more: object = {}) => ({
  value,
  system: 'http://unitsofmeasure.org',
  code: 'mm[Hg]',
  unit: 'mmHg',
  ...more,
});
const component = (code: string, value: number) => ({ code: concept(code), valueQuantity: mmHg(value) });
const observation = (id: string, more: object) => put({ resourceType: 'Observation', id, status: 'final', ...more });

await observation('pressure', {
  code: concept('85354-9'),
  component: [component('8480-6', 140), component('8462-4', 80)],
});
await observation('other-pressure', {
  code: concept('85354-9'),
  component: [component('8480-6', 110), component('8462-4', 95)],
});
await observation('single', { code: concept('8480-6', 'other'), valueQuantity: mmHg(150) });
await observation('words', { code: concept('text'), valueString: 'Röda Rosor' });
await observation('dated', { code: concept('when'), valueDateTime: '2024-05-06' });
await observation('coded', { code: concept('which'), valueCodeableConcept: concept('A', 'B') });

test('components of the same element, not of neighbours', async () => {
  assert.deepEqual(await find('Observation', 'component-code-value-quantity=http://loinc.org|8480-6$gt120'), [
    'pressure',
  ]);
  assert.deepEqual(await find('Observation', 'component-code-value-quantity=8462-4$gt120'), []);
  assert.deepEqual((await find('Observation', 'component-code-value-quantity=8480-6$ge110')).sort(), [
    'other-pressure',
    'pressure',
  ]);
});

test('of the resource itself, and of both by combo', async () => {
  assert.deepEqual(await find('Observation', 'code-value-quantity=8480-6$gt120'), ['single']);
  assert.deepEqual(await find('Observation', 'code-value-quantity=other$150||mm[Hg]'), ['single']);
  assert.deepEqual((await find('Observation', 'combo-code-value-quantity=8480-6$gt120')).sort(), [
    'pressure',
    'single',
  ]);
});

test('units, systems and alternatives', async () => {
  assert.deepEqual(await find('Observation', 'code-value-quantity=8480-6$150|http://unitsofmeasure.org|mm[Hg]'), [
    'single',
  ]);
  assert.deepEqual(await find('Observation', 'code-value-quantity=8480-6$150|http://unitsofmeasure.org|kPa'), []);
  assert.deepEqual(await find('Observation', 'code-value-quantity=http://snomed.info/sct|8480-6$150'), []);
  assert.deepEqual((await find('Observation', 'combo-code-value-quantity=8462-4$95,8480-6$150')).sort(), [
    'other-pressure',
    'single',
  ]);
});

test('dates, strings and tokens as second components', async () => {
  assert.deepEqual(await find('Observation', 'code-value-date=when$2024-05'), ['dated']);
  assert.deepEqual(await find('Observation', 'code-value-date=when$lt2024-05-06'), []);
  assert.deepEqual(await find('Observation', 'code-value-string=text$rosor'), ['words']);
  assert.deepEqual(await find('Observation', 'code-value-concept=which$http://loinc.org|B'), ['coded']);
  assert.deepEqual(await find('Observation', 'code-value-concept=which$http://loinc.org|C'), []);
});

test('references, three components, lists of contexts', async () => {
  await put({
    resourceType: 'Encounter',
    id: 'moved',
    status: 'completed',
    location: [
      { location: { reference: 'Location/w1' }, period: { start: '2024-01-01', end: '2024-01-02' } },
      { location: { reference: 'Location/w2' }, period: { start: '2024-02-01' } },
    ],
  });
  assert.deepEqual(await find('Encounter', 'location-period=Location/w1$2024-01'), ['moved']);
  assert.deepEqual(await find('Encounter', 'location-period=w1$sa2024-01-15'), []);
  assert.deepEqual(await find('Encounter', 'location-period=w2$ge2024-02-01'), ['moved']);
  const state = { state: concept('active'), actual: true, period: { start: '2024-01-01', end: '2024-03-01' } };
  await put({
    resourceType: 'ResearchStudy',
    id: 'study',
    status: 'active',
    progressStatus: [state, { ...state, actual: false, period: { start: '2025-01-01' } }],
  });
  assert.deepEqual(await find('ResearchStudy', 'progress-status-state-period-actual=active$2024$true'), ['study']);
  assert.deepEqual(await find('ResearchStudy', 'progress-status-state-period-actual=active$2024$false'), []);
  const useContext = [
    { code: { system: 'http://x', code: 'age' }, valueQuantity: { value: 7 } },
    { code: { system: 'http://x', code: 'focus' }, valueCodeableConcept: concept('F') },
  ];
  await put({ resourceType: 'PlanDefinition', id: 'plan', status: 'active', useContext });
  assert.deepEqual(await find('PlanDefinition', 'context-type-quantity=http://x|age$7'), ['plan']);
  assert.deepEqual(await find('PlanDefinition', 'context-type-value=focus$F'), ['plan']);
  assert.deepEqual(await find('PlanDefinition', 'context-type-value=age$F'), []);
});

test('missing, updates and deletions', async () => {
  assert.ok((await find('Observation', 'component-code-value-quantity:missing=false')).includes('pressure'));
  assert.ok(!(await find('Observation', 'component-code-value-quantity:missing=true')).includes('pressure'));
  assert.deepEqual((await find('Observation', 'combo-code-value-quantity:missing=false')).sort(), [
    'other-pressure',
    'pressure',
    'single',
  ]);
  await observation('single', { code: concept('8480-6'), valueQuantity: mmHg(90) });
  assert.deepEqual(await find('Observation', 'code-value-quantity=8480-6$gt120'), []);
  await store.createMany(db, []);
});

test('a value with too few, too many or unreadable parts is refused; an escaped $ is no separator', async () => {
  for (const value of ['8480-6', '8480-6$1$2', '8480-6$much', '$5', '8480-6$']) {
    const search = () => store.parse('Observation', [['code-value-quantity', value]]);
    assert.throws(search, (error) => error instanceof ServiceError && error.code === 'validation_error', value);
  }
  assert.throws(() => store.parse('Observation', [['code-value-quantity:exact', 'a$1']]), ServiceError);
  await observation('odd', { code: concept('a$b'), valueQuantity: { value: 1 } });
  assert.deepEqual(await find('Observation', String.raw`code-value-quantity=a\$b$1`), ['odd']);
});

test('by chains and the other way round', async () => {
  await put({ resourceType: 'Patient', id: 'p' });
  await observation('of-p', { code: concept('8480-6'), valueQuantity: mmHg(200), subject: { reference: 'Patient/p' } });
  assert.deepEqual(await find('Patient', '_has:Observation:subject:code-value-quantity=8480-6$gt190'), ['p']);
});
