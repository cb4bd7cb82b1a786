// The Swedish texts of the settings are of settings that there are, and every setting but those of a new release has
// one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sections } from '../../config.ts';

const FILE = join(import.meta.dirname, '../../console/src/admin/system/meanings.sv.json');

test('every Swedish text is of a setting and a section that there is, and says something', () => {
  const words: { sections: Record<string, string>; meanings: Record<string, string>; unset: Record<string, string> } =
    JSON.parse(readFileSync(FILE, 'utf8'));
  const all = Object.values(sections);
  const names = new Set(all.flatMap(({ variables }) => Object.values(variables).map(({ env }) => env)));
  assert.ok(names.size > 50, `${names.size} settings`);
  assert.deepEqual(
    Object.keys(words.meanings).filter((name) => !names.has(name)),
    [],
    'texts of settings that are not there',
  );
  const titles = all.map(({ title }): string => title);
  assert.deepEqual(Object.keys(words.sections).sort(), [...titles].sort());
  const without = all.flatMap(({ variables }) =>
    Object.values(variables).flatMap(({ env, whenUnset }) => (whenUnset === undefined ? [] : [env])),
  );
  assert.deepEqual(Object.keys(words.unset).sort(), without.sort(), 'what holds without a value');
  const said = [...Object.values(words.meanings), ...Object.values(words.sections), ...Object.values(words.unset)];
  assert.deepEqual(
    said.filter((text) => text.trim() === ''),
    [],
  );
});
