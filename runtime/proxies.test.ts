import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxiesOf } from './proxies.ts';

test('a service believes the gateway beside it, also when both bind an address of the network', () => {
  const settings = { services: ['identity', 'console'], host: '10.0.0.5', trustProxy: ['10.0.0.9'] } as const;
  assert.deepEqual(proxiesOf('identity', settings), ['127.0.0.1', '::1', '10.0.0.5', '10.0.0.9']);
  assert.deepEqual(proxiesOf('identity', { ...settings, host: '0.0.0.0' }), ['127.0.0.1', '::1', '10.0.0.9']);
  assert.deepEqual(proxiesOf('console', settings), ['10.0.0.9'], 'the gateway believes configured proxies alone');
  assert.deepEqual(proxiesOf('identity', { ...settings, services: ['identity'] }), ['10.0.0.9']);
});
