import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchValue } from './search-value.ts';

test('what has a meaning in the value of a parameter is escaped', () => {
  assert.equal(searchValue('Åsa Berg'), 'Åsa Berg');
  assert.equal(searchValue(String.raw`Berg, Åsa | 5$ \ ,`), String.raw`Berg\, Åsa \| 5\$ \\ \,`);
});
