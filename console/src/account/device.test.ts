// What the list of one's sessions calls a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceOf } from './device.ts';

test('a browser is named as people call it', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36';
  assert.deepEqual(deviceOf(chrome), { browser: 'Chrome', system: 'Linux' });
  assert.deepEqual(deviceOf(`${chrome} Edg/156`)?.browser, 'Edge');
  assert.equal(deviceOf('curl/8'), undefined);
  assert.equal(deviceOf(null), undefined);
});
