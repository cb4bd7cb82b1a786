// The code systems of canonical libraries, as a catalog: a library is one version of a code system, its concepts are
// the codes (decisions E5, E6). What changes is noted when it comes, and worked into the columns when somebody next
// asks; of a large library in a thread of its own, and until that is done the columns answer as they were.
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
  /** Works in all that has come, and what comes meanwhile. @throws the reason of `signal` when it is aborted */
  settle(signal: AbortSignal): Promise<void>;
}

/** Changes by code; undefined: gone. */
type Changes = Map<string, Json | undefined>;

interface Library {
  row: LibraryRow;
  /** What answers; undefined before anything has been read. */
  read: { readonly columns: Columns; readonly model: CodeSystemModel } | undefined;
  /** What has come or gone since, and what of it is being worked in. */
  pending: Changes;
  underway: Changes | undefined;
  /** Whether its name, address or version is another than its columns say. */
  isStale: boolean;
}

/** Working in a change takes a few milliseconds for so many concepts. */
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
    const codeSystems = () => [...libraries.values()].filter(holdsCodes).map(definitionOf);
    current ??= catalogOf({ codeSystems: codeSystems(), valueSets: [], conceptMaps: [] });
    return current;
  };
  const change = ({ library: guid, code }: CodeKey, concept: Json | undefined): void => {
    const library = libraries.get(guid);
    library?.pending.set(code, concept);
    // What is computed from the columns holds as long as they answer.
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
      // One after the other in turn: one that changes all the time keeps nobody from being worked in.
      while (libraries.values().some(isWaiting)) {
        for (const library of libraries.values().filter(isWaiting)) {
          await workIn(library, signal);
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

/** One without concepts hides nothing that is known of its code system otherwise. */
function holdsCodes(library: Library): boolean {
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

/** What answers now; of a library that is not large with all that has come. */
function modelOf(library: Library): CodeSystemModel {
  const { row, read, pending } = library;
  if (read === undefined || (pending.size > 0 && !isLarge(library))) {
    const taken = isLarge(library) ? new Map() : pending;
    const columns = readColumns({ ...headOf(row), concept: changedConcepts(read?.model, taken) });
    taken.clear();
    return answerBy(library, columns);
  }
  return library.isStale ? answerBy(library, read.columns) : read.model;
}

function answerBy(library: Library, columns: Columns | undefined): CodeSystemModel {
  // Its address may have changed while the columns were made.
  const meta = readCodeSystemMeta(headOf(library.row));
  if (columns === undefined || meta === undefined) throw new Error(`The library ${library.row.guid} has no URL`);
  const named = { ...columns, head: { ...columns.head, meta } };
  const model = new CodeSystemModel(named);
  library.read = { columns: named, model };
  library.isStale = false;
  return model;
}

/** What has come is worked in aside; should that fail, it waits to be worked in again. */
async function workIn(library: Library, signal: AbortSignal): Promise<void> {
  const taken = library.pending;
  library.underway = taken;
  library.pending = new Map();
  try {
    const { columns } = await changeInThread(
      { head: headOf(library.row), columns: library.read?.columns, changes: taken },
      signal,
    );
    answerBy(library, columns);
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
    content: isPartOfAnother(url) ? 'fragment' : 'complete',
  };
}

/** A library may hold the part that is used of a system whose codes others publish: LOINC, SNOMED CT. */
function isPartOfAnother(url: string): boolean {
  if (isExternalSystem(url)) return true;
  const published = laterOfficialCatalog.codeSystems(url);
  return published.length > 0 && published.every((each) => each.resource()['content'] !== 'complete');
}
