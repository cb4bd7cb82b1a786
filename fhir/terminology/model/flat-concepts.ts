// Changes single concepts of a code system without a hierarchy: its concepts are read back from the columns and merged
// with the changes.
import type { Json } from '../json.ts';
import type { CodeSystemModel } from './code-system-model.ts';

/** A code with its new concept; undefined when it was removed. */
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

/** The concepts after the changes, sorted by code, so that every node has the same order. */
export function changedConcepts(
  model: CodeSystemModel | undefined,
  changes: ReadonlyMap<string, Json | undefined>,
): Json[] {
  const kept = model === undefined ? [] : conceptsOf(model).filter(({ code }) => !changes.has(String(code)));
  // Sorting a list that is sorted except at its end takes linear time.
  return [...kept, ...changes.values().filter((each) => each !== undefined)].sort(byCode);
}

function byCode(a: Json, b: Json): number {
  return String(a['code']) < String(b['code']) ? -1 : 1;
}
