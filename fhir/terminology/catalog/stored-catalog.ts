// A catalog of users' stored definitions, which change while it is used.
import type { Json } from '../json.ts';
import { CodeSystemModel, type Columns } from '../model/code-system-model.ts';
import {
  type Catalog,
  type CodeSystemDefinition,
  catalogFrom,
  DEFINITION_TYPES,
  type Definition,
  type DefinitionType,
  describe,
} from './catalog.ts';
import { asCodeSystem, type CatalogEntries, catalogOf, wholeOf } from './table-catalog.ts';

export interface StoredCatalog {
  readonly catalog: Catalog;
  /**
   * Sets the resource of a key. Of a code system only the columns are kept: the given ones, or those built from its
   * concepts.
   */
  put(key: string, resource: Json, columns?: Columns): void;
  remove(key: string): void;
}

type Entry = Definition | CodeSystemDefinition;

export function createStoredCatalog(): StoredCatalog {
  const entries = new Map<string, { readonly type: DefinitionType; readonly definition: Entry }>();
  let generation = 0;
  let current = catalogOf({ codeSystems: [], valueSets: [], conceptMaps: [] });
  let isStale = false;
  const changed = (): void => {
    generation += 1;
    isStale = true;
  };
  const latest = (): Catalog => {
    if (isStale) current = catalogOf(listEntries([...entries.values()]));
    isStale = false;
    return current;
  };
  return {
    catalog: catalogFrom(() => generation, latest),
    put: (key, resource, columns) => {
      const type = DEFINITION_TYPES.find((each) => each === resource['resourceType']);
      const definition = type === undefined ? undefined : entryOf(type, resource, columns);
      if (type === undefined || definition === undefined) entries.delete(key);
      else entries.set(key, { type, definition });
      changed();
    },
    remove: (key) => {
      if (entries.delete(key)) changed();
    },
  };
}

function entryOf(type: DefinitionType, resource: Json, columns: Columns | undefined): Entry | undefined {
  const described = describe(resource);
  if (described === undefined) return undefined;
  if (type !== 'CodeSystem') return { ...described, resource: () => resource };
  if (columns !== undefined) {
    const model = new CodeSystemModel(columns);
    return { ...described, whole: wholeOf(resource), resource: () => resource, model: () => model };
  }
  // The columns are built now, so that no request waits for them; the text of the concepts is then released.
  const { model } = asCodeSystem({ ...described, resource: () => resource });
  const read = model();
  const { concept: _concept, ...head } = resource;
  return { ...described, whole: wholeOf(resource), resource: () => head, model: () => read };
}

function listEntries(
  entries: readonly { readonly type: DefinitionType; readonly definition: Entry }[],
): CatalogEntries {
  const ofType = (wanted: DefinitionType) =>
    entries.filter(({ type }) => type === wanted).map((each) => each.definition);
  return {
    codeSystems: ofType('CodeSystem').flatMap((each) => ('model' in each ? [each] : [])),
    valueSets: ofType('ValueSet'),
    conceptMaps: ofType('ConceptMap'),
  };
}
