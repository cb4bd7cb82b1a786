// Builds the matches of a code from the elements and targets of a concept map, in both directions.
import type { Canonical } from '../catalog/catalog.ts';
import type { Coding } from '../model/code-system-model.ts';
import { codingsOf } from './codings.ts';
import type { ConceptMapModel, MapElement, MapTarget } from './concept-map-model.ts';
import { fulfilmentOf } from './dependencies.ts';
import { type MappingContext, type Match, originOf } from './mapping-context.ts';

/** The destination of a translation: the targets, or in reverse the elements. */
export interface Destination {
  readonly place: MapElement | MapTarget;
  readonly system: Canonical | undefined;
}

/**
 * The matches of a destination; none when the request contradicts the target's dependencies.
 * @throws TerminologyError `too-costly`
 */
export function matchesOf(
  target: MapTarget,
  { place, system }: Destination,
  { map, context }: { readonly map: ConceptMapModel; readonly context: MappingContext },
): Match[] {
  const fulfilment = fulfilmentOf(target, context);
  if (fulfilment === 'contradicted') return [];
  return conceptsOf(place, system, context).map((concept) => ({
    concept,
    relationship: target.relationship,
    target,
    originMap: originOf(map),
    isConditional: fulfilment === 'unknown',
  }));
}

/** The code itself, or all those of its value set. */
function conceptsOf(
  { code, display, valueSet }: MapElement | MapTarget,
  system: Canonical | undefined,
  context: MappingContext,
): Coding[] {
  if (code !== undefined) return [{ system: system?.url, version: system?.version, code, display }];
  const content = valueSet === undefined ? undefined : context.codesOf(valueSet);
  return content === undefined ? [] : codingsOf(content, system?.url);
}
