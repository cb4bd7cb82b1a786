// Each release that is tagged has a state, which the code of that tag made (decision 149).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { MIGRATIONS } from '../../cli/services.ts';
import { loadDatabase, migrationsOf, readState, releases } from './state.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const TAGS = git('tag', '--list', 'v[0-9]*').filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
const skip = TAGS.length === 0 && 'this checkout has no tag of a release';

function git(...args: string[]): string[] {
  const { status, stdout } = spawnSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}

test('every tagged release has a state', { skip }, async () => {
  const there = new Set(await releases());
  const missing = TAGS.map((tag) => tag.slice(1)).filter((release) => !there.has(release));
  assert.deepEqual(missing, [], 'make them with the code of the tag: npm run release-state -- RELEASE');
});

for (const tag of TAGS) {
  test(`the state of ${tag} has the migrations of ${tag}`, async (t) => {
    const release = tag.slice(1);
    if (!(await releases()).includes(release)) return t.skip('there is no state');
    const { url } = await createTestDatabase(lastFirst(t));
    await loadDatabase(url, (await readState(release)).database);
    const own = await migrationsOf(url, ['identity', 'engine', 'dispatch']);
    const has = new Set(own.map((name) => name.slice(name.indexOf(' ') + 1)));
    const files = Object.values(MIGRATIONS).flatMap((sources) => sources.flatMap((source) => filesAt(tag, source)));
    assert.ok(files.length > 0);
    const lacking = [...new Set(files)].filter((name) => !has.has(name));
    assert.deepEqual(lacking, [], `before ${tag} is published: npm run release-state -- ${release} --again`);
  });
}

/** The migrations of the tagged commit, as `<source>/<file>`. */
function filesAt(tag: string, { name, folder }: MigrationSource): string[] {
  const files = git('ls-tree', '--name-only', tag, '--', `${path.relative(ROOT, folder)}/`);
  return files.filter((file) => file.endsWith('.sql')).map((file) => `${name}/${path.basename(file)}`);
}
