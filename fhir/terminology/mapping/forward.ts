// Translates a source code to the target codes of a concept map, with its `unmapped` rules for codes that it does not
// list.
import type { Canonical } from '../catalog/catalog.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { isInContent } from './codings.ts';
import type { ConceptMapModel, MapElement, MapGroup, MapTarget, Unmapped } from './concept-map-model.ts';
import { fitsSystem, type MappingContext, type Match, originOf } from './mapping-context.ts';
import { matchesOf } from './matches.ts';

/** The longest chain of `other-map` references. */
const MAX_MAPS = 20;

/**
 * The matches; undefined when no group of the map has the code's system.
 * @throws TerminologyError `too-costly`, `invalid`, `not-found`
 */
export function translateForward(
  map: ConceptMapModel,
  coding: Coding,
  context: MappingContext,
  path: readonly ConceptMapModel[] = [],
): Match[] | undefined {
  if (path.includes(map)) {
    throw new TerminologyError('invalid', `the concept map ${originOf(map)} leads back to itself`, 'vs-invalid');
  }
  if (path.length >= MAX_MAPS)
    throw new TerminologyError('too-costly', `more than ${MAX_MAPS} concept maps follow each other`);
  const source: Canonical = { url: coding.system ?? '', version: coding.version };
  const groups = map.groups.filter((group) => fitsSystem(group.source, source));
  if (groups.length === 0) return undefined;
  return groups.flatMap((group) => ofGroup(group, coding, { map, context, path: [...path, map] }));
}

/**
 * Whether the map's source scope includes a code that it does not list. A scope that cannot be computed here includes
 * all codes.
 */
function isInScope({ sourceScope }: ConceptMapModel, coding: Coding, context: MappingContext): boolean {
  const content = sourceScope === undefined ? undefined : context.codesOf(sourceScope);
  return content === undefined || isInContent(content, coding);
}

interface Mapping {
  readonly map: ConceptMapModel;
  readonly context: MappingContext;
  readonly path: readonly ConceptMapModel[];
}

function ofGroup(group: MapGroup, coding: Coding, mapping: Mapping): Match[] {
  const elements = elementsOf(group, coding, mapping.context);
  if (elements.some(({ isWithoutMap }) => isWithoutMap)) return [];
  const found = elements.flatMap(({ targets }) => targets.flatMap((target) => ofTarget(target, group, mapping)));
  if (found.length > 0 || group.unmapped === undefined) return isRequestedTarget(group, mapping) ? found : [];
  return unmapped(group.unmapped, { group, coding }, mapping);
}

/** Groups without a target system are included: their other maps may have that system. */
function isRequestedTarget({ target }: MapGroup, { context }: Mapping): boolean {
  return context.system === undefined || fitsSystem(target, context.system);
}

/** An element for the code takes precedence over one for a value set that includes it. */
function elementsOf(group: MapGroup, coding: Coding, context: MappingContext): readonly MapElement[] {
  const own = group.byCode.get(coding.code ?? '');
  if (own !== undefined) return own;
  return group.ofValueSets.filter(({ valueSet }) => {
    const content = context.codesOf(valueSet ?? '');
    return content !== undefined && isInContent(content, coding);
  });
}

function ofTarget(target: MapTarget, group: MapGroup, mapping: Mapping): Match[] {
  return matchesOf(target, { place: target, system: group.target }, mapping);
}

function unmapped(
  { mode, target, otherMap }: Unmapped,
  { group, coding }: { readonly group: MapGroup; readonly coding: Coding },
  mapping: Mapping,
): Match[] {
  if (!isInScope(mapping.map, coding, mapping.context)) return [];
  switch (mode) {
    case 'other-map': {
      const other = otherMap === undefined ? undefined : mapping.context.mapOf(otherMap);
      if (other === undefined) {
        throw new TerminologyError(
          'not-found',
          `the concept map ${otherMap} is not known here, to which ${originOf(mapping.map)} leads`,
          'not-found',
        );
      }
      return translateForward(other, coding, mapping.context, mapping.path) ?? [];
    }
    case 'use-source-code': {
      const { code, display } = coding;
      return isRequestedTarget(group, mapping)
        ? ofTarget({ ...target, code, display, valueSet: undefined }, group, mapping)
        : [];
    }
    case 'fixed':
      return isRequestedTarget(group, mapping) ? ofTarget(target, group, mapping) : [];
    default:
      return [];
  }
}
