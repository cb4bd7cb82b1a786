// The layout gate is red for a large folder or file and for long lines.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  COMMENT_COLUMNS,
  layoutIssues,
  MARKDOWN_COLUMNS,
  MOST_FILES,
  MOST_FILES_WITHOUT_README,
  MOST_LINES,
  MOST_README_LINES,
} from '../../scripts/gates/layout.ts';

test('a folder with too many source files and a file with too many lines are named; tests of a folder do not count', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'kedja-layout-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib/http'), { recursive: true });
  const write = (name: string, lines = 1) => writeFileSync(join(root, 'lib', name), 'export {};\n'.repeat(lines));
  for (let index = 0; index < MOST_FILES; index += 1) write(`f${index}.ts`);
  for (let index = 0; index < 3; index += 1) write(`f${index}.test.ts`);
  writeFileSync(join(root, 'lib/README.md'), '# lib\n');
  write('http/long.test.ts', MOST_LINES);
  assert.deepEqual(layoutIssues(root), []);
  write('one-more.ts');
  write('http/long.test.ts', MOST_LINES + 1);
  assert.deepEqual(layoutIssues(root), [
    `lib has ${MOST_FILES + 1} source files, more than ${MOST_FILES}: split it by what they do`,
    `lib/http/long.test.ts has ${MOST_LINES + 1} lines, more than ${MOST_LINES}: split it`,
  ]);
});

test('a folder of many source files, those below it included, has a README that is short', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'kedja-layout-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib/http/body'), { recursive: true });
  const write = (name: string) => writeFileSync(join(root, 'lib/http', name), 'export {};\n');
  for (let index = 1; index < MOST_FILES_WITHOUT_README; index += 1) write(`f${index}.ts`);
  write('body/limits.ts');
  write('body/limits.test.ts');
  assert.deepEqual(layoutIssues(root), []);
  write('body/one-more.ts');
  const count = MOST_FILES_WITHOUT_README + 1;
  const without = [
    `lib/http has ${count} source files and no README.md`,
    `lib has ${count} source files and no README.md`,
  ];
  assert.deepEqual(layoutIssues(root), without);
  writeFileSync(join(root, 'lib/README.md'), '# lib\n');
  writeFileSync(join(root, 'lib/http/README.md'), 'line\n'.repeat(MOST_README_LINES + 1));
  assert.deepEqual(layoutIssues(root), [
    `lib/http/README.md has ${MOST_README_LINES + 1} lines, more than ${MOST_README_LINES}`,
  ]);
});

test('comments and prose with lines that are too long are named; code, tables and headings are not', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'kedja-layout-'));
  t.after(() => rmSync(root, { recursive: true }));
  const [comment, prose] = ['c'.repeat(COMMENT_COLUMNS - 3), 'p'.repeat(MARKDOWN_COLUMNS)];
  writeFileSync(join(root, 'a.ts'), [`// ${comment}`, `const text = '${comment}';`, `// ${comment}c`].join('\n'));
  const page = [prose, `${prose}p`, `| ${prose} |`, `# ${prose}`, '```', `${prose}p`, '```', `- ${prose}`];
  writeFileSync(join(root, 'a.md'), page.join('\n'));
  assert.deepEqual(layoutIssues(root), [
    `a.ts:3 is a comment of ${COMMENT_COLUMNS + 1} columns, more than ${COMMENT_COLUMNS}`,
    `a.md:2 has ${MARKDOWN_COLUMNS + 1} columns, more than ${MARKDOWN_COLUMNS}`,
    `a.md:8 has ${MARKDOWN_COLUMNS + 2} columns, more than ${MARKDOWN_COLUMNS}`,
  ]);
});

test('a README and CONTRIBUTING.md name only files and folders that exist', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'kedja-layout-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib/http/body'), { recursive: true });
  mkdirSync(join(root, 'docs'));
  for (const file of ['lib/clock.ts', 'lib/http/app.ts', 'lib/http/body/limits.ts', 'docs/page.md'])
    writeFileSync(join(root, file), '');
  writeFileSync(
    join(root, 'lib/http/README.md'),
    'Here: `app.ts`, `limits.ts`, `body/`. Elsewhere: `../clock.ts`, `lib/clock.ts`. No path: `a/b`, `<name>.ts`, `x.y`.\n',
  );
  writeFileSync(join(root, 'CONTRIBUTING.md'), 'The end of any path: `body/limits.ts`, `clock.ts`.\n');
  assert.deepEqual(layoutIssues(root), []);
  writeFileSync(join(root, 'lib/http/README.md'), 'Gone: `clock.ts`, `../app.ts`, `bodies/`, `app.ts`.\n');
  writeFileSync(join(root, 'CONTRIBUTING.md'), 'Gone: `lib/http/limits.ts`.\n');
  assert.deepEqual(layoutIssues(root), [
    'CONTRIBUTING.md names lib/http/limits.ts, which does not exist',
    'lib/http/README.md names clock.ts, which does not exist',
    'lib/http/README.md names ../app.ts, which does not exist',
    'lib/http/README.md names bodies, which does not exist',
  ]);
});
