// The files of an RF2 release by their names (SNOMED CT release file specification, section 3). Of the three release
// types the snapshot is read: the state of each component at the date of the release.
import type { ReleaseFile } from './rows.ts';

export type FileKind =
  | 'concept'
  | 'description'
  | 'relationship'
  | 'concreteValue'
  | 'language'
  | 'moduleDependency'
  | 'refset';

const FORMS: readonly (readonly [kind: FileKind, form: RegExp])[] = [
  ['concept', /^x?sct2_Concept_/i],
  ['description', /^x?sct2_(?:Description|TextDefinition)_/i],
  ['relationship', /^x?sct2_Relationship_/i],
  ['concreteValue', /^x?sct2_RelationshipConcreteValues_/i],
  ['language', /^x?der2_cRefset_\w*Language/i],
  ['moduleDependency', /^x?der2_ssRefset_\w*ModuleDependency/i],
  ['refset', /^x?der2_[cis]*Refset_/i],
];

/** Reference sets about the release itself, and about descriptions: their members are no concepts to choose from. */
const LEFT_OUT = /^x?der2_[cis]*Refset_\w*(?:RefsetDescriptor|DescriptionType|MRCM|OWL)/i;

/** The kind of a file of a snapshot; undefined for any other file. */
export function kindOf({ name }: Pick<ReleaseFile, 'name'>): FileKind | undefined {
  const base = baseName(name);
  if (!/Snapshot/i.test(base) || !/\.txt$/i.test(base) || LEFT_OUT.test(base)) return undefined;
  return FORMS.find(([, form]) => form.test(base))?.[0];
}

/** The kinds of the fields behind the six that all members have: `c` a component, `i` a number, `s` a text. */
export function fieldKinds({ name }: Pick<ReleaseFile, 'name'>): readonly string[] {
  return [...(/^x?der2_([cis]*)Refset_/i.exec(baseName(name))?.[1] ?? '').toLowerCase()];
}

/** The date at the end of the name of a file; undefined for none. */
export function dateOf({ name }: Pick<ReleaseFile, 'name'>): string | undefined {
  return /_(\d{8})\.txt$/i.exec(name)?.[1];
}

function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
