// Refused rights by their place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../api/problem.ts';
import { refusedScopes } from './refused-scopes.ts';

const SENT = ['system/Patient.rs', 'system/Banana.rs', 'read'];
const refusal = (messages: readonly string[], status = 400) =>
  new Problem(new Response(null, { status }), { error: 'validation_error', message: messages.join('; '), messages });

test('the rights that the service refuses are named as they were typed', () => {
  const unknown = "'scopes[1]': 'Banana' is no FHIR R5 resource type";
  const shapeless = "'scopes[2]' must match pattern";
  assert.deepEqual(refusedScopes(refusal([unknown]), SENT), ['system/Banana.rs']);
  assert.deepEqual(refusedScopes(refusal([shapeless, unknown]), SENT), ['system/Banana.rs', 'read']);
});

test('whatever else is refused is left to the usual card', () => {
  const scope = "'scopes[1]': 'Banana' is no FHIR R5 resource type";
  const others = [
    [],
    ["'name' is required"],
    [scope, "'name' is required"],
    ["'scopes[9]' is wrong"],
    ["'scopes': none"],
  ];
  for (const messages of others) assert.equal(refusedScopes(refusal(messages), SENT), undefined, messages.join());
  assert.equal(refusedScopes(refusal([scope], 403), SENT), undefined);
  assert.equal(refusedScopes(new Error('no network'), SENT), undefined);
  assert.equal(refusedScopes(null, SENT), undefined);
});
