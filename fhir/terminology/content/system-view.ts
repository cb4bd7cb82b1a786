// A view of a code system: one version, with the designations and properties of the supplements that are asked for.
import type { Catalog, CodeSystemDefinition } from '../catalog/catalog.ts';
import { fitsVersion, pickVersion, splitCanonical } from '../catalog/catalog.ts';
import type { Json } from '../json.ts';
import { unknownSupplement } from '../messages.ts';
import type { CodeSystemModel, Designation, Property } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';

export interface SystemView {
  readonly model: CodeSystemModel;
  readonly supplements: readonly CodeSystemModel[];
}

const NO_SUPPLEMENTS: readonly string[] = [];

/**
 * The requested version of a code system with codes; undefined when unknown.
 * @param supplements canonicals of the supplements that are asked for
 */
export function viewOf(
  catalog: Catalog,
  url: string,
  version: string | undefined,
  supplements = NO_SUPPLEMENTS,
): SystemView | undefined {
  const found = pickVersion(catalog.codeSystems(url), version);
  return found === undefined ? undefined : viewOfDefinition(catalog, found, supplements);
}

export function viewOfDefinition(
  catalog: Catalog,
  definition: CodeSystemDefinition,
  supplements: readonly string[],
): SystemView {
  const model = definition.model();
  if (supplements.length === 0) return { model, supplements: [] };
  const asked = supplements.map(splitCanonical);
  const fitting = catalog.supplements(definition.url).filter((each) => {
    const extended = splitCanonical(each.supplements ?? '').version;
    const isOfVersion =
      extended === undefined || model.meta.version === undefined || fitsVersion(model.meta.version, extended);
    return isOfVersion && asked.some(({ url, version }) => each.url === url && isVersion(each.version, version));
  });
  return { model, supplements: fitting.map((each) => each.model()) };
}

function isVersion(version: string | undefined, asked: string | undefined): boolean {
  return asked === undefined || (version !== undefined && fitsVersion(version, asked));
}

/** @throws TerminologyError with the issue type, naming a supplement that is not known here */
export function requireSupplements(
  catalog: Catalog,
  canonicals: readonly string[],
  issue: 'not-found' | 'business-rule',
): void {
  for (const canonical of canonicals) {
    const { url, version } = splitCanonical(canonical);
    const isThere = catalog
      .list('CodeSystem')
      .some((each) => each.url === url && each.supplements !== undefined && isVersion(each.version, version));
    if (!isThere) throw new TerminologyError(issue, unknownSupplement(canonical), 'not-found');
  }
}

/**
 * The system's own designations and those of its supplements; a supplement's display is one in the supplement's
 * language.
 */
export function designationsOf({ model, supplements }: SystemView, place: number): Designation[] {
  const own = model.designations(place);
  if (supplements.length === 0) return own;
  const code = model.code(place);
  const added = supplements.flatMap((supplement) => {
    const found = supplement.find(code);
    if (found === -1) return [];
    const source = canonicalOf(supplement);
    const display = supplement.display(found);
    const { language } = supplement.meta;
    const named = display === undefined ? [] : [{ language, use: undefined, value: display, source }];
    return [...named, ...supplement.designations(found).map((each) => ({ ...each, source }))];
  });
  return [...own, ...added];
}

function canonicalOf({ meta: { url, version } }: CodeSystemModel): string {
  return version === undefined ? url : `${url}|${version}`;
}

/** The attributes of SNOMED CT are among them. */
export function propertiesOf({ model, supplements }: SystemView, place: number): Property[] {
  const own = model.properties(place);
  if (supplements.length === 0) return own;
  return [...own, ...addedProperties({ model, supplements }, place)];
}

/** The properties that supplements add. */
export function addedProperties({ model, supplements }: SystemView, place: number): Property[] {
  const code = model.code(place);
  return supplements.flatMap((each) => {
    const found = each.find(code);
    return found === -1 ? [] : each.properties(found);
  });
}

/** The extensions of the concept, those of the supplements first. */
export function extensionsAt({ model, supplements }: SystemView, place: number): Json[] {
  const own = model.extensions(place);
  if (supplements.length === 0) return own;
  const code = model.code(place);
  return [...supplements.flatMap((each) => (each.find(code) === -1 ? [] : each.extensions(each.find(code)))), ...own];
}
