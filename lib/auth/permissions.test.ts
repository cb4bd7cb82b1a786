import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorise, type Decision, decide, PERMISSIONS, type Permission } from './permissions.ts';
import type { Principal, Role } from './principal.ts';

function make(roles: Role[], changes: Partial<Principal> = {}): Principal {
  return {
    kind: 'identity_user',
    id: 'x',
    roles: new Set(roles),
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
    ...changes,
  };
}

const planner = make(['professional', 'clinician'], { phases: new Set(['planning']) });
const callers = {
  nobody: undefined,
  patient: make(['patient']),
  professional: make(['professional', 'clinician']),
  analyst: make(['professional', 'clinician'], { phases: new Set(['analysis']) }),
  planner,
  admin: make(['professional', 'clinician', 'admin']),
  engineClinician: make(['clinician'], { kind: 'engine_user' }),
  reader: make(['reader'], { kind: 'engine_user' }),
  provider: make(['provider'], { kind: 'api_key' }),
  service: make(['service'], { kind: 'service' }),
  temporary: { ...planner, mustChangePassword: true },
};

/** Who may, for permissions whose meaning must not drift; everyone else is refused. */
const ALLOWED: Partial<Record<Permission, readonly (keyof typeof callers)[]>> = {
  'account:read-own': ['patient', 'professional', 'analyst', 'planner', 'admin', 'temporary'],
  'registry:read-own': ['patient'],
  'directory:administer': ['admin'],
  'service:sync': ['service'],
  'patient-record:read': ['patient', 'professional', 'analyst', 'planner', 'admin', 'engineClinician', 'reader'],
  'patient-record:write': ['planner', 'admin', 'engineClinician'],
  'observation:read': ['patient', 'analyst', 'planner', 'admin', 'engineClinician', 'reader'],
  'request:plan': ['planner', 'admin', 'engineClinician'],
  'feed:read': ['admin', 'provider', 'service'],
  'api-key:administer': ['admin'],
};

test('the matrix of roles and permissions is as written', () => {
  for (const [permission, allowed] of Object.entries(ALLOWED) as [Permission, readonly string[]][]) {
    for (const [name, caller] of Object.entries(callers)) {
      const expected: Decision = allowed.includes(name) ? 'allowed' : refusalOf(caller);
      assert.equal(decide(permission, caller), expected, `${permission} for ${name}`);
    }
  }
});

test('without credentials only what is marked so is open', () => {
  const open = (Object.keys(PERMISSIONS) as Permission[]).filter((name) => decide(name, undefined) === 'allowed');
  assert.deepEqual(open, ['public', 'receipt:hold']);
});

test('a principal without roles may do nothing', () => {
  const allowed = (Object.keys(PERMISSIONS) as Permission[]).filter((name) => decide(name, make([])) === 'allowed');
  assert.deepEqual(allowed, ['public', 'receipt:hold']);
});

test('refusals have their own codes', () => {
  assert.throws(() => authorise('service:sync', undefined), { code: 'unauthorized' });
  assert.throws(() => authorise('service:sync', callers.patient), { code: 'forbidden' });
  assert.throws(() => authorise('request:plan', callers.temporary), { code: 'password_change_required' });
  assert.doesNotThrow(() => authorise('request:plan', callers.planner));
});

function refusalOf(caller: Principal | undefined): Decision {
  if (caller === undefined) return 'unauthenticated';
  return caller.mustChangePassword ? 'password_change_required' : 'forbidden';
}
