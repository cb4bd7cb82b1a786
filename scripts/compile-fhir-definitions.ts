// Writes fhir/definitions/generated/ from the official FHIR R5 packages (decision E1, docs/adr/0003).
// `--check` writes nothing and ends with 1 when a file differs from what would be written.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TypeRow } from '#fhir/definitions/rows.ts';
import type { ProfileNode } from '#fhir/profiles/profile.ts';

import { compileCodeSystems } from './fhir-definitions/code-systems.ts';
import { readPackage, toLines } from './fhir-definitions/package-files.ts';
import { compileProfiles, readStructures } from './fhir-definitions/profiles.ts';
import { compileTypes } from './fhir-definitions/types.ts';
import { compileValueSets } from './fhir-definitions/value-sets.ts';

interface CompartmentDefinition {
  readonly code: string;
  readonly resource: readonly { readonly code: string; readonly param?: readonly string[] }[];
}

const TARGET = new URL('../fhir/definitions/generated/', import.meta.url);

function compileCompartments(): Record<string, Record<string, readonly string[]>> {
  const definitions = readPackage<CompartmentDefinition>('hl7.fhir.r5.core', 'CompartmentDefinition');
  const official = definitions.filter(({ resource }) => resource.length > 100);
  return Object.fromEntries(
    official.map(({ code, resource }) => [
      code,
      Object.fromEntries(resource.flatMap(({ code: type, param }) => (param === undefined ? [] : [[type, param]]))),
    ]),
  );
}

/** The value sets that profiles and extensions demand codes of, and those that types recommend. */
function boundSets(types: Readonly<Record<string, TypeRow>>): string[] {
  const rows = Object.values(types).flatMap((type) => Object.values(type.shapes).flatMap((shape) => shape.elements));
  const sets = new Set(rows.flatMap(({ binding }) => (binding?.[0] === 'extensible' ? [binding[1]] : [])));
  const collect = ({ binding, children = [], slices = [] }: ProfileNode): void => {
    if (binding !== undefined) sets.add(binding[1]);
    for (const node of [...children, ...slices]) collect(node);
  };
  for (const { root } of compileProfiles(readStructures())) collect(root);
  return [...sets].sort();
}

function compileAll(): Record<string, string> {
  const types = compileTypes();
  return {
    'r5-types.json': `${toLines(types, 5)}\n`,
    'r5-value-sets.json': `${toLines(compileValueSets(types, boundSets(types)), 2)}\n`,
    'r5-code-systems.json': `${toLines(compileCodeSystems(), 1)}\n`,
    'r5-compartments.json': `${toLines(compileCompartments(), 2)}\n`,
  };
}

const isCheck = process.argv.includes('--check');
const differing: string[] = [];
for (const [name, content] of Object.entries(compileAll())) {
  const file = new URL(name, TARGET);
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === content;
  if (isSame) continue;
  differing.push(name);
  if (!isCheck) writeFileSync(file, content);
}
if (isCheck && differing.length > 0) {
  console.error(`Out of date: ${differing.join(', ')}. Run: node scripts/compile-fhir-definitions.ts`);
  process.exitCode = 1;
} else {
  console.log(differing.length === 0 ? 'FHIR definitions are up to date' : `Wrote ${differing.join(', ')}`);
}
