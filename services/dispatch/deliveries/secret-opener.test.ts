import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createSealer } from '#lib/secrets/sealer.ts';
import { createSecretOpener } from './secret-opener.ts';

test('a secret is opened once, and never for another context or from altered bytes', () => {
  const sealer = createSealer({ keys: fixedKeys(randomBytes(32)), purpose: 'sample', place: 'sample.secret' });
  let opened = 0;
  const open = createSecretOpener({
    open: (sealed, context) => {
      opened += 1;
      return sealer.open(sealed, context);
    },
  });
  const [old, current] = [sealer.seal('whsec_old', 'a'), sealer.seal('whsec_new', 'a')];
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual([open(old, 'a'), open(Buffer.from(current), 'a')], ['whsec_old', 'whsec_new']);
  }
  assert.equal(opened, 2);
  assert.throws(() => open(old, 'b'));
  const altered = Buffer.from(old);
  altered.writeUInt8(altered.readUInt8(20) ^ 1, 20);
  assert.throws(() => open(altered, 'a'));
  assert.equal(opened, 4);
});
