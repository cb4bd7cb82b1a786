import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createFieldCipher } from '../crypto/field-cipher.ts';
import { fixedKeys, type KeySet, type MissingKeyError } from './key-set.ts';
import { createRotatingCipher, createSealer } from './sealer.ts';

const [old, current] = [randomBytes(32), randomBytes(32)];
const sealerOf = (keys: KeySet, purpose = 'test') => createSealer({ keys, purpose, place: 'thing.secret' });
const cipherOf = (keys: KeySet, purpose = 'test') => createRotatingCipher({ keys, purpose, place: 'thing.secret' });

for (const [name, make] of Object.entries({ sealer: sealerOf, cipher: cipherOf })) {
  test(`${name}: what is sealed opens again with the same context, also after a rotation, and the new generation seals`, () => {
    const sealed = make(fixedKeys(old)).seal('a secret', 'provider 1');
    const rotated = make(fixedKeys(current, old));
    assert.equal(rotated.open(sealed, 'provider 1'), 'a secret');
    assert.ok(!sealed.includes('a secret'));
    assert.notDeepEqual(make(fixedKeys(old)).seal('a secret', 'provider 1'), sealed);
    const [second, first] = rotated.keys.all();
    assert.ok(first !== undefined && second !== undefined);
    const again = rotated.seal('a secret', 'provider 1');
    for (const [key, value] of [[first, sealed] as const, [second, again] as const]) {
      const mark = rotated.markOf(key);
      assert.deepEqual(value.subarray(0, mark.length), mark);
    }
    assert.equal(rotated.open(again, 'provider 1'), 'a secret');
  });

  test(`${name}: another context, another purpose, another key or a changed byte do not open it`, () => {
    const sealer = make(fixedKeys(current, old));
    const sealed = sealer.seal('a secret', 'provider 1');
    assert.throws(() => sealer.open(sealed, 'provider 2'));
    assert.throws(() => make(fixedKeys(current, old), 'other').open(sealed, 'provider 1'), { code: 'unavailable' });
    for (const position of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      assert.throws(() => sealer.open(changed, 'provider 1'), `byte ${position}`);
    }
  });

  test(`${name}: a missing key is named in the log, with the column of the value, and not to the caller`, () => {
    const sealed = make(fixedKeys(current, old)).seal('a secret', 'provider 1');
    const missing: MissingKeyError[] = [];
    const keys = { ...fixedKeys(old), onMissing: (error: MissingKeyError) => missing.push(error) };
    assert.throws(() => make(keys).open(sealed, 'provider 1'), { code: 'unavailable', retryAfterSeconds: 5 });
    const id = sealed.subarray(name === 'sealer' ? 0 : 1).subarray(0, 4);
    const [report] = missing;
    assert.ok(
      report?.detail.startsWith(`thing.secret of provider 1 was sealed with key ${id.toString('hex')} of fixed`),
    );
    assert.equal(report?.message.includes('thing'), false);
  });
}

test('the first generation seals as the release before did, and values of that release open', () => {
  const before = createFieldCipher(old, 'test');
  assert.equal(before.open(cipherOf(fixedKeys(old)).seal('a', 'row 1'), 'row 1'), 'a');
  assert.equal(cipherOf(fixedKeys(current, old)).open(before.seal('a', 'row 1'), 'row 1'), 'a');
  assert.throws(() => cipherOf({ ...fixedKeys(current), all: () => [] }).open(before.seal('a', 'row 1'), 'row 1'), {
    code: 'unavailable',
  });
});

test('a keyed index is the same after a rotation', () => {
  const index = createFieldCipher(old, 'test').index('a');
  assert.deepEqual(cipherOf(fixedKeys(old)).index('a'), index);
  assert.deepEqual(cipherOf(fixedKeys(current, old)).index('a'), index);
  assert.notDeepEqual(cipherOf(fixedKeys(current)).index('a'), index);
});

test('keys have 32 bytes', () => {
  assert.throws(() => fixedKeys(randomBytes(16)), /32 bytes/);
  assert.throws(() => fixedKeys(), /at least one key/);
});
