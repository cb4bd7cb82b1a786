// Values grouped by what was measured, with what is normal and what the plan aims at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from 'fhir/r5';
import { isWithin, ownReportsIn, remarksByName, remarksOf, seriesOf } from './values.ts';

const SYSTEM = 'http://loinc.org';
const quantity = (value: number, unit = 'kg') => ({ value, unit, code: unit });

function observed(id: string, more: Partial<Observation>): Observation {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: SYSTEM, code: 'weight', display: 'Vikt' }] },
    effectiveDateTime: '2026-11-01',
    ...more,
  };
}

test('values are one line for each thing measured, the oldest first; what was withdrawn is left out', () => {
  const series = seriesOf(
    [
      observed('2', { effectiveDateTime: '2026-11-02T08:00:00Z', valueQuantity: quantity(81) }),
      observed('1', { valueQuantity: quantity(80), meta: { tag: [{ code: 'patient-reported' }] } }),
      observed('3', { status: 'entered-in-error', valueQuantity: quantity(800) }),
      observed('4', { valueQuantity: quantity(180, 'lb') }),
      observed('5', { valueString: 'trött' }),
    ],
    [],
  );
  assert.deepEqual(
    series.map(({ name, unit, readings }) => [name, unit, readings.map(({ id, isOwn }) => [id, isOwn])]),
    [
      [
        'Vikt',
        'kg',
        [
          ['1', true],
          ['2', false],
        ],
      ],
      ['Vikt', 'lb', [['4', false]]],
    ],
  );
});

test('a score is a line without a unit, and an answer of yes or no is no number', () => {
  const score = (id: string, valueInteger: number) => observed(id, { code: { text: 'Smärta' }, valueInteger });
  const observations = [score('1', 7), score('2', 0), observed('3', { valueBoolean: false })];
  assert.deepEqual(
    seriesOf(observations, []).map(({ name, unit, readings }) => [name, unit, readings.map(({ value }) => value)]),
    [['Smärta', '', [7, 0]]],
  );
  assert.deepEqual(
    remarksOf(observations).map(({ text }) => text),
    [false],
  );
});

test('a measurement of two values is two lines', () => {
  const part = (code: string, value: number) => ({ code: { text: code }, valueQuantity: quantity(value, 'mmHg') });
  const pressure = observed('1', { component: [part('Övertryck', 120), part('Undertryck', 80)] });
  assert.deepEqual(
    seriesOf([pressure], []).map(({ name, readings }) => [name, readings[0]?.value]),
    [
      ['Övertryck', 120],
      ['Undertryck', 80],
    ],
  );
});

test('each of two values has its own range, and a range of another kind does not say what is normal', () => {
  const part = (code: string, value: number, low: number) => ({
    code: { text: code },
    valueQuantity: quantity(value, 'mmHg'),
    referenceRange: [{ low: quantity(low, 'mmHg') }],
  });
  const pressure = observed('1', { component: [part('Övertryck', 120, 90), part('Undertryck', 80, 60)] });
  assert.deepEqual(
    seriesOf([pressure], []).map(({ normal }) => normal?.low),
    [90, 60],
  );
  const ranged = (code: string) => [{ low: quantity(70), type: { coding: [{ code }] } }];
  const weight = (code: string) => observed('1', { valueQuantity: quantity(80), referenceRange: ranged(code) });
  assert.equal(seriesOf([weight('treatment')], [])[0]?.normal, undefined);
  assert.equal(seriesOf([weight('normal')], [])[0]?.normal?.low, 70);
});

test('what is normal is what the newest value says, and the goal is the plan’s', () => {
  const concept = { system: SYSTEM, code: 'weight' };
  const normal = (low: number) => [{ low: quantity(low) }];
  const values = [
    observed('1', { valueQuantity: quantity(80), referenceRange: normal(60) }),
    observed('2', { effectiveDateTime: '2026-11-03', valueQuantity: quantity(81), referenceRange: normal(65) }),
  ];
  const bands = (target: object) =>
    seriesOf(values, [{ concept, ...target }]).map(({ normal: band, goal }) => [band, goal]);
  const known = { low: 65, high: undefined };
  assert.deepEqual(bands({ detailQuantity: { value: 82, comparator: '<=' } }), [[known, { high: 82 }]]);
  assert.deepEqual(bands({ detailQuantity: { value: 70, comparator: '>' } }), [[known, { low: 70, isOpen: true }]]);
  assert.deepEqual(bands({ detailRange: { low: { value: 70 }, high: { value: 80 } } }), [
    [known, { low: 70, high: 80 }],
  ]);
  assert.deepEqual(bands({ concept: { system: SYSTEM, code: 'other' } }), [[known, undefined]]);
  assert.deepEqual(
    [65, 64].map((value) => isWithin({ value }, known)),
    [true, false],
  );
  assert.equal(isWithin({ value: 5 }, {}), true);
});

