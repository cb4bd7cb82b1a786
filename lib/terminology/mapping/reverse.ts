// From a code of the target back to what a concept map makes it of. What a map does for codes that it does not list has no way back.
import type { Canonical } from '../catalog/catalog.ts';
import type { Coding } from '../model/code-system-model.ts';
import { codingsOf, isInContent } from './codings.ts';
import type { ConceptMapModel, MapElement, MapGroup, MapPair } from './concept-map-model.ts';
import { fulfilmentOf } from './dependencies.ts';
import { fitsSystem, type MappingContext, type Match, originOf } from './mapping-context.ts';

/** Undefined where no group of the map is about the code's system. @throws TerminologyFault `too-costly` */
export function translateReverse(map: ConceptMapModel, coding: Coding, context: MappingContext): Match[] | undefined {
  const target: Canonical = { url: coding.system ?? '', version: coding.version };
  const groups = map.groups.filter(
    (group) =>
      fitsSystem(group.target, target) && (context.system === undefined || fitsSystem(group.source, context.system)),
  );
  if (groups.length === 0) return undefined;
  return groups.flatMap((group) =>
    pairsOf(group, coding, context).flatMap((pair) => matchesOf(pair, group, { map, context })),
  );
}

function pairsOf(group: MapGroup, coding: Coding, context: MappingContext): readonly MapPair[] {
  const ofSets = group.toValueSets.filter(({ target }) => {
    const content = context.codesOf(target.valueSet ?? '');
    return content !== undefined && isInContent(content, coding);
  });
  return [...(group.byTarget.get(coding.code ?? '') ?? []), ...ofSets];
}

function matchesOf(
  { element, target }: MapPair,
  { source }: MapGroup,
  { map, context }: { readonly map: ConceptMapModel; readonly context: MappingContext },
): Match[] {
  const fulfilment = fulfilmentOf(target, context);
  if (fulfilment === 'contradicted') return [];
  return conceptsOf(element, source, context).map((concept) => ({
    concept,
    relationship: target.relationship,
    target,
    originMap: originOf(map),
    isConditional: fulfilment === 'unknown',
  }));
}

/** The element's code, or all those of its value set. */
function conceptsOf(
  { code, display, valueSet }: MapElement,
  source: Canonical | undefined,
  context: MappingContext,
): Coding[] {
  if (code !== undefined) return [{ system: source?.url, version: source?.version, code, display }];
  const content = valueSet === undefined ? undefined : context.codesOf(valueSet);
  return content === undefined ? [] : codingsOf(content, source?.url);
}
