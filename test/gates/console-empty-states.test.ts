// What is said where a list of the console is empty: what that means, and what can be done or will happen next. That is
// a second sentence, or a link beside the text.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const CONSOLE = join(import.meta.dirname, '../../console/src');
/** `<Empty>…</Empty>`, and what lists are given as their text. */
const PLACES = [/<Empty>([\s\S]*?)<\/Empty>/g, /\bnone=\{(t\([^}]*\))\}/g, /\bempty: (t\([^)]*\))/g];

type Texts = { readonly [name: string]: string | Texts };

interface Place {
  readonly keys: readonly string[];
  readonly hasLink: boolean;
}

function places(source: string): Place[] {
  return PLACES.flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, inner = '']) => ({
      keys: [...inner.matchAll(/'([a-zA-Z]\w*(?:\.\w+)+)'/g)].map(([, key = '']) => key),
      hasLink: /<Link|<a /.test(inner),
    })),
  );
}

/** The keys whose text ends the matter. */
function withoutNext(source: string, textOf: (key: string) => string): string[] {
  const isOneSentence = (key: string) => textOf(key).split(/[.:?] /).length < 2;
  return places(source).flatMap(({ keys, hasLink }) => (hasLink ? [] : keys.filter(isOneSentence)));
}

function textsOf(language: 'sv' | 'en'): (key: string) => string {
  const files = globSync(`**/${language}.json`, { cwd: CONSOLE });
  const texts: Texts = Object.assign({}, ...files.map((file) => JSON.parse(readFileSync(join(CONSOLE, file), 'utf8'))));
  return (key) => {
    const found = key.split('.').reduce((part: unknown, name) => Object(part)[name], texts);
    assert.ok(typeof found === 'string', key);
    return found;
  };
}

test('an empty list says what comes next, in both languages', () => {
  const files = globSync('**/*.tsx', { cwd: CONSOLE }).map((file) => readFileSync(join(CONSOLE, file), 'utf8'));
  assert.ok(files.flatMap(places).length > 50, 'they are found');
  for (const language of ['sv', 'en'] as const) {
    const textOf = textsOf(language);
    assert.deepEqual(
      files.flatMap((source) => withoutNext(source, textOf)),
      [],
      language,
    );
  }
});

test('what lacks the next step is found', () => {
  const texts = new Map([
    ['list.none', 'Nothing here.'],
    ['list.ever', 'Nothing here. Add one below.'],
  ]);
  const found = (source: string) => withoutNext(source, (key) => texts.get(key) ?? '');
  assert.deepEqual(found("<Empty>{t('list.none')}</Empty> <Empty>{t('list.ever')}</Empty>"), ['list.none']);
  assert.deepEqual(found("<Empty>{t(isAll ? 'list.none' : 'list.ever')}</Empty>"), ['list.none']);
  assert.deepEqual(found("<Cards none={t('list.none')} /> { title: '', empty: t('list.none') }"), [
    'list.none',
    'list.none',
  ]);
  assert.deepEqual(found("<Empty>\n{t('list.none')} <Link to=\"/\">{t('list.ever')}</Link></Empty>"), []);
});
