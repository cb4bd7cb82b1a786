// A view of a code system: one version, with the designations and properties of its supplements.
import type { Catalog } from '../catalog/catalog.ts';
import { fitsVersion, pickVersion, splitCanonical } from '../catalog/catalog.ts';
import type { CodeSystemModel, Designation, Property } from '../model/code-system-model.ts';

export interface SystemView {
  readonly model: CodeSystemModel;
  readonly supplements: readonly CodeSystemModel[];
}

/** The requested version of a code system with codes; undefined when unknown. */
export function viewOf(catalog: Catalog, url: string, version: string | undefined): SystemView | undefined {
  const model = pickVersion(catalog.codeSystems(url), version)?.model();
  if (model === undefined) return undefined;
  const supplements = catalog
    .supplements(url)
    .filter((each) => {
      const wanted = splitCanonical(each.supplements ?? '').version;
      return wanted === undefined || model.meta.version === undefined || fitsVersion(model.meta.version, wanted);
    })
    .map((each) => each.model());
  return { model, supplements };
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
    const display = supplement.display(found);
    const { language } = supplement.meta;
    const named = display === undefined ? [] : [{ language, use: undefined, value: display }];
    return [...named, ...supplement.designations(found)];
  });
  return [...own, ...added];
}

export function propertiesOf({ model, supplements }: SystemView, place: number): Property[] {
  const own = model.properties(place);
  if (supplements.length === 0) return own;
  const code = model.code(place);
  return [...own, ...supplements.flatMap((each) => (each.find(code) === -1 ? [] : each.properties(each.find(code))))];
}
