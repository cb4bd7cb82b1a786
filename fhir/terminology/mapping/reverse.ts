// Translates a target code to the source codes of a concept map. `unmapped` rules have no reverse translation.
import type { Canonical } from '../catalog/catalog.ts';
import type { Coding } from '../model/code-system-model.ts';
import { isInContent } from './codings.ts';
import type { ConceptMapModel, MapGroup, MapPair } from './concept-map-model.ts';
import { fitsSystem, type MappingContext, type Match } from './mapping-context.ts';
import { matchesOf } from './matches.ts';

/** The matches; undefined when no group of the map has the code's system. @throws TerminologyError `too-costly` */
export function translateReverse(map: ConceptMapModel, coding: Coding, context: MappingContext): Match[] | undefined {
  const target: Canonical = { url: coding.system ?? '', version: coding.version };
  const groups = map.groups.filter(
    (group) =>
      fitsSystem(group.target, target) && (context.system === undefined || fitsSystem(group.source, context.system)),
  );
  if (groups.length === 0) return undefined;
  return groups.flatMap((group) =>
    pairsOf(group, coding, context).flatMap(({ element, target: reached }) =>
      matchesOf(reached, { place: element, system: group.source }, { map, context }),
    ),
  );
}

function pairsOf(group: MapGroup, coding: Coding, context: MappingContext): readonly MapPair[] {
  const ofSets = group.toValueSets.filter(({ target }) => {
    const content = context.codesOf(target.valueSet ?? '');
    return content !== undefined && isInContent(content, coding);
  });
  return [...(group.byTarget.get(coding.code ?? '') ?? []), ...ofSets];
}
