// Computes the result of $snapshot for a definition in a body or a stored text. It is pure, and runs in a worker thread
// where there is one, since a profile of many slices takes seconds (docs/adr/0062).

import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import type { FilledDefinition } from '#fhir/profiles/snapshot/snapshot-resource.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { hasErrors } from '#fhir/validation/validate.ts';
import type { Issue } from '#lib/errors.ts';

export type SnapshotResult =
  /** JSON text of the definition with its snapshot. */
  | { readonly kind: 'filled'; readonly text: string }
  | { readonly kind: 'refused'; readonly issues: readonly Issue[] }
  /** There is no definition; Parameters may name one by its url. */
  | { readonly kind: 'named'; readonly url: string | undefined };

export interface SnapshotFunctions {
  readonly validate: (definition: JsonObject) => readonly Issue[];
  readonly fill: (definition: JsonObject) => FilledDefinition;
}

/** UTF-16 units: as much as a resource may have. */
const LONGEST = 10 * 1024 * 1024;

/** Of a StructureDefinition, or of the Parameters that hold or name one. */
export function createSnapshot({ resourceType, resource }: ResourceText, means: SnapshotFunctions): SnapshotResult {
  if (resourceType === 'StructureDefinition') return filled(resource, means);
  const given: unknown = resourceType === 'Parameters' ? resource['parameter'] : undefined;
  const parameters = Array.isArray(given) ? given.filter(isJsonObject) : [];
  const definition = parameters.find(({ name }) => name === 'definition')?.['resource'];
  if (isJsonObject(definition)) return filled(definition, means);
  const named = parameters.find(({ name }) => name === 'url');
  const url = named?.['valueUri'] ?? named?.['valueCanonical'] ?? named?.['valueString'];
  return { kind: 'named', url: typeof url === 'string' ? url : undefined };
}

function filled(given: JsonObject, { validate, fill }: SnapshotFunctions): SnapshotResult {
  const issues = validate(given);
  if (hasErrors(issues)) return { kind: 'refused', issues };
  const { definition, problems } = fill(given);
  const unfilled = problems.map((message) => ({ message, field: 'StructureDefinition.differential', code: 'invalid' }));
  if (unfilled.length > 0) return { kind: 'refused', issues: unfilled };
  const text = JSON.stringify(definition);
  if (text.length <= LONGEST) return { kind: 'filled', text };
  const message = `The definition with its snapshot has more than ${LONGEST / 1024 / 1024} MiB`;
  return { kind: 'refused', issues: [{ message, code: 'too-costly' }] };
}
