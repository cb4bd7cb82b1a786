import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from './read-json.ts';

test('what is wrong with typed JSON is named with its line', () => {
  assert.deepEqual(readJson('{"note": "x"}'), { value: { note: 'x' } });
  assert.deepEqual(readJson('[1]'), { issue: 'notObject', line: undefined });
  assert.deepEqual(readJson('{\n  "a": 1,\n  b: 2\n}'), { issue: 'syntaxAt', line: 3 });
  assert.deepEqual(readJson('{\n  "a": [1,\n'), { issue: 'syntaxAt', line: 3 });
});
