// What a patient's plans ask to be measured, and the reports of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CarePlan } from 'fhir/r5';
import { MEASURED_AT } from '../../../../fhir/plans/measured-values.ts';
import type { PlanContext } from '../../clinical/care-plan.ts';
import { startOf, withAnswers, withOccurrences } from '../../forms/filled.ts';
import type { Answer, FormItem } from '../../forms/form.ts';
import { type Measure, measuresOf, reportsOf } from './measures.ts';

type Transactions = NonNullable<PlanContext['snapshot']>['transactions'];

const WEIGHT = { system: 'http://loinc.org', code: '29463-7', display: 'Kroppsvikt' };
const KG = { system: 'http://unitsofmeasure.org', code: 'kg', display: 'kg' };
const DAILY = { repeat: { frequency: 1, period: 1, periodUnit: 'd' as const } };
const RARE = { repeat: { frequency: 1, period: 3, periodUnit: 'mo' as const } };
const weight = { transaction_id: 't1', activity_id: 'a1', title: 'Vikt', concept: WEIGHT, unit: KG, timing: DAILY };

function context(guid: string, transactions: Transactions, status: CarePlan['status'] = 'active'): PlanContext {
  return {
    careplan_guid: guid,
    careplan: { resourceType: 'CarePlan', status, intent: 'plan', subject: {} },
    snapshot: { activities: [{ activity_id: 'a1', timing: RARE }], transactions, goals: [] },
  };
}

function answered(items: readonly FormItem[], answers: Readonly<Record<string, Answer>>) {
  return items.reduce((filled, item) => {
    const answer = answers[item.link_id];
    const [first] = filled.items[item.link_id] ?? [];
    if (answer === undefined || first === undefined) return filled;
    return withOccurrences(filled, item.link_id, [withAnswers(item, first, [answer])]);
  }, startOf(items));
}

const named = (measures: readonly Measure[]) =>
  measures.map(({ item, plan, isOften }) => [item.label, plan, isOften, item.type]);

test('each thing to measure is asked for once, of the plan that has it most often', () => {
  const blood = { transaction_id: 't2', activity_id: 'a1', title: 'NT-proBNP', response_type: 'Quantity' };
  const swelling = { transaction_id: 't3', activity_id: 'a1', title: 'Svullnad', timing: DAILY };
  const plans = [
    context('p1', [{ ...weight, timing: RARE }, blood]),
    context('p2', [weight, { ...swelling, values: [{ code: 'none', display: 'Ingen' }] }]),
    context('p3', [{ ...weight, transaction_id: 't9', title: 'Paus' }], 'on-hold'),
  ];
  assert.deepEqual(named(measuresOf(plans)), [
    ['Vikt', 'p2', true, 'quantity'],
    ['NT-proBNP', 'p1', false, 'quantity'],
    ['Svullnad', 'p2', true, 'coding'],
  ]);
  const needed = measuresOf([context('p1', [{ ...weight, required: true }, blood])]);
  for (const { item } of needed) assert.deepEqual([item.required, item.asked], [false, true], 'no label says optional');
  assert.deepEqual(measuresOf([{ ...context('p1', []), snapshot: null }]), []);
});

test('what is answered is reported about the plan, from when it was measured', () => {
  const mood = { transaction_id: 't2', activity_id: 'a1', title: 'Mår du bra?', response_type: 'boolean' };
  const measures = measuresOf([context('p1', [weight, mood])]);
  const at: FormItem = { ...(measures[0]?.item as FormItem), link_id: MEASURED_AT, type: 'dateTime', units: [] };
  const items = [at, ...measures.map(({ item }) => item)];
  const kilograms = { value: 82.5, unit: 'kg', system: KG.system, code: 'kg' };
  const given = { 'p1:t1': { valueQuantity: kilograms } };
  const reports = (answers: Readonly<Record<string, Answer>>) =>
    reportsOf(measures, { items, filled: answered(items, answers), now: '2026-11-29T08:00:00Z' });
  const report = {
    resourceType: 'Observation',
    status: 'final',
    basedOn: [{ reference: 'CarePlan/p1' }],
    code: { coding: [WEIGHT], text: 'Kroppsvikt' },
    effectiveDateTime: '2026-11-29T08:00:00Z',
    valueQuantity: kilograms,
  };
  assert.deepEqual(reports(given), [['p1:t1', report]]);
  const morning = '2026-11-29T05:30:00Z';
  const both = reports({ ...given, 'p1:t2': { valueBoolean: false }, [MEASURED_AT]: { valueDateTime: morning } });
  assert.deepEqual(
    both.map(([id, { effectiveDateTime: when, valueBoolean }]) => [id, when, valueBoolean]),
    [
      ['p1:t1', morning, undefined],
      ['p1:t2', morning, false],
    ],
  );
  assert.deepEqual(reports({}), []);
});
