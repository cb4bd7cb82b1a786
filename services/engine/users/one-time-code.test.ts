// An administrator knows the one-time code of a reset, so it must not become the password (decision E8).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PASSWORD, startEngineContract } from '#test/support/engine/engine-contract.ts';

const ACCOUNTS = { registration: 'open', tokenTtlSeconds: 3600, rateLimitLogin: 100, rateLimitRegister: 100 } as const;
const { ask, refuse } = await startEngineContract({ after }, { accounts: ACCOUNTS });

test('the code that signed in is refused as the new password, however it is written', async () => {
  const body = { email: 'kim@example.org', password: PASSWORD, name: 'Kim' };
  const { user_guid: guid } = (await ask('POST /auth/register', { body })).body;
  const { reset_code: code } = (await ask(`POST /users/${guid}/password/reset`, { as: 'admin' })).body;
  const { token } = (await ask('POST /auth/login', { body: { email: body.email, password: code } })).body;
  const choose = (next: string) => ({ as: token, body: { new_password: next } });
  for (const written of [code, code.toLowerCase(), code.replaceAll('-', ' ')]) {
    const answer = await refuse(`PUT /users/${guid}/password`, choose(written), 400, 'validation_error');
    assert.equal(answer.body.message, "'new_password' must differ from the one-time code");
  }
  assert.equal((await ask('GET /auth/me', { as: token })).body.must_change_password, true);
  assert.equal((await ask(`PUT /users/${guid}/password`, choose('a phrase of my own'))).status, 204);
  await refuse('POST /auth/login', { body: { email: body.email, password: code } }, 401, 'authentication_failed');
});
