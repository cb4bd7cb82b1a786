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
  const sourceOf = (member: number): number => refsets.placeOf(member);
  const targetPlace = (member: number): number => refsets.targetOf(refset, member, column);
  const index = indexOf(refset, { sourceOf, targetPlace });
  const membersOf = (code: string, of: Float64Array): number[] => {
    const place = model.find(code);
    return place === -1 ? [] : membersAt(of, place).map((at) => refset.start + at);
  };
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
    byCode: { get: (code) => listOrNone(membersOf(code, index.sources).map(elementOf)) },
    ofValueSets: [],
    byTarget: { get: (code) => listOrNone(membersOf(code, index.targets).flatMap((each) => pairsOf(elementOf(each)))) },
    toValueSets: [],
    unmapped: undefined,
  };
}

interface MemberIndex {
  readonly sources: Float64Array;
  readonly targets: Float64Array;
}

/** A request may have many codings: members are found by a search among sorted numbers. */
const indexes = new WeakMap<Refset, MemberIndex>();
/** The most members of a reference set in an index. */
const MEMBERS = 2 ** 22;

function indexOf(
  refset: Refset,
  places: { readonly sourceOf: (member: number) => number; readonly targetPlace: (member: number) => number },
): MemberIndex {
  const known = indexes.get(refset);
  if (known !== undefined) return known;
  const count = Math.min(MEMBERS, refset.end - refset.start);
  const sorted = (placeOf: (member: number) => number): Float64Array =>
    Float64Array.from({ length: count }, (_, at) => placeOf(refset.start + at) * MEMBERS + at).sort();
  const found = { sources: sorted(places.sourceOf), targets: sorted(places.targetPlace) };
  indexes.set(refset, found);
  return found;
}

/** The members of the place, as numbers from the first one of the reference set. */
function membersAt(index: Float64Array, place: number): number[] {
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((index[middle] ?? 0) < place * MEMBERS) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let at = low; at < index.length && (index[at] ?? 0) < (place + 1) * MEMBERS; at += 1)
    found.push((index[at] ?? 0) - place * MEMBERS);
  return found;
}

function listOrNone<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function pairsOf(element: MapElement): MapPair[] {
  return element.targets.map((target) => ({ element, target }));
}

const NO_ELEMENT = { valueSet: undefined, display: undefined, isWithoutMap: false };
const NO_TARGET = { valueSet: undefined, display: undefined, properties: [], dependsOn: [], products: [] };
