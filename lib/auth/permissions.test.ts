import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePrincipal } from '#test/support/http-app.ts';
import { authorise, type Decision, decide, PERMISSIONS, type Permission } from './permissions.ts';
import { CLIENT_CALLS, CLIENT_SERVICES, type Principal } from './principal.ts';
import { clientPrincipal, servicePrincipal } from './service-credentials.ts';

const planner = makePrincipal(['professional', 'clinician'], { phases: new Set(['planning']) });
const callers = {
  nobody: undefined,
  patient: makePrincipal(['patient']),
  professional: makePrincipal(['professional', 'clinician']),
  analyst: makePrincipal(['professional', 'clinician'], { phases: new Set(['analysis']) }),
  planner,
  admin: makePrincipal(['professional', 'clinician', 'admin']),
  engineClinician: makePrincipal(['clinician'], { kind: 'engine_user' }),
  reader: makePrincipal(['reader'], { kind: 'engine_user' }),
  provider: makePrincipal(['provider'], { kind: 'api_key' }),
  identity: servicePrincipal('identity'),
  dispatch: servicePrincipal('dispatch'),
  engine: servicePrincipal('engine'),
  temporary: { ...planner, mustChangePassword: true },
  oneFactor: makePrincipal(['professional', 'clinician', 'admin'], { mustSetUpSecondFactor: true }),
  temporaryOneFactor: makePrincipal(['professional', 'clinician', 'admin'], {
    mustChangePassword: true,
    mustSetUpSecondFactor: true,
  }),
};

/** The allowed callers of permissions whose meaning must not change; all others are refused. */
const ALLOWED: Partial<Record<Permission, readonly (keyof typeof callers)[]>> = {
  'account:read-own': [
    'patient',
    'professional',
    'analyst',
    'planner',
    'admin',
    'temporary',
    'oneFactor',
    'temporaryOneFactor',
  ],
  'second-factor:manage-own': ['patient', 'professional', 'analyst', 'planner', 'admin', 'oneFactor'],
  'registry:read-own': ['patient'],
  'directory:administer': ['admin'],
  'patient:look-up': ['planner', 'admin', 'engineClinician'],
  'revocation:follow': ['dispatch', 'engine'],
  'access:read-any': ['dispatch', 'engine'],
  'api-key:introspect': ['dispatch'],
  'audit-event:ship': ['identity', 'dispatch'],
  'patient-record:read': ['patient', 'professional', 'analyst', 'planner', 'admin', 'engineClinician', 'reader'],
  'patient-record:write': ['planner', 'admin', 'engineClinician'],
  'observation:read': ['patient', 'analyst', 'planner', 'admin', 'engineClinician', 'reader'],
  'observation:write': ['analyst', 'planner', 'admin', 'engineClinician'],
  'report:write': ['patient', 'analyst', 'planner', 'admin', 'engineClinician'],
  'report:provide': ['patient', 'analyst', 'planner', 'admin', 'engineClinician', 'provider'],
  'request:plan': ['planner', 'admin', 'engineClinician'],
  'worklist:read': ['analyst', 'planner', 'admin', 'engineClinician'],
  'feed:read': ['admin', 'provider'],
  'request:report': ['admin', 'provider', 'engine'],
  'endpoint:administer': ['admin'],
  'endpoint:set': ['admin', 'engine'],
  'endpoint:use-own': ['admin', 'provider'],
  'endpoint:rotate-secret': ['admin', 'provider', 'engine'],
  'delivery:use-own': ['admin', 'provider'],
  'notification:read-own': ['patient', 'planner', 'admin', 'engineClinician', 'provider'],
  'api-key:administer': ['admin'],
  'engine-user:administer': ['admin'],
  'engine-account:renew': ['professional', 'analyst', 'planner', 'admin', 'engineClinician', 'reader', 'provider'],
};