test('answers that are no numbers are remarks', () => {
  const remarks = remarksOf([
    observed('1', { valueCodeableConcept: { coding: [{ display: 'Lätt' }] } }),
    observed('2', { valueString: 'Mår bra', status: 'entered-in-error' }),
    observed('3', { valueQuantity: quantity(80) }),
    observed('4', { valueString: 'Trött', effectiveDateTime: '2026-11-03' }),
    observed('5', { valueString: 'Pigg', effectiveDateTime: '2026-11-02' }),
  ]);
  assert.deepEqual(
    remarks.map(({ id, text }) => [id, text]),
    [
      ['4', 'Trött'],
      ['5', 'Pigg'],
      ['1', 'Lätt'],
    ],
    'the newest first',
  );
  const named = remarksByName([{ ...remarks[0]!, name: 'Humör' }, ...remarks.slice(1)]);
  assert.deepEqual(
    named.map(([name, those]) => [name, those.map(({ id }) => id)]),
    [
      ['Humör', ['4']],
      ['Vikt', ['1', '5']],
    ],
    'those of one kind together, the newest last',
  );
});

test('a value without a moment of its own is from when it was reported, and an instant is a moment, too', () => {
  const { effectiveDateTime: _, ...bare } = observed('1', { valueQuantity: quantity(80) });
  const at = '2026-11-05T08:00:00Z';
  for (const when of [
    { effectiveInstant: at },
    { effectivePeriod: { end: at } },
    { effectiveTiming: { event: [at] } },
    { issued: at },
    { meta: { lastUpdated: at } },
  ]) {
    assert.equal(seriesOf([{ ...bare, ...when }], [])[0]?.readings[0]?.at, at, JSON.stringify(when));
    const { valueQuantity: __, ...other } = { ...bare, ...when, valueString: 'trött' };
    assert.equal(remarksOf([other])[0]?.at, at, JSON.stringify(when));
  }
});

test('every kind of value is told', () => {
  const remarks = remarksOf([
    observed('1', { valueDateTime: '2026-11-04' }),
    observed('2', { valueTime: '07:30:00' }),
    observed('3', { valueRange: { low: quantity(5), high: quantity(7) } }),
    observed('4', { valueRatio: { numerator: quantity(1, 'mg'), denominator: quantity(2, 'dL') } }),
    observed('5', { valuePeriod: { start: '2026-11-01', end: '2026-11-03' } }),
    observed('6', { valueCodeableConcept: { coding: [{ code: 'LA1' }] } }),
    observed('7', { component: [{ code: { text: 'Svullnad' }, valueString: 'lätt' }] }),
  ]);
  assert.deepEqual(
    remarks.map(({ name, text }) => [name, text]),
    [
      ['Vikt', '2026-11-04'],
      ['Vikt', '07:30'],
      ['Vikt', '5 kg – 7 kg'],
      ['Vikt', '1 mg : 2 dL'],
      ['Vikt', '2026-11-01 – 2026-11-03'],
      ['Vikt', 'LA1'],
      ['Svullnad', 'lätt'],
    ],
  );
});

test('a value below what is measured keeps saying so, and is normal only where it must be', () => {
  const below = observed('1', { valueQuantity: { ...quantity(5, 'mg/L'), comparator: '<' } });
  assert.equal(seriesOf([below], [])[0]?.readings[0]?.comparator, '<');
  const rated = (comparator: '<' | '<=' | '>' | '>=', band: Parameters<typeof isWithin>[1]) =>
    isWithin({ value: 5, comparator }, band);
  assert.equal(rated('<', { high: 5 }), true);
  assert.equal(rated('<', { low: 0, high: 10 }), true);
  assert.equal(rated('<', { low: 5 }), false);
  assert.equal(rated('<=', { low: 5 }), undefined);
  assert.equal(rated('<', { low: 3 }), undefined);
  assert.equal(rated('>', { high: 5 }), false);
  assert.equal(rated('>=', { high: 5 }), undefined);
  assert.equal(rated('>', { high: 8 }), undefined);
  assert.equal(rated('>', { low: 4 }), true);
  assert.equal(rated('>=', { low: 4, isOpen: true }), true);
  assert.equal(rated('>=', { low: 5, isOpen: true }), undefined);
});

test('the end of a goal that is to be passed does not reach it', () => {
  const under = { high: 130, isOpen: true };
  assert.deepEqual(
    [129, 130, 131].map((value) => isWithin({ value }, under)),
    [true, false, false],
  );
});

test('what the patient has reported is listed, the newest first', () => {
  const meta = { tag: [{ code: 'patient-reported' }] };
  const reports = ownReportsIn([
    observed('1', { meta, valueQuantity: quantity(80) }),
    observed('2', { meta, effectiveDateTime: '2026-11-02T07:00:00Z', valueString: 'trött' }),
    observed('3', { valueQuantity: quantity(81) }),
    observed('4', { meta, status: 'entered-in-error', valueQuantity: quantity(800) }),
  ]);
  assert.deepEqual(
    reports.map(({ id, series, remarks }) => [id, series[0]?.readings[0]?.value, remarks[0]?.text]),
    [
      ['2', undefined, 'trött'],
      ['1', 80, undefined],
    ],
  );
  const byProxy = observed('5', { meta, valueQuantity: quantity(80), performer: [{ type: 'RelatedPerson' }] });
  assert.deepEqual(
    ownReportsIn([byProxy, ...[observed('1', { meta, valueQuantity: quantity(80) })]]).map((each) => [
      each.isByProxy,
      each.series[0]?.readings[0]?.isByProxy,
    ]),
    [
      [true, true],
      [false, false],
    ],
  );
});
