import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createKeyRing } from './key-ring.ts';

const [old, current] = [randomBytes(32), randomBytes(32)];
const guid = '01900000-0000-7000-8000-000000000001';

test('a receipt token has 256 bits, is the same every time, and differs by request and by key', () => {
  const ring = createKeyRing(fixedKeys(current));
  const { token, hash, keyId } = ring.makeToken(guid);
  assert.equal(Buffer.from(token, 'base64url').length, 32);
  assert.deepEqual(hash, createHash('sha256').update(token).digest());
  assert.equal(ring.tokenOf(guid, keyId), token);
  assert.notEqual(ring.makeToken('01900000-0000-7000-8000-000000000002').token, token);
  assert.notEqual(createKeyRing(fixedKeys(old)).makeToken(guid).token, token);
});

test('old tokens and secrets stay readable after a new key, and a missing key is reported', () => {
  const before = createKeyRing(fixedKeys(old));
  const after = createKeyRing(fixedKeys(current, old));
  const made = before.makeToken(guid);
  assert.equal(after.tokenOf(guid, made.keyId), made.token);
  assert.notEqual(after.makeToken(guid).keyId, made.keyId);
  const sealed = before.seal('whsec_one', 'provider');
  assert.equal(after.open(sealed, 'provider'), 'whsec_one');
  const without = createKeyRing(fixedKeys(current));
  assert.equal(without.tokenOf(guid, made.keyId), undefined);
  assert.throws(() => without.open(sealed, 'provider'), { code: 'unavailable' });
});

test('a sealed secret opens only whole and only for its owner', () => {
  const ring = createKeyRing(fixedKeys(current));
  const sealed = ring.seal('whsec_two', 'provider-a');
  assert.ok(!sealed.includes('whsec_two'));
  assert.throws(() => ring.open(sealed, 'provider-b'));
  const broken = Buffer.from(sealed);
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
  assert.throws(() => ring.open(broken, 'provider-a'));
});
