// docs/reference/everyone.md: each row has a module of the story that walks it. Each of its addresses an example on the
// page to which it leads. Those examples are run by the tests beside this one.
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ROWS_PAGE, type Row, readRows } from '../end-to-end/rows.ts';
import { readExamples, withoutNames } from './examples.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const STORY = 'test/end-to-end';
const WALK = /\bwalk\('([A-Z]\d+)'/g;
const rows = await readRows();

const textOf = (file: string) => readFile(path.join(ROOT, file), 'utf8');

test(`${ROWS_PAGE} has 44 rows and nine bad cases, each once`, () => {
  const ids = rows.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const isBad = (id: string) => id.startsWith('B');
  assert.deepEqual([ids.filter((id) => !isBad(id)).length, ids.filter(isBad).length], [44, 9]);
});

test('each row is walked in the module that it names, and none in another', async () => {
  const walked: string[] = [];
  for await (const module of glob('**/*.ts', { cwd: path.join(ROOT, STORY) })) {
    const text = await textOf(`${STORY}/${module}`);
    walked.push(...new Set([...text.matchAll(WALK)].map(([, id]) => `${id} ${module}`)));
  }
  assert.deepEqual(walked.toSorted(), rows.map(({ id, module }) => `${id} ${module}`).toSorted());
});

test('each address of a row has an example of success on a page that the row names', async () => {
  const missing: string[] = [];
  for (const row of rows) {
    const shown = await examplesOf(row);
    const absent = row.addresses.filter((address) => !shown.some((each) => isAt(address, each)));
    missing.push(...absent.map((address) => `${row.id}: ${address} on ${row.pages.join(', ')}`));
  }
  assert.deepEqual(missing, []);
});

/** Whether the example is one of the address, with a value or a name in the place of each variable part. */
function isAt(address: string, example: string): boolean {
  const [parts, shown] = [withoutNames(address).split('/'), example.split('/')];
  return parts.length === shown.length && parts.every((part, at) => part === '{}' || part === shown[at]);
}

/** The addresses of examples of success. */
async function examplesOf({ pages }: Row): Promise<string[]> {
  const examples = await Promise.all(pages.map(async (page) => readExamples(await textOf(page))));
  return examples.flat().flatMap(({ address, status }) => (status < 400 ? [address] : []));
}
