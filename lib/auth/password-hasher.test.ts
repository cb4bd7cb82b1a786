import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hash as argon2 } from '@node-rs/argon2';
import { createPasswordHasher } from './password-hasher.ts';

const hasher = createPasswordHasher();

test('a hash is Argon2id with the chosen parameters, salted, and verifies', async () => {
  const [one, other] = await Promise.all([hasher.hash('a password'), hasher.hash('a password')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=4,p=1\$/);
  assert.notEqual(one, other);
  assert.equal(await hasher.verify(one, 'a password'), true);
  assert.equal(await hasher.verify(one, 'another'), false);
  assert.equal(await hasher.verify(undefined, 'a password'), false);
});

test('characters composed and decomposed are one password; 256 of them count to the last', async () => {
  const hash = await hasher.hash('åäö\u00e9');
  assert.equal(await hasher.verify(hash, 'a\u030aa\u0308o\u0308e\u0301'), true);
  const long = await hasher.hash(`${'x'.repeat(255)}1`);
  assert.equal(await hasher.verify(long, `${'x'.repeat(255)}2`), false);
});

test('a hash with other parameters is replaced', async () => {
  assert.equal(hasher.needsRehash(await hasher.hash('x')), false);
  const weak = await argon2('x', { algorithm: 2, memoryCost: 8192, timeCost: 2, parallelism: 1 });
  assert.equal(hasher.needsRehash(weak), true);
  assert.equal(await hasher.verify(weak, 'x'), true);
});

test('a caller who would wait too long gets 503 with Retry-After; the rest are served', async () => {
  const small = createPasswordHasher({ concurrency: 1, maxWaiting: 2 });
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => small.hash('x')));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 3);
  for (const { reason } of refused) assert.deepEqual([reason.code, reason.retryAfterSeconds], ['unavailable', 2]);
  assert.match(await small.hash('x'), /^\$argon2id/);
});
