import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isObject } from '#fhir/json/objects.ts';
import { hoist } from './hoist.ts';

const questionnaire = {
  resourceType: 'Questionnaire',
  id: 'q1',
  meta: { versionId: '3', lastUpdated: '2026-01-01T00:00:00Z', tag: [{ code: 't' }] },
  text: { status: 'generated', div: '<div>…</div>' },
  contained: [{ resourceType: 'ValueSet', id: 'vs', status: 'active', text: { status: 'empty' } }],
  status: 'active',
  item: [{ linkId: '#vs', text: '#vs', type: 'coding', answerValueSet: '#vs' }],
};

test('contained resources are beside it under new ids and every reference follows', () => {
  const { resource, contained } = hoist(questionnaire, 'form-1');
  assert.deepEqual(resource, {
    resourceType: 'Questionnaire',
    id: 'form-1',
    status: 'active',
    item: [{ linkId: '#vs', text: '#vs', type: 'coding', answerValueSet: '#form-1-vs' }],
    meta: { tag: [{ code: 't' }] },
  });
  assert.deepEqual(contained, [{ resourceType: 'ValueSet', id: 'form-1-vs', status: 'active' }]);
});

test('what referred to its container refers to the hoisted resource', () => {
  const { contained } = hoist(
    { resourceType: 'CarePlan', id: 'x', contained: [{ resourceType: 'Task', id: 't', focus: { reference: '#' } }] },
    'careplan',
  );
  assert.deepEqual(contained, [{ resourceType: 'Task', id: 'careplan-t', focus: { reference: '#careplan' } }]);
});

test('an id that would be longer than FHIR allows is counted instead', () => {
  const long = 'x'.repeat(60);
  const { contained } = hoist(
    { resourceType: 'CarePlan', goal: [{ reference: `#${long}` }], contained: [{ resourceType: 'Goal', id: long }] },
    'careplan',
  );
  assert.equal(contained[0]?.['id'], 'careplan-1');
});

test('decimals keep their digits on the way', () => {
  const parsed = parseExactJson('{"resourceType":"ValueSet","id":"v","extension":[{"url":"u","valueDecimal":1.50}]}');
  assert.ok(isObject(parsed));
  assert.match(JSON.stringify(hoist(parsed, 'w').resource), /"valueDecimal":1\.50/);
});
