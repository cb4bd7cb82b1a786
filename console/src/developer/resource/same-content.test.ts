// Two texts of one resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameContent } from './same-content.ts';

test('content is the same whatever the version and the order of elements', () => {
  const stored =
    '{"resourceType":"Patient","id":"1","meta":{"versionId":"2","profile":["p"]},"name":[{"family":"B","given":["A"]}]}';
  assert.ok(
    isSameContent(
      stored,
      '{"name":[{"given":["A"],"family":"B"}],"id":"1","resourceType":"Patient","meta":{"profile":["p"]}}',
    ),
  );
  assert.ok(!isSameContent(stored, stored.replace('"A"', '"C"')));
  assert.ok(!isSameContent(stored, stored.replace('"p"', '"q"')));
});
