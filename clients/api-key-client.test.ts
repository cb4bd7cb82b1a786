// How the engine's response about an API key is read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { createApiKeyClient } from './api-key-client.ts';

function makeClient(body: unknown, status = 200) {
  const asked: unknown[] = [];
  const client = createApiKeyClient({
    credentials: { clientId: 'dispatch', clientSecret: 'secret' },
    fetch: async (path, request) => {
      asked.push([path, request?.method, request?.json]);
      return { status, headers: {}, text: JSON.stringify(body) };
    },
  });
  return { client, asked };
}

test('a live key is a principal with its scopes; a provider’s key acts for that provider', async () => {
  const { client, asked } = makeClient({ active: true, key_guid: 'k', scopes: [], provider_guid: 'p' });
  const principal = await client.read('the-key');
  assert.deepEqual(asked, [['/api/v1/api-keys/introspect', 'POST', { key: 'the-key' }]]);
  assert.deepEqual([principal?.id, principal?.providerGuid, [...(principal?.roles ?? [])]], ['k', 'p', ['provider']]);
  const scopes = ['system/Patient.rs'];
  const plain = await makeClient({ active: true, key_guid: 'k', scopes }).client.read('x');
  assert.deepEqual([[...(plain?.roles ?? [])], plain?.scopes], [['api_key'], scopes]);
});

test('an inactive key gives no principal; an invalid response is an error', async () => {
  assert.equal(await makeClient({ active: false }).client.read('x'), undefined);
  for (const [body, status, code] of [
    [{ active: true }, 200, 'upstream_error'],
    [{}, 500, 'upstream_unavailable'],
    [{}, 403, 'upstream_error'],
  ] as const) {
    await assert.rejects(
      makeClient(body, status).client.read('x'),
      (error) => error instanceof ServiceError && error.code === code,
    );
  }
});
