// What a scope of an API key allows: the type it names or all, and the actions it names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePrincipal } from '#test/support/http-app.ts';
import { hasScope, type ScopeAction } from './scopes.ts';

const RIGHTS: readonly [scope: string, type: string, actions: string][] = [
  ['system/Patient.rs', 'Patient', 'rs'],
  ['system/Patient.rs', 'Observation', ''],
  ['system/Patient.rs', 'P', ''],
  ['system/List.c', 'ListX', ''],
  ['system/*.cruds', 'Task', 'cruds'],
  ['system/*.d', 'Patient', 'd'],
];
const ACTIONS: readonly ScopeAction[] = ['c', 'r', 'u', 'd', 's'];

for (const [scope, type, allowed] of RIGHTS) {
  test(`${scope} allows of ${type}: ${allowed === '' ? 'nothing' : allowed}`, () => {
    const principal = makePrincipal(['api_key'], { scopes: [scope] });
    assert.equal(ACTIONS.filter((action) => hasScope(principal, type, action)).join(''), allowed);
  });
}

test('one of several scopes is enough', () => {
  const principal = makePrincipal(['api_key'], { scopes: ['system/Task.r', 'system/Patient.s'] });
  assert.ok(hasScope(principal, 'Patient', 's'));
  assert.ok(!hasScope(principal, 'Patient', 'r'));
});
