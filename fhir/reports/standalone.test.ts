import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standalone } from './standalone.ts';

const activity = { resourceType: 'ActivityDefinition', id: 'weigh', library: ['#scale'] };
const scale = { resourceType: 'Library', id: 'scale' };
const form = { resourceType: 'Questionnaire', id: 'form' };
const plan = { resourceType: 'PlanDefinition', id: 'plan', action: [{ definitionCanonical: '#weigh' }] };
const siblings = [form, scale, activity, plan];

test('a contained resource takes along what it names among its siblings, and what these name', () => {
  assert.deepEqual(standalone(plan, siblings), { ...plan, contained: [scale, activity] });
});

test('a resource that names no sibling stays the very same', () => {
  assert.equal(standalone(form, siblings), form);
  const other = {
    resourceType: 'PlanDefinition',
    id: 'other',
    title: '#nothing',
    action: [{ definitionCanonical: '#' }],
  };
  assert.equal(standalone(other, siblings), other);
});

test('two that name each other end', () => {
  const [one, two] = [
    { resourceType: 'PlanDefinition', id: 'one', action: [{ definitionCanonical: '#two' }] },
    { resourceType: 'PlanDefinition', id: 'two', action: [{ definitionCanonical: '#one' }] },
  ];
  assert.deepEqual(standalone(one, [one, two]), { ...one, contained: [two] });
});
