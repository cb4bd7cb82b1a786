// Writes fhir/profiles/generated/ from the official FHIR R5 packages. These are the profiles and extensions as they are
// checked, and the differentials that snapshots are made of (decision E3, docs/adr/0014). `--check` writes nothing and
// ends with 1 when a file differs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { Structure } from '#fhir/profiles/snapshot/structure.ts';
import { toLines } from './fhir-definitions/package-files.ts';
import { compileProfiles, readStructures } from './fhir-definitions/profiles.ts';

const TARGET = new URL('../fhir/profiles/generated/', import.meta.url);
const COMPRESSED = 'r5-structures.json.br';

function compileAll(): Record<string, string> {
  const structures = readStructures();
  const profiles = compileProfiles(structures);
  return {
    'r5-profiles.json': `${toLines(
      profiles.filter(({ type }) => type !== 'Extension'),
      1,
    )}\n`,
    'r5-extensions.json': `${toLines(
      profiles.filter(({ type }) => type === 'Extension'),
      1,
    )}\n`,
    [COMPRESSED]: JSON.stringify(structures.map(withoutSnapshot)),
  };
}

function withoutSnapshot({ snapshot: _snapshot, ...structure }: Structure): Omit<Structure, 'snapshot'> {
  return structure;
}

/** The compressed form may differ from one release of zlib to the next: what counts is what is in it. */
function contentOf(file: URL): string | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return file.pathname.endsWith('.br') ? brotliDecompressSync(bytes).toString('utf8') : bytes.toString('utf8');
}

const isCheck = process.argv.includes('--check');
const differing: string[] = [];
mkdirSync(TARGET, { recursive: true });
for (const [name, content] of Object.entries(compileAll())) {
  const file = new URL(name, TARGET);
  if (contentOf(file) === content) continue;
  differing.push(name);
  if (!isCheck) writeFileSync(file, name === COMPRESSED ? brotliCompressSync(content) : content);
}
if (isCheck && differing.length > 0) {
  console.error(`Out of date: ${differing.join(', ')}. Run: node scripts/compile-fhir-profiles.ts`);
  process.exitCode = 1;
} else {
  console.log(differing.length === 0 ? 'FHIR profiles are up to date' : `Wrote ${differing.join(', ')}`);
}
