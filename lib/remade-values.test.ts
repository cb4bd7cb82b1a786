// Values that are made once while somebody holds them, and given up when garbage is collected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRemadeValues } from './remade-values.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function createCounted() {
  const made: string[] = [];
  const values = createRemadeValues((key) => {
    if (key === 'none') return undefined;
    made.push(key);
    return { key };
  });
  return { made, values };
}

test('a value that is held is made once, and of a key without a value there is none', async () => {
  const { made, values } = createCounted();
  const held = values.get('one');
  await setImmediate();
  collect();
  assert.equal(values.get('one'), held);
  assert.equal(values.get('none'), undefined);
  assert.deepEqual(made, ['one']);
});

test('a value that nobody holds is collected, and made again', async () => {
  const { made, values } = createCounted();
  assert.deepEqual(values.get('one'), { key: 'one' });
  // A value is held until the end of the turn in which it was asked for.
  await setImmediate();
  collect();
  assert.deepEqual(values.get('one'), { key: 'one' });
  assert.deepEqual(made, ['one', 'one']);
});
