// Keeps a node's copy of the concepts of canonical libraries up to date. They are codes of their library's code system
// (decisions E5, E6). The node polls every second for written concepts, from every writer, as it does for stored
// definitions (docs/adr/0017).

import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import { readPosition } from '#lib/db/change-table.ts';
import type { Database } from '#lib/db/database.ts';
import { createLoadedFollower, type LoadedFollower } from '#lib/jobs/follower.ts';
import type { Logger } from '#lib/log/logger.ts';
import {
  type CodeKey,
  readCodeChanges,
  readConcepts,
  readConceptsAfter,
  readLibraries,
  readLibraryChanges,
} from './code-system-store.ts';
import { createLibraryCodeSystems, type LibraryCodeSystems } from './code-systems.ts';

/** How many concepts one statement reads. */
const READ_AT_ONCE = 2_000;
const START: CodeKey = { library: '00000000-0000-0000-0000-000000000000', code: '' };

export interface ConceptNode extends LoadedFollower {
  readonly catalog: Catalog;
}

export function createConceptNode({ database, log }: { database: Database; log: Logger }): ConceptNode {
  const systems = createLibraryCodeSystems();
  /**
   * The transactions up to which changes of libraries and of concepts have been read; undefined before the first read.
   */
  let position: { readonly libraries: string; readonly codes: string } | undefined;
  const settling = createSettling(systems, log);
  const load = async (): Promise<void> => {
    if (position !== undefined) {
      position = await loadChanges(database, systems, position);
      // A writer of a concept of a large library does not wait until its columns are rebuilt.
      settling.begin();
      return;
    }
    const before = await readPosition(database, { table: 'concept_change' });
    await loadAll(database, systems);
    await settling.finish();
    position = { libraries: before, codes: before };
  };
  const follower = createLoadedFollower({ name: 'concepts', log, load });
  const stop = async (): Promise<void> => {
    await follower.stop();
    await settling.stop();
  };
  return { catalog: systems.catalog, ...follower, stop };
}

/** Merges the pending changes, one library after the other, until it is stopped. */
function createSettling(systems: LibraryCodeSystems, log: Logger) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const finish = (): Promise<void> => {
    running ??= systems.settle(stopping.signal).finally(() => {
      running = undefined;
    });
    return running;
  };
  const begin = (): void => {
    finish().catch((err: unknown) => {
      // Changes that are still pending are merged by the next poll.
      if (!stopping.signal.aborted) log.error({ event: 'concepts.settle_failed', err });
    });
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running?.catch(() => undefined);
  };
  return { finish, begin, stop };
}

async function loadAll(database: Database, systems: LibraryCodeSystems): Promise<void> {
  for (const library of await readLibraries(database)) systems.putLibrary(library);
  for (let last: CodeKey | undefined = START; last !== undefined; ) {
    const concepts = await readConceptsAfter(database, last, READ_AT_ONCE);
    for (const concept of concepts) systems.putConcept(concept);
    last = concepts.length < READ_AT_ONCE ? undefined : concepts.at(-1);
  }
}

/** Libraries are read first, because a concept belongs to a known library. */
async function loadChanges(
  database: Database,
  systems: LibraryCodeSystems,
  position: { readonly libraries: string; readonly codes: string },
): Promise<{ readonly libraries: string; readonly codes: string }> {
  // Changed codes are read before changed libraries, so that the library of each code is known.
  const { codes, position: codesPosition } = await readCodeChanges(database, position.codes);
  const libraries = await readLibraryChanges(database, position.libraries);
  if (libraries.keys.length > 0) {
    const found = await readLibraries(database, libraries.keys);
    for (const library of found) systems.putLibrary(library);
    const left = new Set(found.map(({ guid }) => guid));
    for (const guid of libraries.keys) if (!left.has(guid)) systems.removeLibrary(guid);
  }
  for (let start = 0; start < codes.length; start += READ_AT_ONCE) {
    const some = codes.slice(start, start + READ_AT_ONCE);
    const concepts = await readConcepts(database, some);
    const left = new Set(concepts.map(({ library, code }) => `${library}${code}`));
    for (const concept of concepts) systems.putConcept(concept);
    for (const key of some) if (!left.has(`${key.library}${key.code}`)) systems.removeConcept(key);
  }
  return { libraries: libraries.position, codes: codesPosition };
}
