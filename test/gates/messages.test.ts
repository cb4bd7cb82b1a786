// Every message catalogue has each message in every language, with the same placeholders.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const LANGUAGES = ['en', 'sv'];

type Node = string | { readonly [name: string]: Node };

/** One text for each message that lacks a language or a placeholder. */
function catalogueIssues(node: Node, path: string): string[] {
  if (typeof node === 'string') return [`${path} is no message in ${LANGUAGES.join(' and ')}`];
  const names = Object.keys(node).sort();
  if (!names.some((name) => LANGUAGES.includes(name))) {
    return names.flatMap((name) => catalogueIssues(node[name] ?? '', `${path}.${name}`));
  }
  if (names.join() !== LANGUAGES.join()) return [`${path} is in ${names.join(' and ')}`];
  const texts = Object.values(node).map(String);
  if (texts.some((text) => text.trim() === '')) return [`${path} is empty in a language`];
  const placeholders = texts.map((text) => [...new Set(text.match(/\{\w+\}/g))].sort().join());
  return new Set(placeholders).size === 1 ? [] : [`${path} has other placeholders in another language`];
}

test('a message without a language, without a text or with another placeholder is named', () => {
  const catalogue = {
    page: { whole: { sv: 'Om {n}', en: 'In {n}' }, half: { sv: 'Hej' }, empty: { sv: 'Hej', en: ' ' } },
    other: { sv: 'Om {n}', en: 'In {m}' },
    bare: 'Hej',
  };
  assert.deepEqual(catalogueIssues(catalogue, 'c'), [
    'c.bare is no message in en and sv',
    'c.other has other placeholders in another language',
    'c.page.empty is empty in a language',
    'c.page.half is in sv',
  ]);
});

test('the catalogues are whole', () => {
  const files = globSync('**/*.messages.json', { cwd: ROOT, exclude: ['**/node_modules', 'data'] });
  assert.ok(files.length > 20, `${files.length} catalogues found`);
  assert.deepEqual(
    files.flatMap((file) => catalogueIssues(JSON.parse(readFileSync(join(ROOT, file), 'utf8')), file)),
    [],
  );
});
