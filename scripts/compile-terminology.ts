// Writes lib/terminology/generated/ from hl7.fhir.r5.core: of each code system the codes with their hierarchy and properties, of each value set
// its definition; no displays or texts. `--check` writes nothing and ends with 1 when a file differs from what would be written.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readPackage, toLines } from './fhir-definitions/package-files.ts';

type Json = Readonly<Record<string, unknown>>;

const TARGET = new URL('../lib/terminology/generated/', import.meta.url);

/** A resource without what expansion does not read. */
function kept(value: unknown, members: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => kept(item, members));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => members.includes(name) || name.startsWith('value'));
  return Object.fromEntries(entries.map(([name, item]) => [name, kept(item, members)]));
}

function compile(resourceType: string, members: readonly string[]): Record<string, unknown> {
  const resources = readPackage<Json>('hl7.fhir.r5.core', resourceType);
  const compiled = resources.map((resource): [string, unknown] => [
    String(resource['url']),
    kept(Object.fromEntries(Object.entries(resource).filter(([name]) => name !== 'property')), members),
  ]);
  return Object.fromEntries(compiled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const CODE_SYSTEM = ['version', 'status', 'content', 'hierarchyMeaning', 'concept', 'code', 'property'];
const VALUE_SET = [
  'version',
  'status',
  'compose',
  'include',
  'exclude',
  'system',
  'concept',
  'code',
  'filter',
  'property',
  'op',
];

const isCheck = process.argv.includes('--check');
const differing: string[] = [];
for (const [name, content] of [
  ['r5-code-systems.json', `${toLines(compile('CodeSystem', CODE_SYSTEM), 1)}\n`],
  ['r5-value-sets.json', `${toLines(compile('ValueSet', VALUE_SET), 1)}\n`],
] as const) {
  const file = new URL(name, TARGET);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
  differing.push(name);
  if (isCheck) continue;
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(file, content);
}
if (isCheck && differing.length > 0) {
  console.error(`Out of date: ${differing.join(', ')}. Run: node scripts/compile-terminology.ts`);
  process.exitCode = 1;
}
