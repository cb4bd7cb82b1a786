// Access rules of the engine's addresses outside FHIR: every address with every kind of caller (decisions G7, G12, E8).
// A caller who may call an address gets neither 401 nor 403. FHIR addresses are tested by ./fhir-authorisation.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { wireFormOf } from '#services/engine/wire-form.ts';
import { ORGANISATION, PATIENT } from '#test/support/engine/engine.ts';
import { PASSWORD, startEngineContract, UNKNOWN } from '#test/support/engine/engine-contract.ts';
import { makePrincipal, makeProxy } from '#test/support/http-app.ts';

const officer = makePrincipal(['professional', 'clinician', 'privacy_officer'], { organisationGuids: [ORGANISATION] });
const proxies = { readingProxy: makeProxy(PATIENT, 'read'), actingProxy: makeProxy(PATIENT, 'act') };
const contract = await startEngineContract({ after }, { callers: { officer, ...proxies } });
const { ask, app, signUp } = contract;

const provider = (await ask('POST /providers', { as: 'admin', body: { name: 'P', region: 'R' } })).body.provider_guid;
const makeKey = async (body: object): Promise<string> =>
  (await ask('POST /api-keys', { as: 'admin', body: { name: 'K', ...body } })).body.key;
const asProvider = await signUp();
const providerBody = {
  email: asProvider.email,
  name: 'P',
  role: 'provider',
  status: 'active',
  provider_guid: provider,
};
await ask(`PUT /users/${asProvider.guid}`, { as: 'admin', body: providerBody });
const login = await ask('POST /auth/login', { body: { email: asProvider.email, password: 'correct horse battery' } });

/** How each caller is known; undefined is nobody. */
const CALLERS: Readonly<Record<string, string | undefined>> = {
  nobody: undefined,
  suAdmin: 'admin',
  planner: 'planner',
  idle: 'idle',
  officer: 'officer',
  patient: 'patient',
  /** By the header Kedja-Patient. */
  readingProxy: 'readingProxy',
  actingProxy: 'actingProxy',
  /** A nurse of a provider's organisation, in the phase execution. */
  staff: 'providerStaff',
  /** Dispatch. */
  service: 'service',
  engineAdmin: (await signUp('admin')).token,
  clinician: (await signUp('clinician')).token,
  reader: (await signUp('reader')).token,
  providerUser: login.body.token,
  key: await makeKey({ scopes: ['system/*.cruds'] }),
  providerKey: await makeKey({ provider_guid: provider }),
};

const ADMINS = ['suAdmin', 'engineAdmin'];
const WRITERS = [...ADMINS, 'planner', 'clinician'];
const STAFF = [...WRITERS, 'idle', 'officer', 'reader', 'staff'];
const PROVIDERS = ['providerUser', 'providerKey', 'staff'];
const PATIENTS = ['patient', 'readingProxy', 'actingProxy'];
const ANYONE = Object.keys(CALLERS);
const ENGINE_USERS = ['engineAdmin', 'clinician', 'reader', 'providerUser'];

