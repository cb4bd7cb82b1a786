// The hash is equal exactly for texts of the same resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBudget } from '#lib/jobs/worker-pool.ts';
import { contentHash, createContentHasher, type HashWork } from './content-hash.ts';

const isSame = (one: string, other: string) => contentHash(one).equals(contentHash(other));

test('what a server keeps of its own, and the order of members, make no difference', () => {
  const bare = '{"resourceType":"Patient","id":"1","name":[{"family":"A","given":["B"]}]}';
  const kept =
    '{"name":[{"given":["B"],"family":"A"}],"meta":{"versionId":"7","lastUpdated":"2026-01-01T00:00:00Z","source":"#x"},"id":"1","resourceType":"Patient"}';
  assert.ok(isSame(bare, kept));
});

test('everything else does', () => {
  const texts = [
    '{"resourceType":"Patient","id":"1"}',
    '{"resourceType":"Patient","id":"2"}',
    '{"resourceType":"Patient","id":"1","meta":{"tag":[{"code":"a"}]}}',
    '{"resourceType":"Patient","id":"1","meta":{"versionId":"1","profile":["urn:a"]}}',
    '{"resourceType":"Patient","id":"1","name":[{"given":["A","B"]}]}',
    '{"resourceType":"Patient","id":"1","name":[{"given":["B","A"]}]}',
    '{"resourceType":"Observation","id":"1","valueQuantity":{"value":1}}',
    '{"resourceType":"Observation","id":"1","valueQuantity":{"value":1.0}}',
    '{"resourceType":"Observation","id":"1","valueQuantity":{"value":1.00}}',
    '{"resourceType":"Observation","id":"1","valueQuantity":{"value":"1"}}',
    '{"resourceType":"Observation","id":"1","rawJSON":"1"}',
  ];
  assert.equal(new Set(texts.map((text) => contentHash(text).toString('hex'))).size, texts.length);
});

test('a long text is hashed in a thread, a short one at once, and both to the same', async () => {
  const long = JSON.stringify({ resourceType: 'Basic', text: 'x'.repeat(70_000) });
  const asked: unknown[] = [];
  const hash = createContentHasher({
    patientBudget: (owner) => ({ work: createBudget(1), expressionMs: 0, owner, isPatient: true }),
    perform: async (work) => {
      asked.push(work);
      return contentHash((work as HashWork).text).toString('hex');
    },
  });
  for (const text of [long, '{"resourceType":"Basic"}'])
    assert.deepEqual(
      [await hash(text), await createContentHasher(undefined)(text)],
      [contentHash(text), contentHash(text)],
    );
  assert.deepEqual(asked, [{ kind: 'hash', text: long }]);
});
