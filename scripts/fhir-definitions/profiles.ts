// Compiles the profiles and extensions of the official packages, and corrects what contradicts R5's own examples
// (docs/adr/0014).
import { compileProfile } from '#fhir/profiles/compile.ts';
import type { Profile } from '#fhir/profiles/profile.ts';
import { cloneTree, type ElementTree } from '#fhir/profiles/snapshot/element-tree.ts';
import { createSnapshotLibrary, type SnapshotLibrary } from '#fhir/profiles/snapshot/snapshot-library.ts';
import { readStructure, type Structure } from '#fhir/profiles/snapshot/structure.ts';
import { readPackage } from './package-files.ts';

/** Every definition of a type, profile or extension, in the order of their URLs; the core package wins. */
export function readStructures(): Structure[] {
  const structures = ['hl7.fhir.uv.extensions.r5', 'hl7.fhir.r5.core']
    .flatMap((name) => readPackage<unknown>(name, 'StructureDefinition'))
    .flatMap((resource) => readStructure(resource) ?? [])
    .sort((a, b) => (a.url < b.url ? -1 : 1));
  return [...new Map(structures.map((structure) => [structure.url, structure])).values()];
}

/** The profiles among them, by their published snapshots. */
export function compileProfiles(structures: readonly Structure[]): Profile[] {
  const byUrl = new Map(structures.map((structure) => [structure.url, structure]));
  const library = createSnapshotLibrary((url) => byUrl.get(url.split('|', 1)[0] ?? ''));
  return structures
    .filter(({ isProfile }) => isProfile)
    .map((structure) => {
      const { profile, problems } = compileProfile(structure, corrected(structure, library), library);
      if (problems.length > 0) throw new Error(`${structure.url}: ${problems.join('; ')}`);
      return profile;
    });
}

/** R5's own examples carry a CodeableReference where a later edition of these extensions does not take one any more. */
const WITH_REFERENCES: Readonly<Record<string, string>> = {
  'http://hl7.org/fhir/StructureDefinition/individual-recordedSexOrGender': 'sourceDocument',
  'http://hl7.org/fhir/StructureDefinition/patient-sexParameterForClinicalUse': 'supportingInfo',
};

function corrected(structure: Structure, library: SnapshotLibrary): ElementTree {
  const { url } = structure;
  const tree = cloneTree(library.snapshotOf(structure).tree);
  const slice = tree.children.flatMap(({ slices }) => slices).find((each) => each.slice === WITH_REFERENCES[url]);
  const value = slice?.children.find(({ name }) => name === 'value[x]');
  if (value !== undefined)
    value.rules = { ...value.rules, type: [...(value.rules.type ?? []), { code: 'CodeableReference' }] };
  return tree;
}
