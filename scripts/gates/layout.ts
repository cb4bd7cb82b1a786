// The layout gate finds folders and files that are too large, folders without a README, and READMEs that name files
// that do not exist. It finds comments and pages whose lines are too long (CONTRIBUTING.md, "Gates"). Biome breaks
// lines of code.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Source files of a folder, without its tests and subfolders. */
export const MOST_FILES = 21;
export const MOST_LINES = 400;
/** A folder with more source files, those of its subfolders included, has a README. */
export const MOST_FILES_WITHOUT_README = 10;
export const MOST_README_LINES = 20;
/** Columns of a line that is a comment. */
export const COMMENT_COLUMNS = 120;
/** Columns of a line of Markdown that is no table, code, heading or image. */
export const MARKDOWN_COLUMNS = 140;

/** Folders whose files are made, which READMEs may name only by their folder. */
const NOT_NAMED = ['**/node_modules', 'console/dist', 'data'];
const NO_SOURCES = ['**/node_modules', '**/generated', 'console/dist', 'data'];

/** One text for each folder, file and line that is too large. */
export function layoutIssues(root: string): string[] {
  const files = globSync('**/*.{ts,tsx,mjs}', { cwd: root, exclude: NO_SOURCES }).sort();
  if (files.length === 0) return [`no source file found in ${root}`];
  const sources = files.filter((file) => !/\.test\.tsx?$/.test(file));
  const folders = Map.groupBy(sources, dirname);
  return [
    ...[...folders]
      .filter(([, { length }]) => length > MOST_FILES)
      .map(
        ([folder, { length }]) =>
          `${folder} has ${length} source files, more than ${MOST_FILES}: split it by what they do`,
      ),
    ...readmeIssues(root, sources),
    ...files.flatMap((file) => {
      const lines = linesOf(root, file);
      const length = lines.length - 1;
      const tooLong = length > MOST_LINES ? [`${file} has ${length} lines, more than ${MOST_LINES}: split it`] : [];
      return [...tooLong, ...longComments(file, lines)];
    }),
    ...globSync('**/*.md', { cwd: root, exclude: NO_SOURCES })
      .sort()
      .flatMap((file) => longProse(file, linesOf(root, file))),
    ...unknownNames(root),
  ];
}

/**
 * Files and folders that a README or CONTRIBUTING.md names in backticks, and that do not exist. A README names them
 * from its folder, from the root, or by the end of their path where they are below it. CONTRIBUTING.md names them by
 * the end of any path.
 */
function unknownNames(root: string): string[] {
  const files = globSync('**/*.*', { cwd: root, exclude: NOT_NAMED });
  const paths = new Set(files.flatMap(withFolders));
  const ends = (folder: string, name: string) =>
    [...paths].some((path) => path.endsWith(`/${name}`) && (folder === '.' || path.startsWith(`${folder}/`)));
  return files
    .filter((file) => /(?:^|\/)(?:README|CONTRIBUTING)\.md$/.test(file) && !file.startsWith('docs/'))
    .sort()
    .flatMap((file) => {
      const folder = dirname(file);
      return namedPaths(linesOf(root, file).join('\n'))
        .filter((name) => !paths.has(join(folder, name)) && !paths.has(name) && !ends(folder, name))
        .map((name) => `${file} names ${name}, which does not exist`);
    });
}

function withFolders(file: string): string[] {
  const parts = file.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function namedPaths(text: string): string[] {
  const names = [...text.matchAll(/`((?:\.\.\/)*\w[\w./-]*(?:\w\.(?:tsx?|mjs|css|sql)|\w\/))`/g)];
  return [...new Set(names.map(([, name = '']) => name.replace(/\/$/, '')))];
}

function readmeIssues(root: string, sources: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of sources) {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].flatMap(([folder, count]) => {
    if (count <= MOST_FILES_WITHOUT_README) return [];
    const readme = join(folder, 'README.md');
    if (!existsSync(join(root, readme))) return [`${folder} has ${count} source files and no README.md`];
    const length = linesOf(root, readme).length - 1;
    return length > MOST_README_LINES ? [`${readme} has ${length} lines, more than ${MOST_README_LINES}`] : [];
  });
}

function linesOf(root: string, file: string): string[] {
  return readFileSync(join(root, file), 'utf8').split('\n');
}

function longComments(file: string, lines: readonly string[]): string[] {
  return lines.flatMap((line, index) =>
    line.length > COMMENT_COLUMNS && /^\s*(?:\/\/|\/\*|\*)(?: |\*)/.test(line)
      ? [`${file}:${index + 1} is a comment of ${line.length} columns, more than ${COMMENT_COLUMNS}`]
      : [],
  );
}

function longProse(file: string, lines: readonly string[]): string[] {
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const isProse = !isCode && !/^\s*(?:\||#|!\[|<)/.test(line);
    return isProse && line.length > MARKDOWN_COLUMNS
      ? [`${file}:${index + 1} has ${line.length} columns, more than ${MARKDOWN_COLUMNS}`]
      : [];
  });
}

if (import.meta.main) {
  const issues = layoutIssues(process.cwd());
  for (const issue of issues) console.error(issue);
  process.exitCode = issues.length > 0 ? 1 : 0;
}
