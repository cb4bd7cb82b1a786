// StructureDefinition resources with their snapshots, for the operation $snapshot
// (hl7.org/fhir/R5/structuredefinition-operation-snapshot.html).
import type { JsonObject } from '../../validation/context.ts';
import type { CustomProfiles } from '../custom.ts';
import { officialStructure } from '../official.ts';
import { toElements } from './element-tree.ts';
import { createSnapshotLibrary } from './snapshot-library.ts';
import { readStructure } from './structure.ts';

export interface FilledDefinition {
  readonly definition: JsonObject;
  readonly problems: readonly string[];
}

/** A valid StructureDefinition with its snapshot; one that has a snapshot keeps it. */
export function fillSnapshot(definition: JsonObject, profiles: Pick<CustomProfiles, 'snapshotOf'>): FilledDefinition {
  const structure = readStructure(definition);
  if (structure === undefined)
    return { definition, problems: ['it is not the definition of a resource, data type or extension'] };
  if (structure.snapshot !== undefined) return { definition, problems: [] };
  const { elements, problems } = profiles.snapshotOf(structure);
  return { definition: { ...definition, snapshot: { element: elements } }, problems };
}

const library = createSnapshotLibrary(officialStructure);

/** An official definition with its snapshot, as a resource. */
export function officialDefinition(canonical: string): JsonObject | undefined {
  const structure = officialStructure(canonical);
  if (structure === undefined) return undefined;
  const { url, version, name, kind, type, baseDefinition, isProfile, context, differential } = structure;
  return {
    resourceType: 'StructureDefinition',
    url,
    ...(version === undefined ? {} : { version }),
    name: name.replaceAll(/[^A-Za-z0-9_]/g, '_'),
    status: 'active',
    kind,
    abstract: false,
    ...(context.length === 0 ? {} : { context }),
    type,
    ...(baseDefinition === undefined
      ? {}
      : { baseDefinition, derivation: isProfile ? 'constraint' : 'specialization' }),
    snapshot: { element: toElements(library.snapshotOf(structure).tree) },
    ...(differential === undefined ? {} : { differential: { element: differential } }),
  };
}
