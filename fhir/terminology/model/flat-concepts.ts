// A code system without a hierarchy, whose concepts come and go one by one: read back from its columns, with what has
// changed since.
import type { Json } from '../json.ts';
import type { CodeSystemModel } from './code-system-model.ts';

/** A code with its concept as it is now; undefined: gone. */
export type ConceptChange = readonly [code: string, concept: Json | undefined];

/** Its concepts as in a CodeSystem, without properties and the languages of designations. */
export function conceptsOf(model: CodeSystemModel): Json[] {
  return Array.from({ length: model.size }, (_, place) => {
    const [display, definition] = [model.display(place), model.definition(place)];
    const designation = model.designations(place).map(({ value }) => ({ value }));
    return {
      code: model.code(place),
      ...(display === undefined ? {} : { display }),
      ...(definition === undefined ? {} : { definition }),
      ...(designation.length === 0 ? {} : { designation }),
    };
  });
}

/** The same after the changes, in the order of the codes: on every node the same. */
export function changedConcepts(
  model: CodeSystemModel | undefined,
  changes: ReadonlyMap<string, Json | undefined>,
): Json[] {
  const kept = model === undefined ? [] : conceptsOf(model).filter(({ code }) => !changes.has(String(code)));
  // Sorting what is in order but for its end takes one look at each.
  return [...kept, ...changes.values().filter((each) => each !== undefined)].sort(byCode);
}

function byCode(a: Json, b: Json): number {
  return String(a['code']) < String(b['code']) ? -1 : 1;
}
