// Implicit concept maps of SNOMED CT: the historical associations of a reference set, from inactive concepts to those
// in their place (hl7.org/fhir/R5/snomedct.html).
import { type Catalog, fitsVersion, pickVersion } from '../catalog/catalog.ts';
import { SNOMED } from '../content/snomed-filter.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import type { Refset } from '../model/snomed/refsets.ts';
import type { ConceptMapModel, MapElement, MapGroup, MapPair, MapTarget } from './concept-map-model.ts';

const URL_FORM = /^http:\/\/snomed\.info\/x?sct(\/\d+(?:\/version\/\d+)?)?\?fhir_cm=(\d+)$/;

/** Relationships of the reference sets, from the source to the target; any other one is `related-to`. */
const RELATIONSHIPS: Readonly<Record<string, string>> = {
  // Same as, replaced by.
  '900000000000527005': 'equivalent',
  '900000000000526001': 'equivalent',
  // Was a.
  '900000000000528000': 'source-is-narrower-than-target',
};

const TARGET = 'targetComponentId';

/** The map of the URL; undefined for another URL, and where the associations are not known. */
export function historicalMap(catalog: Catalog, url: string, version: string | undefined): ConceptMapModel | undefined {
  const [, edition, code] = URL_FORM.exec(url) ?? [];
  if (code === undefined) return undefined;
  const wanted = edition === undefined ? undefined : `${SNOMED}${edition}`;
  const known = catalog
    .codeSystems(SNOMED)
    .filter((each) => wanted === undefined || (each.version !== undefined && fitsVersion(each.version, wanted)));
  const model = pickVersion(known, version)?.model();
  const refset = model?.refsets.find(code);
  if (model === undefined || refset === undefined || !refset.fields.includes(TARGET)) return undefined;
  return { url, version: model.meta.version, sourceScope: undefined, groups: [groupOf(model, refset)] };
}

function groupOf(model: CodeSystemModel, refset: Refset): MapGroup {
  const column = refset.fields.indexOf(TARGET);
  const { refsets } = model;
  const relationship = RELATIONSHIPS[refset.code] ?? 'related-to';
  /** The members of which the source, or the target, is the code: a scan of some tenths of a millisecond. */
  const membersOf = (code: string, placeOf: (member: number) => number): number[] => {
    const place = model.find(code);
    const found: number[] = [];
    if (place === -1) return found;
    for (let member = refset.start; member < refset.end; member += 1) if (placeOf(member) === place) found.push(member);
    return found;
  };
  const sourceOf = (member: number): number => refsets.placeOf(member);
  const targetPlace = (member: number): number => refsets.targetOf(refset, member, column);
  const targetOf = (member: number): MapTarget[] => {
    const place = targetPlace(member);
    return place === -1 ? [] : [{ ...NO_TARGET, code: model.code(place), relationship }];
  };
  const elementOf = (member: number): MapElement => ({
    ...NO_ELEMENT,
    code: model.code(sourceOf(member)),
    targets: targetOf(member),
  });
  return {
    source: { url: SNOMED, version: undefined },
    target: { url: SNOMED, version: undefined },
    byCode: { get: (code) => listOrNone(membersOf(code, sourceOf).map(elementOf)) },
    ofValueSets: [],
    byTarget: { get: (code) => listOrNone(membersOf(code, targetPlace).flatMap((each) => pairsOf(elementOf(each)))) },
    toValueSets: [],
    unmapped: undefined,
  };
}

function listOrNone<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function pairsOf(element: MapElement): MapPair[] {
  return element.targets.map((target) => ({ element, target }));
}

const NO_ELEMENT = { valueSet: undefined, display: undefined, isWithoutMap: false };
const NO_TARGET = { valueSet: undefined, display: undefined, properties: [], dependsOn: [], products: [] };
