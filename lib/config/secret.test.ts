import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { Secret } from './secret.ts';

test('a secret is revealed only on demand', () => {
  const secret = new Secret('hunter2');
  assert.equal(secret.reveal(), 'hunter2');
  const config = { nested: { secret }, list: [secret] };
  const shown = [
    `${secret}`,
    JSON.stringify(config),
    inspect(config),
    format('%s %o %O %j', secret, secret, secret, secret),
  ];
  for (const text of [...shown, JSON.stringify({ ...secret }), inspect(secret, { showHidden: true })]) {
    assert.doesNotMatch(text, /hunter2/);
  }
  assert.match(shown.join(), /\[secret\]/);
});
