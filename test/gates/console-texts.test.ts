// The console's texts: both languages have the same keys and placeholders, every key is used, and every key that is
// used is there. The compiler checks the latter for keys that are written out.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const CONSOLE = join(import.meta.dirname, '../../console/src');

type Texts = { readonly [name: string]: string | Texts };

function flat(texts: Texts, path = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string' ? [[path + name, value] as [string, string]] : flat(value, `${path}${name}.`),
  );
}

/** Keys and placeholders that one language has and another lacks, and empty texts. */
function differences(sv: Texts, en: Texts): string[] {
  const [swedish, english] = [new Map(flat(sv)), new Map(flat(en))];
  const holes = (text = '') => [...new Set(text.match(/\{\{\w+\}\}/g))].sort().join();
  return [...new Set([...swedish.keys(), ...english.keys()])].flatMap((key) => {
    const [a, b] = [swedish.get(key), english.get(key)];
    if (!a?.trim() || !b?.trim()) return [`${key} lacks a language`];
    return holes(a) === holes(b) ? [] : [`${key} has other placeholders in another language`];
  });
}

/** Keys that no call of `t` names: written out, or by a template whose fixed parts they have. */
function unused(keys: readonly string[], sources: readonly string[]): string[] {
  const named = sources.flatMap((text) => [...text.matchAll(/[^\w.]'([a-z]\w*(?:\.\w+)+)'/g)].map(([, key]) => key));
  const templates = sources.flatMap((text) => [...text.matchAll(/\bt\(\s*`([^`]+)`/g)].map(([, key = '']) => key));
  const patterns = templates.map(
    (key) =>
      new RegExp(
        `^${key
          .split(/\$\{[^}]+\}/)
          .map(escaped)
          .join('\\w+')}$`,
      ),
  );
  return keys
    .map((key) => key.replace(/_(?:one|other)$/, ''))
    .filter((key) => !named.includes(key) && !patterns.some((pattern) => pattern.test(key)));
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.');
}

/** Those of all, and those of each face that has its own. */
function read(language: 'sv' | 'en'): Texts {
  const files = globSync(
    ['i18n', '*/texts', '*/*/texts'].map((folder) => `${folder}/${language}.json`),
    { cwd: CONSOLE },
  );
  assert.ok(files.length > 1, `${files.length} files found`);
  const texts: Texts[] = files.map((file) => JSON.parse(readFileSync(join(CONSOLE, file), 'utf8')));
  const names = texts.flatMap((each) => Object.keys(each));
  assert.equal(new Set(names).size, names.length, 'two files have texts of one name');
  return Object.assign({}, ...texts);
}

test('a missing language, another placeholder and an unused key are named', () => {
  assert.deepEqual(differences({ a: { b: 'x {{n}}', c: 'x' } }, { a: { b: 'y {{m}}' }, d: 'y' }), [
    'a.b has other placeholders in another language',
    'a.c lacks a language',
    'd lacks a language',
  ]);
  const source = `t('a.b', { n }); t(\`day.\${day}\`)`;
  assert.deepEqual(unused(['a.b', 'a.c', 'day.mon', 'day.mon.x', 'a.b_one'], [source]), ['a.c', 'day.mon.x']);
});

test('both languages are whole, and every text is used', () => {
  const [sv, en] = [read('sv'), read('en')];
  assert.deepEqual(differences(sv, en), []);
  const files = globSync('**/*.{ts,tsx}', { cwd: CONSOLE, exclude: (name) => name.includes('.test.') });
  assert.ok(files.length > 30, `${files.length} files found`);
  const keys = flat(sv).map(([key]) => key);
  assert.deepEqual(
    unused(
      keys,
      files.map((file) => readFileSync(join(CONSOLE, file), 'utf8')),
    ),
    [],
  );
});
