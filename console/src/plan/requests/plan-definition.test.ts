// The plan of a snapshot in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FhirResource, PlanDefinition } from 'fhir/r5';
import { planInSnapshot } from './plan-definition.ts';

const EXTENSION = 'https://kedja.dev/fhir/StructureDefinition/';
const daily = { repeat: { frequency: 1, period: 1, periodUnit: 'd' as const } };
const coded = { coding: [{ system: 'urn:library', code: 'weighing' }], text: 'Weighing' };

const CONTAINED: FhirResource[] = [
  {
    resourceType: 'ActivityDefinition',
    id: 'activity-1',
    status: 'active',
    title: 'Weigh at home',
    timingTiming: daily,
    observationResultRequirement: ['#transaction-1', '#missing'],
  },
  {
    resourceType: 'ObservationDefinition',
    id: 'transaction-1',
    status: 'active',
    code: { text: 'Weight' },
    extension: [
      { url: `${EXTENSION}transaction-required`, valueBoolean: false },
      { url: `${EXTENSION}transaction-timing`, valueTiming: daily },
    ],
  },
];

const PLAN: PlanDefinition = {
  resourceType: 'PlanDefinition',
  status: 'active',
  title: 'Heart failure at home',
  contained: CONTAINED,
  goal: [
    {
      id: 'goal-1',
      description: { text: 'Stable weight' },
      target: [{ measure: coded, detailQuantity: { value: 80, unit: 'kg', comparator: '<' } }],
    },
  ],
  action: [
    { id: 'group', title: 'Home', action: [{ id: 'a', definitionCanonical: '#activity-1', code: coded }] },
    { title: 'Call' },
  ],
};

test('activities, steps and goals are read from the plan and what it contains', () => {
  const plan = planInSnapshot(PLAN);
  assert.deepEqual(plan.goals, [
    {
      id: 'goal-1',
      text: 'Stable weight',
      targets: [
        {
          concept: { system: 'urn:library', code: 'weighing' },
          detailQuantity: { value: 80, unit: 'kg', comparator: '<' },
        },
      ],
    },
  ]);
  assert.deepEqual(plan.activities, [
    {
      id: 'a',
      title: 'Weigh at home',
      description: undefined,
      repeat: daily.repeat,
      steps: [{ id: 'transaction-1', title: 'Weight', isOptional: true, repeat: daily.repeat }],
    },
    { id: '1', title: 'Call', description: undefined, repeat: undefined, steps: [] },
  ]);
  assert.equal(plan.hasCode, true);
});

test('without a plan there is nothing, and without a code no provider can be found', () => {
  assert.deepEqual(planInSnapshot(undefined), { title: '', goals: [], activities: [], hasCode: false });
  assert.equal(
    planInSnapshot({ resourceType: 'PlanDefinition', status: 'active', action: [{ title: 'Call' }] }).hasCode,
    false,
  );
});
