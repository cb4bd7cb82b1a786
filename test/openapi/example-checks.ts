// Checks of the examples in every service's OpenAPI document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkGeneratedClient } from './generated-client.ts';
import { holdNamedShapes } from './named-shapes.ts';
import type { Recorder } from './recorder.ts';
import { createShapeCheck, type OpenApiDocument } from './shapes.ts';

/**
 * One test for each operation that was called. It is answered as `committed` shows, in the shape that the document
 * declares. One more checks that no other is left over.
 */
export function checkExamples(
  { examples: recorded }: Recorder,
  document: OpenApiDocument,
  committed: Recorder['examples'],
): void {
  const issuesOf = createShapeCheck(document);
  for (const [operation, examples] of Object.entries(recorded)) {
    test(`${operation}: answered as the document shows, in the shape that it declares`, () => {
      assert.deepEqual(committed[operation], examples);
      assert.deepEqual(
        examples.flatMap((example) => issuesOf(operation, example)),
        [],
      );
    });
  }

  checkGeneratedClient(document, recorded);
  holdNamedShapes(document);

  test('no example is left over from an operation that is not called', () => {
    assert.deepEqual(Object.keys(committed).sort(), Object.keys(recorded).sort());
  });
}
