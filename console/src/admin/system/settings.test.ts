import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setting } from './queries.ts';
import { bestOf, bySection } from './settings.ts';

const setting = (name: string, section: string, source: Setting['source']): Setting => ({
  name,
  section,
  meaning: `What ${name} means`,
  type: 'text',
  is_secret: false,
  is_set: true,
  value: 'x',
  source,
  default: null,
  when_unset: null,
});
const ALL = [
  setting('KEDJA_HOST', 'Every service', 'default'),
  setting('KEDJA_PORT', 'Identity', 'environment'),
  setting('KEDJA_LOG', 'Every service', 'environment'),
];
const names = (found: ReturnType<typeof bySection>) =>
  found.map(([section, those]) => [section, those.map(({ name }) => name)]);

test('settings are shown by section, and narrowed by text and source', () => {
  const all = bySection(ALL, { search: ' ', source: undefined });
  assert.deepEqual(names(all), [
    ['Every service', ['KEDJA_HOST', 'KEDJA_LOG']],
    ['Identity', ['KEDJA_PORT']],
  ]);
  assert.deepEqual(names(bySection(ALL, { search: 'kedja_l', source: undefined })), [['Every service', ['KEDJA_LOG']]]);
  assert.deepEqual(names(bySection(ALL, { search: 'means', source: 'default' })), [['Every service', ['KEDJA_HOST']]]);
  assert.deepEqual(bySection(ALL, { search: 'nothing', source: undefined }), []);
});

test('settings are found by all words of name and meaning, those by name first', () => {
  const all = [{ ...setting('KEDJA_A', 'S', 'default'), meaning: 'Not KEDJA_PORT but the host' }, ...ALL];
  const found = (text: string) => bestOf(all, text).map(({ name }) => name);
  assert.deepEqual(found('kedja_port'), ['KEDJA_PORT', 'KEDJA_A']);
  assert.deepEqual(found(' MEANS  log '), ['KEDJA_LOG']);
  assert.deepEqual(found('nothing'), []);
});
