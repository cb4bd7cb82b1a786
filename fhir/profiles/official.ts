// The definitions that snapshots are made of: differentials of R5's types and profiles and of HL7's extensions (made by
// scripts/compile-fhir-profiles.ts). Read when first needed: only who defines profiles needs them.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { Structure } from './snapshot/structure.ts';

let loaded: ReadonlyMap<string, Structure> | undefined;

/** An official definition by its canonical URL, with or without its version. */
export function officialStructure(canonical: string): Structure | undefined {
  loaded ??= read();
  const [url = '', version] = canonical.split('|');
  const structure = loaded.get(url);
  return version === undefined || structure?.version === version ? structure : undefined;
}

function read(): ReadonlyMap<string, Structure> {
  const file = new URL('generated/r5-structures.json.br', import.meta.url);
  const structures: readonly Structure[] = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8'));
  return new Map(structures.map((structure) => [structure.url, structure]));
}
