// Who may call what (decision G7), as one matrix over every address that needs a caller; a new address without a row fails.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import { newGuid } from '#lib/guid.ts';
import { asService, startIdentity } from '#test/support/identity.ts';
import { makePatient, makeProfessional } from '#test/support/identity-people.ts';
import { createSigningKeys } from './signing-keys/service.ts';

type Caller = 'none' | 'patient' | 'professional' | 'leader' | 'su' | 'temporary' | 'revoked' | 'expired' | 'service';

/** `pass`: past authorisation, whatever the address then says of the empty request. */
const NOBODY = {
  none: 401,
  patient: 403,
  professional: 403,
  leader: 403,
  su: 403,
  temporary: 403,
  revoked: 401,
  expired: 401,
  service: 403,
} as const;
const USERS = {
  ...NOBODY,
  patient: 'pass',
  professional: 'pass',
  leader: 'pass',
  su: 'pass',
  temporary: 'pass',
} as const;
const PROFESSIONALS = { ...NOBODY, professional: 'pass', leader: 'pass', su: 'pass' } as const;
const ADMINS = { ...NOBODY, su: 'pass' } as const;

const MATRIX: Readonly<Record<string, Readonly<Record<Caller, 'pass' | 401 | 403>>>> = {
  'GET /api/auth/me': USERS,
  'POST /api/auth/change-password': USERS,
  'GET /api/auth/revocations': { ...NOBODY, service: 'pass' },
  'GET /api/patient/registry-status': { ...NOBODY, patient: 'pass' },
  'GET /api/groups': PROFESSIONALS,
  'POST /api/groups/request-membership': PROFESSIONALS,
  // Administering no group is found out with the record in hand: before that, a professional's request is judged by its form.
  'GET /api/groups/admin/pending': { ...NOBODY, leader: 'pass', su: 'pass' },
  'POST /api/groups/admin/decide': PROFESSIONALS,
  'POST /api/groups/admin/invite': PROFESSIONALS,
  'POST /api/groups/request-admin': PROFESSIONALS,
  'POST /api/groups/join-by-invite': PROFESSIONALS,
  'POST /api/groups/proposals': PROFESSIONALS,
  'GET /api/admin/group-proposals': ADMINS,
  'POST /api/admin/group-proposals': ADMINS,
  'POST /api/admin/assign-group-admin': ADMINS,
  'DELETE /api/admin/groups/{group_guid}': ADMINS,
  'DELETE /api/admin/users/{user_guid}': ADMINS,
  'POST /api/admin/promote-su': ADMINS,
  'GET /api/admin/users': ADMINS,
  'GET /api/admin/oath-overview': ADMINS,
  'PUT /api/admin/oath-overview': ADMINS,
  'PUT /api/admin/patients/{patient_guid}/registries': ADMINS,
  'GET /api/admin/leader-requests': ADMINS,
  'POST /api/admin/leader-requests': ADMINS,
  'GET /api/admin/organisations': ADMINS,
  'POST /api/admin/organisations': ADMINS,
  'GET /api/admin/access-requests': ADMINS,
  'POST /api/admin/access-requests': ADMINS,
};
/** Tested by themselves: what revokes the caller's own token, and what needs a Bearer and a service at once. */
const APART = ['POST /api/auth/logout', 'GET /api/auth/me/service'];
const OPEN = [
  'GET /livez',
  'GET /readyz',
  'GET /metrics',
  'GET /.well-known/jwks.json',
  'GET /api/health',
  'GET /api/public/organisations',
  'GET /api/public/groups',
  'GET /api/public/group-leaders',
  'POST /api/public/access-request',
  'POST /api/patient/register',
  'POST /api/auth/login',
  'POST /api/auth/token',
];

const identity = await startIdentity({ after });
const { app, database } = identity;

async function makeCallers(): Promise<Record<Caller, Record<string, string>>> {
  const [patient, professional] = [await makePatient(identity), await makeProfessional(identity, ['planning'])];
  const [leader, temporary] = [await makeProfessional(identity, ['planning']), await makeProfessional(identity)];
  const revoked = await makeProfessional(identity);
  await database.query('UPDATE membership SET is_admin = true WHERE user_guid = $1', [leader.userGuid]);
  await database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [temporary.userGuid]);
  await app.inject({ method: 'POST', url: '/api/auth/logout', headers: revoked.headers });
  return {
    none: {},
    patient: patient.headers,
    professional: professional.headers,
    leader: leader.headers,
    su: await identity.asAdmin(),
    temporary: temporary.headers,
    revoked: revoked.headers,
    expired: await expiredToken(),
    service: asService,
  };
}

/** Signed by the right key for a user who exists, but out of date. */
async function expiredToken(): Promise<{ authorization: string }> {
  const user = await makeProfessional(identity);
  const keys = createSigningKeys({ database, clock: systemClock });
  await keys.refresh();
  const now = Math.floor(Date.now() / 1000);
  const times = { issuedAt: now - 3600, expiresAt: now - 1 };
  const claims = { userGuid: user.userGuid, tokenId: newGuid(), userType: 'professional', ...times } as const;
  return { authorization: `Bearer ${await keys.sign(claims)}` };
}

const callers = await makeCallers();

test('every address has a row', async () => {
  const openapi: { paths: Record<string, object> } = (await app.inject('/openapi.json')).json();
  const served = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(served.sort(), [...Object.keys(MATRIX), ...APART, ...OPEN].sort());
});

for (const [address, row] of Object.entries(MATRIX)) {
  test(address, async () => {
    const [method = 'GET', url = ''] = address.split(' ');
    for (const [caller, expected] of Object.entries(row)) {
      const headers = callers[caller as Caller];
      const payload = ['POST', 'PUT'].includes(method) ? { payload: {} } : {};
      const answer = await app.inject({
        method: method as 'GET' | 'POST' | 'PUT' | 'DELETE',
        url,
        headers,
        ...payload,
      });
      const outcome = [401, 403].includes(answer.statusCode) ? answer.statusCode : 'pass';
      assert.equal(outcome, expected, `${caller}: ${answer.body}`);
      if (caller === 'temporary' && expected === 403) assert.equal(answer.json().error, 'password_change_required');
    }
  });
}

test('addresses for everybody ignore what a caller shows', async () => {
  for (const address of OPEN) {
    const [method = 'GET', url = ''] = address.split(' ');
    const headers = callers.revoked;
    const payload = method === 'POST' ? { payload: {} } : {};
    const answer = await app.inject({ method: method as 'GET' | 'POST', url, headers, ...payload });
    assert.ok(![401, 403].includes(answer.statusCode), `${address}: ${answer.body}`);
  }
});
