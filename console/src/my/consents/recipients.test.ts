// Each recipient is offered once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recipientsOf } from './recipients.ts';

test('of an organisation and a caregiver with one name the caregiver is offered', () => {
  const organisations = new Map([
    ['o1', 'Hemsjukvården'],
    ['o2', 'Region Norr'],
  ]);
  const offered = recipientsOf(organisations, new Map([['p1', 'Hemsjukvården']]));
  assert.deepEqual(
    [...offered],
    [
      ['o2', 'Region Norr'],
      ['p1', 'Hemsjukvården'],
    ],
  );
});
