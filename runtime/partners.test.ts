import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { partnerOf } from './partners.ts';

const engine = {
  fetch: async () => ({ status: 200, headers: {}, text: '' }),
  url: 'http://10.0.0.13:8083',
  credentials: { clientId: 'dispatch', clientSecret: 'ours' },
};
const client = { clientId: 'kedja', clientSecret: new Secret('theirs') };

test('the engine is asked with our own credentials, by whatever name it is configured', () => {
  assert.equal(partnerOf({ url: undefined, client }, engine), engine);
  const named = partnerOf({ url: 'http://10.0.0.13:8083/api/v1', client }, engine);
  assert.deepEqual(named.credentials, engine.credentials);
});

test('a service outside gets the pair that is meant for it or none, never ours', () => {
  for (const url of ['https://plans.example.org/fhir', 'http://10.0.0.13:8084/', 'https://10.0.0.13:8083/']) {
    assert.equal(partnerOf({ url, client: undefined }, engine).credentials, undefined, url);
    assert.deepEqual(partnerOf({ url, client }, engine).credentials, { clientId: 'kedja', clientSecret: 'theirs' });
  }
});
