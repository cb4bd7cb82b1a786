// JSON whose numbers keep their text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from './exact-json.ts';

test('numbers are written as they were, everything else is plain', () => {
  const text = '{"a":1.0,"b":[0.10,1e3,12345678901234567890,7,-0.5],"c":"1.0","d":null,"e":true}';
  const parsed = parseExactJson(text);
  assert.equal(JSON.stringify(parsed), text);
  assert.ok(typeof parsed === 'object' && parsed !== null && 'c' in parsed);
  assert.equal(parsed.c, '1.0');
});
