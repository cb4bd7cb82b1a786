// Closure tables of clients (docs/adr/0108): each caller has its own, under names of its choice.
import { finished, type Steps, startWork } from '#fhir/terminology/content/unfinished.ts';
import {
  type AddedConcepts,
  type ClosureAddition,
  type ClosureRequest,
  type ClosureUpdate,
  closureOf,
  tooManyEntries,
} from '#fhir/terminology/operations/closure.ts';
import { TerminologyError } from '#fhir/terminology/terminology-error.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import {
  addVersion,
  type ClosureKey,
  type ClosureTable,
  codesOf,
  countTables,
  deleteUnused,
  entriesSince,
  findTable,
  initialise,
  lockOwner,
  lockTable,
  sizeOf,
} from './store.ts';

/** The most tables of one caller, and the most concepts and entries of one table. */
const MAX_TABLES = 100;
const MAX_CONCEPTS = 10_000;
const MAX_ENTRIES = 50_000;
/** Tables that were not used for so long make room for new ones. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;

/** Where the statements of a call run. */
export interface ClosureExecution {
  readonly db: Queryable;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export interface Closures {
  /**
   * Initialises a table, adds concepts, or answers the entries since a version.
   * @throws TerminologyError `not-found` for a table that is not there, `invalid` for a version that it never had,
   * `too-costly` for what would exceed a limit
   */
  run(execution: ClosureExecution, principal: Principal, request: ClosureRequest): Promise<ClosureUpdate>;
}

export function createClosures({ clock }: { readonly clock: Clock }): Closures {
  const now = () => new Date(clock.now());
  return {
    run: (execution, { kind, id }, request) => {
      const key = { owner: `${kind} ${id}`, name: request.name };
      switch (request.kind) {
        case 'initialise':
          return execution.transaction((tx) => begin(tx, key, now()));
        case 'add':
          return execution.transaction((tx) => add(tx, key, { additions: request.additions, now: now() }));
        case 'resynchronise':
          return resynchronise(execution.db, key, request.version);
        default:
          return request satisfies never;
      }
    },
  };
}

async function begin(tx: Transaction, key: ClosureKey, now: Date): Promise<ClosureUpdate> {
  await lockOwner(tx, key.owner);
  if ((await findTable(tx, key)) === undefined && (await countTables(tx, key.owner)) >= MAX_TABLES) {
    await deleteUnused(tx, key.owner, new Date(now.getTime() - UNUSED_MS));
    if ((await countTables(tx, key.owner)) >= MAX_TABLES) {
      const message = `a caller may have ${MAX_TABLES} closure tables, and one that is used within 30 days is kept`;
      throw new TerminologyError('too-costly', message, 'too-costly');
    }
  }
  const { version } = await initialise(tx, key, now);
  return { name: key.name, version, entries: [] };
}

async function add(
  tx: Transaction,
  key: ClosureKey,
  { additions, now }: { readonly additions: readonly ClosureAddition[]; readonly now: Date },
): Promise<ClosureUpdate> {
  const table = required(await lockTable(tx, key, now), key);
  const size = await sizeOf(tx, table.guid);
  const added: AddedConcepts[] = [];
  for (const addition of additions) {
    const known = await codesOf(tx, table.guid, addition.view.model.meta.url);
    added.push(await inSteps(closureOf(addition, known, { entries: MAX_ENTRIES - size.entries })));
  }
  const all = { concepts: added.flatMap((each) => each.concepts), entries: added.flatMap((each) => each.entries) };
  if (size.entries + all.entries.length > MAX_ENTRIES) throw tooManyEntries();
  if (size.concepts + all.concepts.length > MAX_CONCEPTS) {
    const message = `a closure table may have ${MAX_CONCEPTS} concepts: use several tables`;
    throw new TerminologyError('too-costly', message, 'too-costly');
  }
  if (all.concepts.length === 0) return { name: key.name, version: table.version, entries: [] };
  const version = await addVersion(tx, table.guid, all);
  return { name: key.name, version, entries: all.entries };
}

/** The result of work that leaves the event loop free. */
function inSteps<T>(steps: Steps<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  return finished(() => {
    if (result !== undefined) return result.value;
    const done = (value: T) => {
      result = { value };
    };
    return startWork({ name: 'the closure', steps, done }, () => performance.now());
  });
}

async function resynchronise(db: Queryable, key: ClosureKey, version: number): Promise<ClosureUpdate> {
  const table = required(await findTable(db, key), key);
  if (version < table.firstVersion || version > table.version) {
    const message = `the closure table ${key.name} has the versions ${table.firstVersion} to ${table.version}, not ${version}: initialise it, and add its concepts`;
    throw new TerminologyError('invalid', message);
  }
  const entries = await entriesSince(db, table.guid, version);
  return { name: key.name, version: table.version, entries };
}

function required(table: ClosureTable | undefined, { name }: ClosureKey): ClosureTable {
  if (table !== undefined) return table;
  const message = `the closure table ${name} is not there: it must be initialised by a request with its name alone`;
  throw new TerminologyError('not-found', message, 'not-found');
}
