// Positions: their order, and their sealed form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPositionSeal, readPosition, writePosition } from './position.ts';

test('positions are in the order of the log', () => {
  const texts = ['0/0', '0/9', '0/A', '0/FFFFFFFF', '1/0', '16/B374D848', 'FFFFFFFF/FFFFFFFF'];
  const positions = texts.map(readPosition);
  assert.deepEqual(
    positions.toSorted((one, other) => (one < other ? -1 : 1)),
    positions,
  );
  assert.deepEqual(
    positions.map((each) => writePosition(each).toUpperCase()),
    texts,
  );
});

test('a sealed position is opened by its key alone, and nothing else is', () => {
  const seal = createPositionSeal(Buffer.alloc(32, 1));
  const position = readPosition('16/B374D848');
  const text = seal.seal(position);
  assert.match(text, /^[\w-]{22}$/);
  assert.equal(seal.open(text), position);
  assert.equal(createPositionSeal(Buffer.alloc(32, 2)).open(text), undefined);
  for (let place = 0; place < 21; place += 1) {
    const changed = `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`;
    assert.equal(seal.open(changed), undefined, changed);
  }
  for (const rubbish of ['', 'x', '0/1', `${text}A`, text.slice(1), 'å'.repeat(22), ' '.repeat(22)]) {
    assert.equal(seal.open(rubbish), undefined, rubbish);
  }
});
