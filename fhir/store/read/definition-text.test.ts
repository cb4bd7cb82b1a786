// A long code system is read by a thread of its own, to the same columns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColumns } from '#fhir/terminology/model/read-code-system.ts';
import { largeJson } from '#test/support/engine/large-code-system.ts';
import { readDefinition } from './definition-text.ts';

const unused = { query: () => assert.fail('nothing is to be asked') };

test('a long code system comes out as its columns and its head', async () => {
  const text = [...largeJson(2_000)].join('');
  const { concept: _concept, ...head } = JSON.parse(text);
  const { resource, columns } = await readDefinition(unused, text);
  assert.deepEqual(resource, head);
  assert.deepEqual(columns, readColumns(JSON.parse(text), true));
});

test('a long text that is no JSON is refused', async () => {
  await assert.rejects(readDefinition(unused, [...largeJson(2_000)].join('').slice(0, -5)), SyntaxError);
});