/** Every address outside FHIR and who may call it. `{id}` is nobody's and unknown. */
const MATRIX: readonly [address: string, allowed: readonly string[]][] = [
  ['GET /concepts', STAFF],
  ['POST /concepts', WRITERS],
  ['GET /concepts/{id}', STAFF],
  ['PUT /concepts/{id}', WRITERS],
  ['DELETE /concepts/{id}', WRITERS],
  ...['canonical-libs', 'concept-types', 'response-types', 'units', 'activities', 'goals'].flatMap(
    (table): [string, readonly string[]][] => [
      [`GET /${table}`, STAFF],
      [`POST /${table}`, WRITERS],
      [`GET /${table}/{id}`, STAFF],
      [`PUT /${table}/{id}`, WRITERS],
      ...(['canonical-libs', 'activities', 'goals'].includes(table)
        ? ([[`DELETE /${table}/{id}`, WRITERS]] as [string, readonly string[]][])
        : []),
    ],
  ),
  ['POST /activities/{id}/transactions', WRITERS],
  ['GET /activities/{id}/fhir', STAFF],
  ['PUT /transactions/{id}', WRITERS],
  ['DELETE /transactions/{id}', WRITERS],
  ['POST /plan-definitions', [...WRITERS, 'key']],
  ['GET /users', ADMINS],
  ['GET /users/{id}', ADMINS],
  ['PUT /users/{id}', ADMINS],
  ['DELETE /users/{id}', ADMINS],
  ['PUT /users/{id}/password', []],
  ['POST /users/{id}/password/reset', ADMINS],
  ['DELETE /users/{id}/second-factor', ADMINS],
  ['GET /api-keys', ADMINS],
  ['POST /api-keys', ADMINS],
  ['POST /api-keys/introspect', ['service']],
  ['POST /api-keys/usage', ['service']],
  ['GET /api-keys/{key_guid}', ADMINS],
  ['PUT /api-keys/{key_guid}', ADMINS],
  ['DELETE /api-keys/{key_guid}', ADMINS],
  ['POST /api-keys/{key_guid}/rotate', ADMINS],
  ['GET /api-keys/{key_guid}/usage', ADMINS],
  ['GET /providers', [...STAFF, ...PROVIDERS]],
  ['POST /providers', ADMINS],
  ['GET /providers/{id}', [...STAFF, ...PROVIDERS]],
  ['PUT /providers/{id}', ADMINS],
  ['PUT /providers/{id}/inbox', ADMINS],
  // Proxies give no consent, so that they choose no provider for one.
  ['GET /provider-directory', ['patient']],
  ['GET /owners/{type}/{id}', STAFF],
  ['PUT /owners/{type}/{id}', ADMINS],
  ['POST /access-checks', ADMINS],
  ['GET /access-log', [...ADMINS, 'officer', ...PATIENTS]],
  ['GET /access-log/export', [...ADMINS, 'officer', ...PATIENTS]],
  ['GET /contracts', STAFF],
  ['POST /contracts', ADMINS],
  ['POST /contracts/match', [...STAFF, 'service']],
  ['GET /contracts/{id}', STAFF],
  ['PUT /contracts/{id}', ADMINS],
  ['DELETE /contracts/{id}', ADMINS],
  ['GET /provider-tasks', ADMINS],
  ['GET /provider-tasks/my', PROVIDERS],
  ['GET /provider-tasks/my/counts', PROVIDERS],
  ['GET /provider-tasks/debug', ADMINS],
  ['POST /provider-tasks/inbox', ANYONE],
  ['GET /provider-tasks/{receipt_token}', ANYONE],
  ['POST /provider-tasks/{receipt_token}/accept', ANYONE],
  ['POST /provider-tasks/{receipt_token}/reject', ANYONE],
  ['POST /provider-tasks/{receipt_token}/report', ANYONE],
  ['GET /provider-tasks/{receipt_token}/careplan-details', ANYONE],
  ['GET /provider-tasks/{receipt_token}/reports', ANYONE],
  ['POST /provider-tasks/{receipt_token}/take-over', [...ADMINS, ...PROVIDERS]],
  ['GET /servers', ADMINS],
  ['POST /servers', ADMINS],
  ['GET /servers/status', STAFF],
  ['GET /servers/test-all', ADMINS],
  ['POST /servers/test', ADMINS],
  ['GET /servers/{server_name}', ADMINS],
  ['PUT /servers/{server_name}', ADMINS],
  ['DELETE /servers/{server_name}', ADMINS],
  ['GET /servers/{server_name}/search/{resource_type}', ADMINS],
  ['POST /servers/{server_name}/validate', ADMINS],
  ['POST /servers/{server_name}/{resource_type}', ADMINS],
  ['GET /servers/{server_name}/{resource_type}/{resource_id}', ADMINS],
  ['PUT /servers/{server_name}/{resource_type}/{resource_id}', ADMINS],
  ['GET /terminology/{service_name}/expand', STAFF],
  ['GET /terminology/{service_name}/lookup', STAFF],
  ['GET /terminology/{service_name}/validate-code', STAFF],
  ['GET /bulk-jobs', [...STAFF, 'key']],
  ['GET /synchronize', ADMINS],
  ['POST /synchronize', ADMINS],
  ['GET /synchronize/{job_guid}', ADMINS],
  ['DELETE /synchronize/{job_guid}', ADMINS],
  ['GET /synchronize/{job_guid}/conflicts', ADMINS],
  ['POST /synchronize/{job_guid}/stop', ADMINS],
  ['POST /synchronize/{job_guid}/resume', ADMINS],
  ['POST /batch', ADMINS],
  ['POST /audit-events', ['service']],
  ['POST /results', ['service']],
  ['GET /health', ANYONE],
  ['GET /metrics', STAFF],
  ['GET /settings', ADMINS],
  ['GET /status', STAFF],
  ['POST /auth/login', ANYONE],
  ['POST /auth/register', ANYONE],
  ['GET /auth/me', [...STAFF, 'patient', 'providerUser']],
  ['GET /auth/token', ENGINE_USERS],
  ['GET /auth/second-factor', ENGINE_USERS],
  ['POST /auth/second-factor/confirm', ENGINE_USERS],
  ['POST /auth/second-factor/recovery-codes', ENGINE_USERS],
  ['POST /auth/second-factor/disable', ENGINE_USERS],
  ['POST /auth/second-factor', ENGINE_USERS],
  // It ends the session, so it comes last.
  ['POST /auth/logout', ENGINE_USERS],
];