test('the matrix of roles and permissions is as written', () => {
  for (const [permission, allowed] of Object.entries(ALLOWED) as [Permission, readonly string[]][]) {
    for (const [name, caller] of Object.entries(callers)) {
      const expected: Decision = allowed.includes(name) ? 'allowed' : refusalOf(caller);
      assert.equal(decide(permission, caller), expected, `${permission} for ${name}`);
    }
  }
});

/** Every permission of each service: what it really calls (docs/adr/0044), so that a new one is a decision. */
const GRANTS: Readonly<Record<string, readonly Permission[]>> = {
  identity: ['audit-event:ship'],
  dispatch: [
    'name:resolve',
    'proxy:read-any',
    'client:introspect',
    'revocation:follow',
    'registered-id:resolve',
    'access:read-any',
    'patient-record:report',
    'patient-link:follow',
    'result:store',
    'api-key:introspect',
    'api-key:count-use',
    'audit-event:ship',
    'plan-definition:find',
    'form-definition:read',
    'value-set:expand',
    'contract:match',
  ],
  engine: [
    'account:verify',
    'directory:resolve',
    'name:resolve',
    'proxy:read-any',
    'client:introspect',
    'revocation:follow',
    'registered-id:resolve',
    'patient-record:report',
    'access:read-any',
    'request:report',
    'patient-report:place',
    'request:resolve',
    'result:register',
    'endpoint:set',
    'endpoint:rotate-secret',
  ],
};

test('a service has the permissions of the calls that it makes, and no other', () => {
  for (const service of CLIENT_SERVICES) {
    const granted = (Object.keys(PERMISSIONS) as Permission[]).filter(
      (name) => decide(name, undefined) !== 'allowed' && decide(name, servicePrincipal(service)) === 'allowed',
    );
    assert.deepEqual(granted.sort(), [...(GRANTS[service] ?? [])].sort(), service);
  }
});

test('a service on record has the calls that its record names, and of those alone that are for clients', () => {
  const of = (...calls: string[]) => {
    const client = clientPrincipal('journal', new Set(calls));
    return (Object.keys(PERMISSIONS) as Permission[]).filter((name) => decide(name, client) === 'allowed');
  };
  const open = ['public', 'receipt:hold'];
  assert.deepEqual(of(), open);
  assert.deepEqual(of('user:read'), open);
  assert.deepEqual(
    of('contract:match', 'value-set:expand').sort(),
    ['contract:match', 'value-set:expand', ...open].sort(),
  );
  const all = Object.keys(PERMISSIONS);
  const others = of(...all).filter((name) => !(CLIENT_CALLS as readonly string[]).includes(name));
  assert.deepEqual(others, open, 'whatever a record says');
});

test('without credentials only public permissions are allowed', () => {
  const open = (Object.keys(PERMISSIONS) as Permission[]).filter((name) => decide(name, undefined) === 'allowed');
  assert.deepEqual(open, ['public', 'receipt:hold']);
});

test('a principal without roles may do nothing', () => {
  const allowed = (Object.keys(PERMISSIONS) as Permission[]).filter(
    (name) => decide(name, makePrincipal([])) === 'allowed',
  );
  assert.deepEqual(allowed, ['public', 'receipt:hold']);
});

test('refusals have their own codes', () => {
  assert.throws(() => authorise('revocation:follow', undefined), { code: 'unauthorized' });
  assert.throws(() => authorise('revocation:follow', callers.patient), { code: 'forbidden' });
  assert.throws(() => authorise('request:plan', callers.temporary), { code: 'password_change_required' });
  assert.throws(() => authorise('request:plan', callers.oneFactor), { code: 'second_factor_required' });
  assert.doesNotThrow(() => authorise('request:plan', callers.planner));
});

function refusalOf(caller: Principal | undefined): Decision {
  if (caller === undefined) return 'unauthenticated';
  if (caller.mustChangePassword) return 'password_change_required';
  return caller.mustSetUpSecondFactor === true ? 'second_factor_required' : 'forbidden';
}
