// The runner of the gates: runs those that are named, shows what a red one says, and ends with 1 when one is red.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'kedja-check-'));
after(() => rmSync(folder, { recursive: true }));

/** A repository of one file with the runner and the compiler's settings. */
function plant(name: string, code: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, 'lib'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json', 'biome.json', '.gitignore'])
    cpSync(join(ROOT, file), join(root, file));
  cpSync(join(ROOT, 'scripts/gates'), join(root, 'scripts/gates'), { recursive: true });
  // What the gates themselves import.
  for (const file of ['scripts/check.ts', 'lib/db/schema/sql-statements.ts'])
    cpSync(join(ROOT, file), join(root, file));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'lib/x.ts'), code);
  return root;
}

function check(root: string, ...gates: readonly string[]) {
  return spawnSync(process.execPath, [join(root, 'scripts/check.ts'), ...gates], { encoding: 'utf8' });
}

test('green gates are shown with their duration, and the exit code is 0', () => {
  const { status, stdout } = check(plant('green', 'export const x = 1;\n'), 'lint', 'types', 'layering');
  assert.equal(status, 0, stdout);
  for (const gate of ['lint', 'types', 'layering'])
    assert.match(stdout, new RegExp(`^✔ ${gate} \\(\\d+\\.\\d s\\)$`, 'm'));
});

test('a red gate stops no other, and its words are shown', () => {
  const root = plant('red', "import { y } from './y.ts';\nexport const x: string = 1;\nexport const z = y\n");
  const { status, stdout } = check(root, 'lint', 'types', 'layering');
  assert.equal(status, 1);
  for (const gate of ['lint', 'types', 'layering']) assert.match(stdout, new RegExp(`^✖ ${gate} `, 'm'));
  assert.match(stdout, /error TS2322/);
  assert.match(stdout, /^resolvable: lib\/x\.ts/m);
});

test('process.env outside the edges is red', () => {
  const { status, stdout } = check(plant('env', "export const home = process.env['HOME'];\n"), 'lint');
  assert.equal(status, 1);
  assert.match(stdout, /noProcessEnv/);
});

test('a gate that does not exist is an error that names those that do', () => {
  const { status, stderr } = check(ROOT, 'nothing');
  assert.equal(status, 1);
  assert.match(
    stderr,
    /no such gate: nothing; there are lint, types, layering, layout, statements, dead-code, lock-file, generated/,
  );
});
