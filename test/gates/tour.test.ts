// The tour: each picture of docs/tour.md is one that `npm run tour` makes, is there, and is small, as the repository
// keeps every version of it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { STOPS } from '../../scripts/tour-stops.ts';

const DOCS = path.join(import.meta.dirname, '../../docs');
const MOST_BYTES = 80_000;

test('the pictures of the tour are those that the command makes, and small', () => {
  const named = [...readFileSync(path.join(DOCS, 'tour.md'), 'utf8').matchAll(/\]\(images\/tour\/([\w-]+)\.webp\)/g)];
  const made = STOPS.map(({ name }) => name);
  assert.deepEqual(named.map(([, name]) => name).sort(), made.toSorted());
  const files = readdirSync(path.join(DOCS, 'images/tour'));
  assert.deepEqual(files.sort(), made.map((name) => `${name}.webp`).sort());
  for (const file of files) assert.ok(statSync(path.join(DOCS, 'images/tour', file)).size <= MOST_BYTES, file);
});