for (const [address, allowed] of MATRIX) {
  test(`${address}: for ${allowed.length === ANYONE.length ? 'anybody' : allowed.join(', ') || 'nobody'}`, async () => {
    const concrete = address.replaceAll(/\{\w+\}/g, UNKNOWN);
    const body = /^(POST|PUT)/.test(address) ? bodyOf(address) : undefined;
    for (const [name, as] of Object.entries(CALLERS)) {
      const { status, text } = await ask(concrete, { as, body });
      const expected = allowed.includes(name) ? 'in' : as === undefined ? 'unknown' : 'out';
      const actual = status === 403 ? 'out' : status === 401 && !isPublic(address) ? 'unknown' : 'in';
      assert.equal(actual, expected, `${name}: ${status} ${text}`);
      assert.ok(status < 500, text);
    }
  });
}

/** Where 401 means wrong credentials in the request, not of the caller. */
function isPublic(address: string): boolean {
  return /^POST \/(auth\/(login|register)|provider-tasks\/inbox)$/.test(address);
}

/** A right is asked before a body is checked, but for one's own account, where the path is checked with it. */
function bodyOf(address: string): unknown {
  if (address.endsWith('/password')) return { current_password: 'x', new_password: 'a fine long phrase' };
  if (address === 'POST /auth/second-factor') return { current_password: PASSWORD };
  if (address === 'POST /auth/second-factor/confirm') return { code: '000000' };
  if (/second-factor\/(disable|recovery-codes)$/.test(address)) return { current_password: PASSWORD, code: '000000' };
  if (address === 'PUT /users/{id}') return { email: 'a@example.org', name: 'A', role: 'reader', status: 'active' };
  return address === 'POST /auth/logout' ? undefined : {};
}

test('the matrix names every address outside FHIR', async () => {
  const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, object> };
  const features = new Set(MATRIX.map(([address]) => address.split('/')[1] ?? ''));
  const served = Object.entries(paths).flatMap(([path, methods]) => {
    const short = path.replace('/api/v1', '');
    const isOurs = path !== short && (wireFormOf(path) === 'plain' || features.has(short.split('/')[1] ?? ''));
    return isOurs ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${short}`) : [];
  });
  assert.deepEqual(served.sort(), MATRIX.map(([address]) => address).sort());
});
