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

test('the engine is called with dispatch’s own credentials, whatever address is configured', () => {
  assert.equal(partnerOf({ url: undefined, client }, engine), engine);
  const named = partnerOf({ url: 'http://10.0.0.13:8083/api/v1', client }, engine);
  assert.deepEqual(named.credentials, engine.credentials);
});

test('an outside service gets its configured credentials or none, never ours', () => {
  for (const url of ['https://plans.example.org/fhir', 'http://10.0.0.13:8084/', 'https://10.0.0.13:8083/']) {
    assert.equal(partnerOf({ url, client: undefined }, engine).credentials, undefined, url);
    assert.deepEqual(partnerOf({ url, client }, engine).credentials, { clientId: 'kedja', clientSecret: 'theirs' });
  }
});
