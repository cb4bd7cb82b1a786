// Calls of those who use the engine: signing in, users and API keys.
import { codeAt } from '#test/support/identity/totp.ts';
import type { Recorder } from './recorder.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'kim@example.org';
const RESET_CODE = 'F8J2P-HW1AH-TWJMH-M5AQQ';
const SESSION = 'eyJhbGciOiJub25lIn0.e30.';
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const RECOVERY = '7KQ2-M6HX-PDTA-3WZC';
const KEY = `kedja_${'x'.repeat(43)}`;

interface Guarded {
  readonly as: string;
  readonly id: string;
  readonly password: string;
}

/** `now`: the engine's time, in milliseconds. */
export async function people(recorder: Recorder, now: () => number): Promise<void> {
  const { example, show } = recorder;
  const person = { email: EMAIL, password: PASSWORD, name: 'Kim Berg' };
  const registered = await example('POST /auth/register', { body: person, status: 201 });
  const parameters = { id: String(registered.body.user_guid) };
  const wrong = { email: EMAIL, password: 'wrong' };
  await example('POST /auth/login', { body: wrong, status: 401, summary: 'a wrong password' });
  const signIn = async (password: string, summary?: string) => {
    const answer = await recorder.example('POST /auth/login', {
      body: { email: EMAIL, password },
      ...(summary === undefined ? {} : { summary }),
      varies: { token: SESSION },
    });
    return String(answer.body.token);
  };
  const token = await signIn(PASSWORD);
  await example('GET /auth/me', { as: token });
  const renewed = await example('GET /auth/token', { as: token, varies: { token: SESSION } });
  const change = { current_password: PASSWORD, new_password: 'a better phrase than that' };
  await example('PUT /users/{id}/password', { as: renewed.body.token, parameters, body: change, status: 204 });
  const guarded = { as: String(renewed.body.token), id: parameters.id, password: change.new_password };
  await secondFactor(recorder, guarded, now);
  await example('GET /users', { as: 'admin', parameters: { search: 'kim', role: 'reader' } });
  await example('GET /users/{id}', { as: 'admin', parameters });
  const clinician = { email: EMAIL, name: 'Kim Berg', role: 'clinician', status: 'active' };
  await example('PUT /users/{id}', { as: 'admin', parameters, body: clinician });
  const reset = await example('POST /users/{id}/password/reset', {
    as: 'admin',
    parameters,
    varies: { reset_code: RESET_CODE },
  });
  show(String(reset.body.reset_code), RESET_CODE);
  const last = await signIn(String(reset.body.reset_code), 'by the code of a reset');
  await example('POST /auth/logout', { as: last, status: 204 });
  await example('DELETE /users/{id}', { as: 'admin', parameters, status: 204 });
  await apiKeys(recorder);
}

async function secondFactor({ example, show }: Recorder, user: Guarded, now: () => number): Promise<void> {
  const { as, id, password: current_password } = user;
  const hidden = {
    secret: SECRET,
    otpauth_uri: `otpauth://totp/Kedja:kim%40example.org?issuer=Kedja&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
    recovery_codes: [RECOVERY],
  };
  const call = { as, varies: hidden };
  const path = '/auth/second-factor';
  const { secret } = (await example(`POST ${path}`, { ...call, body: { current_password } })).body;
  const code = codeAt(String(secret), now());
  show(code, '492039');
  const confirmed = await example(`POST ${path}/confirm`, { ...call, body: { code } });
  const recovery = String(confirmed.body.recovery_codes[0]);
  show(recovery, RECOVERY);
  await example(`GET ${path}`, call);
  const body = { email: EMAIL, password: current_password };
  await example('POST /auth/login', { body, summary: 'with a second factor' });
  const proof = { current_password, code: recovery };
  const renewed = await example(`POST ${path}/recovery-codes`, { ...call, body: proof });
  const fresh = String(renewed.body.recovery_codes[0]);
  show(fresh, RECOVERY);
  await example(`POST ${path}/disable`, { ...call, body: { current_password, code: fresh }, status: 204 });
  const again = (await example(`POST ${path}`, { ...call, body: { current_password }, summary: 'once more' })).body;
  const first = codeAt(String(again.secret), now());
  show(first, '104857');
  await example(`POST ${path}/confirm`, { ...call, body: { code: first }, summary: 'once more' });
  await example('DELETE /users/{id}/second-factor', { as: 'admin', parameters: { id }, status: 204 });
}

async function apiKeys({ example, show }: Recorder): Promise<void> {
  const as = 'admin';
  const shown = { key: KEY, prefix: KEY.slice(0, 12) };
  const body = { name: 'Laboratory', scopes: ['system/Observation.crs', 'system/Patient.r'] };
  const made = await example('POST /api-keys', { as, body, status: 201, varies: shown });
  const parameters = { key_guid: String(made.body.key_guid) };
  const varies = { prefix: shown.prefix };
  await example('GET /api-keys', { as, varies });
  await example('GET /api-keys/{key_guid}', { as, parameters, varies });
  await example('PUT /api-keys/{key_guid}', { as, parameters, body: { ...body, name: 'Laboratory, Lund' }, varies });
  const [service, uses] = [
    'service',
    [{ ...parameters, day: '2026-03-01', requests: 12, last_used_at: '2026-03-01T17:30:00Z' }],
  ];
  const batch = { batch_guid: '01900000-0000-7000-8000-00000000ba7c', uses };
  await example('POST /api-keys/usage', { as: service, body: batch, status: 204 });
  await example('GET /api-keys/{key_guid}/usage', { as, parameters: { ...parameters, days: '7' } });
  const rotation = { as, parameters, body: { grace_hours: 24 }, varies: shown };
  const rotated = await example('POST /api-keys/{key_guid}/rotate', rotation);
  show(String(rotated.body.key), KEY);
  await example('POST /api-keys/introspect', { as: service, body: { key: rotated.body.key } });
  await example('DELETE /api-keys/{key_guid}', { as, parameters, status: 204 });
}
