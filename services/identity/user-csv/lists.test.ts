// Lists in a cell: whatever the names contain, parsing returns what was written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GroupType } from '../group-type.ts';
import { readGroups, readNames, writeGroup, writeNames } from './lists.ts';

const name = fc
  .oneof(
    fc.string({ minLength: 1 }),
    fc.stringMatching(/^[;\\*:a"',= -]{1,8}$/),
    fc.constantFrom('planning', 'team:a', 'x*'),
  )
  .map((text) => text.trim())
  .filter((text) => text !== '');

test('names are read as they were written', () => {
  fc.assert(fc.property(fc.array(name), (names) => assert.deepEqual(readNames(writeNames(names)), names)));
});

test('groups are read as they were written, with type and mark', () => {
  const group = fc.record({
    name,
    groupType: fc.constantFrom(...GroupType.enum),
    isAdmin: fc.boolean(),
    isShared: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(group), (groups) => {
      const read = readGroups(groups.map(writeGroup).join(';'));
      assert.deepEqual(
        read.map((item) => [item.name, item.groupType ?? 'phase', item.isAdmin]),
        groups.map((item) => [item.name, item.groupType, item.isAdmin]),
      );
    }),
    { numRuns: 500 },
  );
});

test('what people write by hand: spaces, empty items, and backslashes that escape nothing', () => {
  assert.deepEqual(readNames(' North ; ;A\\B;C\\;D;'), ['North', 'A\\B', 'C;D']);
  assert.deepEqual(
    readGroups('planning *; team: Night * ;unknown:x;Night\\*').map(({ groupType, name: read, isAdmin }) => [
      groupType,
      read,
      isAdmin,
    ]),
    [
      [undefined, 'planning', true],
      ['team', 'Night', true],
      [undefined, 'unknown:x', false],
      [undefined, 'Night*', false],
    ],
  );
});
