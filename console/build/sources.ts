// What the console is built from, and a hash of it: the build of the same sources is never made twice.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** The folder of the workspace. */
export const CONSOLE_FOLDER = path.join(ROOT, 'console');

/** Beside them the lock file: another version of a package makes another build. */
const SOURCES = [
  'console/index.html',
  'console/package.json',
  'console/{src,build}/**/*.{ts,tsx,css,json}',
  'lib/html/tokens.ts',
  'lib/{luhn,personnummer}.ts',
  'fhir/forms/{enabling,render-version,values}.ts',
  'fhir/forms/expressions/{evaluator,results,solve}.ts',
  'fhir/forms/questionnaire/*.ts',
  'fhir/fhirpath/keywords.ts',
  'fhir/json/members.ts',
  'fhir/plans/measured-values.ts',
  'services/dispatch/worklist/stage.ts',
  'package-lock.json',
];

/** 16 hexadecimal digits that change with any source. */
export function hashOfSources(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.(?:test|d)\.tsx?$/.test(file));
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}
