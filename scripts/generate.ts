// `npm run generate`: writes every generated file of the repository; with --check it names those that are out of date.
// A generator is an entry of GENERATORS: files whose text is computed here, or a script of its own that knows --check.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RENDER_READY_SCHEMA } from '#fhir/forms/render-ready-form.ts';
import { configurationReference, envExample } from '#lib/config/document.ts';
import { sections } from '../config.ts';
import { extractionDigestModule } from './extraction-digest.ts';

type Generator =
  | { readonly name: string; readonly files: () => Readonly<Record<string, string>> }
  | { readonly name: string; readonly script: string };

const GENERATORS: readonly Generator[] = [
  {
    name: 'configuration',
    files: () => ({
      '.env.example': envExample(sections),
      'docs/reference/configuration.md': configurationReference(sections),
    }),
  },
  {
    name: 'render-ready form',
    files: () => ({
      'docs/reference/render-ready-form.schema.json': `${JSON.stringify(RENDER_READY_SCHEMA, null, 2)}\n`,
    }),
  },
  { name: 'common passwords', script: 'scripts/compile-common-passwords.ts' },
  { name: 'FHIR definitions', script: 'scripts/compile-fhir-definitions.ts' },
  { name: 'FHIR profiles', script: 'scripts/compile-fhir-profiles.ts' },
  { name: 'FHIR search parameters', script: 'scripts/compile-fhir-search.ts' },
  { name: 'FHIR terminology', script: 'scripts/compile-terminology.ts' },
  // Of the tables too, which the generators above write.
  {
    name: 'digest of extraction',
    files: () => ({ 'fhir/search/extract/generated/extraction-digest.ts': extractionDigestModule() }),
  },
];

const ROOT = join(import.meta.dirname, '..');

/** The errors found by one generator: in check mode files that differ, otherwise none unless its script fails. */
function run(generator: Generator, isCheck: boolean): string[] {
  if ('script' in generator) {
    const args = [join(ROOT, generator.script), ...(isCheck ? ['--check'] : [])];
    const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
    return status === 0 ? [] : [`${generator.script} ended with ${status}`];
  }
  const issues: string[] = [];
  for (const [path, text] of Object.entries(generator.files())) {
    if (contentOf(path) === text) continue;
    if (isCheck) issues.push(`${path} is not what \`npm run generate\` makes`);
    else write(path, text);
  }
  return issues;
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
  console.log(`wrote ${path}`);
}

const isCheck = process.argv.includes('--check');
const issues = GENERATORS.flatMap((generator) => run(generator, isCheck));
for (const issue of issues) console.error(issue);
process.exitCode = issues.length > 0 ? 1 : 0;
