import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { createIdentityClient } from './identity-client.ts';

function makeClient(status: number, body: unknown) {
  const credentials = { clientId: 'engine', clientSecret: 'a-secret' };
  return createIdentityClient({
    credentials,
    fetch: async () => ({ status, headers: {}, text: JSON.stringify(body) }),
  });
}

const CLAIMS = {
  userGuid: 'u',
  tokenId: 't',
  userType: 'professional',
  audience: 'kedja',
  issuedAt: 0,
  expiresAt: 1,
} as const;

test('a token that identity refuses gives no principal; an invalid response is an error', async () => {
  assert.equal(await makeClient(401, {}).blobs.read('token', CLAIMS, 0), undefined);
  for (const status of [200, 500, 404]) await assert.rejects(makeClient(status, {}).blobs.read('token', CLAIMS, 0));
  await assert.rejects(makeClient(200, { keys: 1 }).keys.load());
  await assert.rejects(makeClient(200, { events: [{}], sequence: 1, has_more: false }).revocations.readAfter(0));
});

test('refused credentials of the service are reported as the service’s error, not the caller’s', async () => {
  const { blobs, revocations } = makeClient(403, { error: 'invalid_service_credentials', message: '' });
  for (const work of [blobs.read('token', CLAIMS, 0), revocations.readAfter(0)]) {
    await assert.rejects(work, (error) => {
      return error instanceof ServiceError && error.status === 503 && /KEDJA_SERVICE_CLIENTS/.test(error.message);
    });
  }
});
