import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from './sealer.ts';

const [old, current] = [randomBytes(32), randomBytes(32)];

test('what is sealed opens again with the same context, also after the key was replaced', () => {
  const sealed = createSealer([old], 'test').seal('a secret', 'provider 1');
  assert.equal(createSealer([current, old], 'test').open(sealed, 'provider 1'), 'a secret');
  assert.ok(!sealed.includes('a secret'));
  assert.notDeepEqual(createSealer([old], 'test').seal('a secret', 'provider 1'), sealed);
});

test('another context, another purpose, another key or a changed byte do not open it', () => {
  const sealer = createSealer([old], 'test');
  const sealed = sealer.seal('a secret', 'provider 1');
  assert.throws(() => sealer.open(sealed, 'provider 2'));
  assert.throws(() => createSealer([old], 'other').open(sealed, 'provider 1'), /not known any more/);
  assert.throws(() => createSealer([current], 'test').open(sealed, 'provider 1'), /not known any more/);
  for (const place of [0, 5, 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[place] = (changed[place] ?? 0) ^ 1;
    assert.throws(() => sealer.open(changed, 'provider 1'));
  }
});

test('keys have 32 bytes', () => {
  assert.throws(() => createSealer([randomBytes(16)], 'test'), /32 bytes/);
  assert.throws(() => createSealer([], 'test'), /at least one key/);
});
