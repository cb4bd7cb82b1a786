import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createFieldCipher } from './field-cipher.ts';

const secret = randomBytes(32);
const cipher = createFieldCipher(secret, 'sample');

test('a sealed value opens again, differs each time and holds no clear text', () => {
  const [one, other] = [cipher.seal('191212121212', 'row-1'), cipher.seal('191212121212', 'row-1')];
  assert.notDeepEqual(one, other);
  assert.ok(!one.includes('191212'));
  assert.equal(cipher.open(one, 'row-1'), '191212121212');
  assert.equal(cipher.open(cipher.seal('', 'row-1'), 'row-1'), '');
});

test('altered bytes, another context, another key and another purpose are refused', () => {
  const sealed = cipher.seal('text', 'row-1');
  for (const position of sealed.keys()) {
    const altered = Buffer.from(sealed);
    altered[position] = (altered[position] ?? 0) ^ 1;
    assert.throws(() => cipher.open(altered, 'row-1'), `byte ${position}`);
  }
  assert.throws(() => cipher.open(sealed, 'row-2'));
  assert.throws(() => createFieldCipher(randomBytes(32), 'sample').open(sealed, 'row-1'));
  assert.throws(() => createFieldCipher(secret, 'other').open(sealed, 'row-1'));
  assert.throws(() => cipher.open(Buffer.of(1, 2, 3), 'row-1'));
});

test('the index is the same for the same text and differs by key and purpose', () => {
  assert.deepEqual(cipher.index('a'), createFieldCipher(secret, 'sample').index('a'));
  assert.notDeepEqual(cipher.index('a'), cipher.index('b'));
  assert.notDeepEqual(cipher.index('a'), createFieldCipher(secret, 'other').index('a'));
  assert.notDeepEqual(cipher.index('a'), createFieldCipher(randomBytes(32), 'sample').index('a'));
});

test('a short secret is refused', () => {
  assert.throws(() => createFieldCipher(randomBytes(31), 'sample'), /at least 32 bytes/);
});
