// The code systems of canonical libraries, as a catalog: a library is one version of a code system, its concepts are the codes (decisions E5,
// E6). What changes is noted when it comes, and worked into the columns when somebody next asks.
import { type Catalog, type CodeSystemDefinition, catalogFrom } from '#lib/terminology/catalog/catalog.ts';
import { laterOfficialCatalog } from '#lib/terminology/catalog/official.ts';
import { asCodeSystem, catalogOf } from '#lib/terminology/catalog/table-catalog.ts';
import type { Json } from '#lib/terminology/json.ts';
import type { CodeSystemModel } from '#lib/terminology/model/code-system-model.ts';
import type { CodeKey, ConceptRow, LibraryRow } from './code-system-store.ts';
import { isExternalSystem } from './external-systems.ts';

export interface LibraryCodeSystems {
  readonly catalog: Catalog;
  putLibrary(library: LibraryRow): void;
  removeLibrary(guid: string): void;
  putConcept(concept: ConceptRow): void;
  removeConcept(key: CodeKey): void;
  /** Works in what has come, so that nobody waits for it who asks. */
  settle(): void;
}

interface Library {
  row: LibraryRow;
  model: CodeSystemModel | undefined;
  /** Codes that have come or gone since the model was made. */
  readonly pending: Map<string, Json | undefined>;
  isStale: boolean;
}

export function createLibraryCodeSystems(): LibraryCodeSystems {
  const libraries = new Map<string, Library>();
  let generation = 0;
  let current: Catalog | undefined;
  const changed = (): void => {
    generation += 1;
    current = undefined;
  };
  const latest = (): Catalog => {
    current ??= catalogOf({
      codeSystems: [...libraries.values()].filter(holdsCodes).map(definitionOf),
      valueSets: [],
      conceptMaps: [],
    });
    return current;
  };
  const change = ({ library, code }: CodeKey, concept: Json | undefined): void => {
    libraries.get(library)?.pending.set(code, concept);
    changed();
  };
  return {
    catalog: catalogFrom(() => generation, latest),
    putLibrary: (row) => {
      const known = libraries.get(row.guid);
      if (known === undefined) libraries.set(row.guid, { row, model: undefined, pending: new Map(), isStale: true });
      else Object.assign(known, { row, isStale: true });
      changed();
    },
    removeLibrary: (guid) => {
      if (libraries.delete(guid)) changed();
    },
    putConcept: (concept) => change(concept, conceptJson(concept)),
    removeConcept: (key) => change(key, undefined),
    settle: () => {
      for (const library of libraries.values()) modelOf(library);
    },
  };
}

/** One without concepts hides nothing that is known of its code system otherwise. */
function holdsCodes({ model, pending }: Library): boolean {
  let size = model?.size ?? 0;
  for (const [code, concept] of pending) {
    if (model !== undefined && model.find(code) !== -1) size -= 1;
    if (concept !== undefined) size += 1;
  }
  return size > 0;
}

function conceptJson({ code, name, display, definition }: ConceptRow): Json {
  const isNamedOtherwise = display !== null && display !== name;
  return {
    code,
    display: display ?? name,
    ...(definition === null ? {} : { definition }),
    ...(isNamedOtherwise ? { designation: [{ value: name }] } : {}),
  };
}

function definitionOf(library: Library): CodeSystemDefinition {
  const { guid, url, version, name } = library.row;
  return {
    url,
    version: version ?? undefined,
    id: guid,
    status: 'active',
    name: undefined,
    title: name,
    supplements: undefined,
    resource: () => ({ ...headOf(library.row), concept: conceptsOf(modelOf(library)) }),
    model: () => modelOf(library),
  };
}

function modelOf(library: Library): CodeSystemModel {
  const { row, model, pending, isStale } = library;
  if (model !== undefined && pending.size === 0 && !isStale) return model;
  const kept = model === undefined ? [] : conceptsOf(model).filter(({ code }) => !pending.has(String(code)));
  const concept = [...kept, ...pending.values().filter((each) => each !== undefined)].sort(byCode);
  const resource = { ...headOf(row), concept };
  const made = asCodeSystem({ ...definitionOf(library), resource: () => resource }).model();
  library.model = made;
  library.isStale = false;
  pending.clear();
  return made;
}

/** In the same order on every node. */
function byCode(a: Json, b: Json): number {
  return String(a['code']) < String(b['code']) ? -1 : 1;
}

function headOf({ guid, name, url, version, publisher, description }: LibraryRow): Json {
  return {
    resourceType: 'CodeSystem',
    id: guid,
    url,
    ...(version === null ? {} : { version }),
    title: name,
    status: 'active',
    ...(publisher === null ? {} : { publisher }),
    ...(description === null ? {} : { description }),
    caseSensitive: true,
    content: isPartOfAnother(url) ? 'fragment' : 'complete',
  };
}

/** A library may hold the part that is used of a system whose codes others publish: LOINC, SNOMED CT. */
function isPartOfAnother(url: string): boolean {
  if (isExternalSystem(url)) return true;
  const published = laterOfficialCatalog.codeSystems(url);
  return published.length > 0 && published.every((each) => each.resource()['content'] !== 'complete');
}

function conceptsOf(model: CodeSystemModel): Json[] {
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
