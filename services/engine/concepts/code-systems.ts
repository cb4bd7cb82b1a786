// The catalog of code systems that are canonical libraries. A library is one version of a code system, and its concepts
// are the codes (decisions E5, E6). Changes are collected, and merged into the columns at the next use. The changes of
// a large library are merged in a thread. Until that is done, the old columns are used.
import { type Catalog, type CodeSystemDefinition, catalogFrom } from '#fhir/terminology/catalog/catalog.ts';
import { laterOfficialCatalog } from '#fhir/terminology/catalog/official.ts';
import { catalogOf } from '#fhir/terminology/catalog/table-catalog.ts';
import type { Json } from '#fhir/terminology/json.ts';
import { changeInThread } from '#fhir/terminology/model/build.ts';
import { CodeSystemModel, type Columns } from '#fhir/terminology/model/code-system-model.ts';
import { changedConcepts, conceptsOf } from '#fhir/terminology/model/flat-concepts.ts';
import { readCodeSystemMeta, readColumns } from '#fhir/terminology/model/read-code-system.ts';
import type { CodeKey, ConceptRow, LibraryRow } from './code-system-store.ts';
import { isExternalSystem } from './external-systems.ts';

export interface LibraryCodeSystems {
  readonly catalog: Catalog;
  putLibrary(library: LibraryRow): void;
  removeLibrary(guid: string): void;
  putConcept(concept: ConceptRow): void;
  removeConcept(key: CodeKey): void;
  /** Merges all pending changes, also those that arrive meanwhile. @throws the reason of `signal` when it is aborted */
  settle(signal: AbortSignal): Promise<void>;
}

/** Changes by code; undefined when the code is deleted. */
type Changes = Map<string, Json | undefined>;

interface Library {
  row: LibraryRow;
  /** The columns in use; undefined before the first read. */
  read: { readonly columns: Columns; readonly model: CodeSystemModel } | undefined;
  /** The changes since, and those of them that are being merged. */
  pending: Changes;
  underway: Changes | undefined;
  /** Whether its name, url or version differs from that of its columns. */
  isStale: boolean;
}

/** Up to this number of concepts a merge takes a few milliseconds. */
const LARGE = 4_000;

export function createLibraryCodeSystems(): LibraryCodeSystems {
  const libraries = new Map<string, Library>();
  let generation = 0;
  let current: Catalog | undefined;
  const changed = (): void => {
    generation += 1;
    current = undefined;
  };
  const latest = (): Catalog => {
    const codeSystems = () => [...libraries.values()].filter(hasCodes).map(definitionOf);
    current ??= catalogOf({ codeSystems: codeSystems(), valueSets: [], conceptMaps: [] });
    return current;
  };
  const change = ({ library: guid, code }: CodeKey, concept: Json | undefined): void => {
    const library = libraries.get(guid);
    library?.pending.set(code, concept);
    // Values computed from the columns are valid as long as the columns are in use.
    if (library === undefined || !isLarge(library)) changed();
  };
  return {
    catalog: catalogFrom(() => generation, latest),
    putLibrary: (row) => {
      const known = libraries.get(row.guid);
      if (known === undefined) libraries.set(row.guid, newLibrary(row));
      else Object.assign(known, { row, isStale: true });
      changed();
    },
    removeLibrary: (guid) => {
      if (libraries.delete(guid)) changed();
    },
    putConcept: (concept) => change(concept, conceptJson(concept)),
    removeConcept: (key) => change(key, undefined),
    settle: async (signal) => {
      const isWaiting = (library: Library) => isLarge(library) && library.pending.size > 0;
      // Libraries take turns, so that one with constant changes does not block the others.
      while (libraries.values().some(isWaiting)) {
        for (const library of libraries.values().filter(isWaiting)) {
          await mergeChanges(library, signal);
          changed();
        }
      }
      for (const library of libraries.values()) if (library.read === undefined) modelOf(library);
    },
  };
}

function newLibrary(row: LibraryRow): Library {
  return { row, read: undefined, pending: new Map(), underway: undefined, isStale: false };
}

function isLarge({ read, pending, underway }: Library): boolean {
  return underway !== undefined || (read?.model.size ?? 0) + pending.size > LARGE;
}

/** A library without concepts does not hide another definition of its code system. */
function hasCodes(library: Library): boolean {
  const model = library.read?.model;
  let size = model?.size ?? 0;
  if (isLarge(library)) return size > 0;
  for (const [code, concept] of library.pending) {
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

/** Returns the columns to use now. Pending changes of a library that is not large are merged first. */
function modelOf(library: Library): CodeSystemModel {
  const { row, read, pending } = library;
  if (read === undefined || (pending.size > 0 && !isLarge(library))) {
    const taken = isLarge(library) ? new Map() : pending;
    const columns = readColumns({ ...headOf(row), concept: changedConcepts(read?.model, taken) });
    taken.clear();
    return useColumns(library, columns);
  }
  return library.isStale ? useColumns(library, read.columns) : read.model;
}

function useColumns(library: Library, columns: Columns | undefined): CodeSystemModel {
  // The url may have changed while the columns were built.
  const meta = readCodeSystemMeta(headOf(library.row));
  if (columns === undefined || meta === undefined) throw new Error(`The library ${library.row.guid} has no URL`);
  const named = { ...columns, head: { ...columns.head, meta } };
  const model = new CodeSystemModel(named);
  library.read = { columns: named, model };
  library.isStale = false;
  return model;
}

/** Merges the changes in a thread. If that fails, they stay pending. */
async function mergeChanges(library: Library, signal: AbortSignal): Promise<void> {
  const taken = library.pending;
  library.underway = taken;
  library.pending = new Map();
  try {
    const { columns } = await changeInThread(
      { head: headOf(library.row), columns: library.read?.columns, changes: taken },
      signal,
    );
    useColumns(library, columns);
  } catch (error) {
    library.pending = new Map([...taken, ...library.pending]);
    throw error;
  } finally {
    library.underway = undefined;
  }
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
    content: isFragment(url) ? 'fragment' : 'complete',
  };
}

/** A library may contain only a part of a code system that others publish, such as LOINC or SNOMED CT. */
function isFragment(url: string): boolean {
  if (isExternalSystem(url)) return true;
  const published = laterOfficialCatalog.codeSystems(url);
  return published.length > 0 && published.every((each) => each.resource()['content'] !== 'complete');
}
