// The layout gate: no folder with more source files, and no file with more lines, than one takes in at a glance
// (CONTRIBUTING.md, "The house").
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Source files of a folder, without its tests and subfolders. */
export const MOST_FILES = 21;
export const MOST_LINES = 400;

const NO_SOURCES = ['**/node_modules', '**/generated', 'console', 'data'];

/** One text for each folder and file that is too large. */
export function layoutIssues(root: string): string[] {
  const files = globSync('**/*.{ts,mjs}', { cwd: root, exclude: NO_SOURCES }).sort();
  if (files.length === 0) return [`no source file found in ${root}`];
  const sources = files.filter((file) => !file.endsWith('.test.ts'));
  const folders = Map.groupBy(sources, dirname);
  return [
    ...[...folders]
      .filter(([, { length }]) => length > MOST_FILES)
      .map(
        ([folder, { length }]) =>
          `${folder} has ${length} source files, more than ${MOST_FILES}: split it by what they do`,
      ),
    ...files.flatMap((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
      return lines > MOST_LINES ? [`${file} has ${lines} lines, more than ${MOST_LINES}: split it`] : [];
    }),
  ];
}

if (import.meta.main) {
  const issues = layoutIssues(process.cwd());
  for (const issue of issues) console.error(issue);
  process.exitCode = issues.length > 0 ? 1 : 0;
}
