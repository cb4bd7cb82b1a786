// Expressions of forms that nothing evaluates are warned of at their places, and refuse nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasErrors, validateResource } from '../validate.ts';

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const calculated = (language: string) => ({
  extension: [{ url: `${SDC}calculatedExpression`, valueExpression: { language, expression: '1 + 1' } }],
});

function warningsOf(item: object): (string | undefined)[][] {
  const form = { resourceType: 'Questionnaire', status: 'draft', item: [item] };
  const issues = validateResource(form);
  assert.equal(hasErrors(issues), false, JSON.stringify(issues));
  return issues
    .filter(({ code }) => code === 'not-supported')
    .map(({ field, severity, message }) => [field, severity, message]);
}

test('an expression in CQL is a warning with its place and its language; one in FHIRPath is none', () => {
  const inner = { linkId: 'q', type: 'integer', ...calculated('text/cql') };
  assert.deepEqual(warningsOf({ linkId: 'g', type: 'group', item: [inner] }), [
    [
      'Questionnaire.item[0].item[0]',
      'warning',
      'Questionnaire.item[0].item[0] has an expression that is not evaluated (calculatedExpression in text/cql): FHIRPath is',
    ],
  ]);
  assert.deepEqual(warningsOf({ linkId: 'q', type: 'integer', ...calculated('text/fhirpath') }), []);
});
