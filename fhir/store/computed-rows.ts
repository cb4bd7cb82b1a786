// Resources that have no rows of their own in the store's tables. The service keeps them in another form, and views
// make rows of them (docs/adr/0126). What concerns their type is read from `fhir_resource_all`, `fhir_token_all` and so
// on in place of the tables, by the same statements.
import { createHash } from 'node:crypto';
import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import type { Database, PreparedStatement, Queryable, QueryResult, Transaction } from '#lib/db/database.ts';
import { hasErrorCode } from '#lib/error-code.ts';
import type { DirectParts, KeyPart, PartedRows } from './search/key-parts.ts';
import type { SearchOptions } from './search/search-sql.ts';
import type { FhirStore } from './store.ts';

/** The tables beside which there is a view; with the parameter whose rows are wanted, where that follows at once. */
const TABLES =
  /\bfhir_(?:resource|token|reference|string|date|composite)\b(?=(?: (\w+) WHERE (?:\1\.rid = \w+\.rid\s+AND )?\1\.param = (-?\d+)\b)?)/g;
const MAX_TEXTS = 1_000;
const texts = new Map<string, string>();

/** Where the rows are, in parts by their keys (./search/key-parts.ts). */
export interface PartedTables {
  /** Oldest first. */
  readonly readParts: (db: Queryable) => Promise<readonly KeyPart[]>;
  /** Called when a part is not there any more. */
  readonly forget: () => void;
  /**
   * What to read in place of the store's table: its rows and those of these parts, or of all when undefined. `param` is
   * the key of the only parameter whose rows are wanted.
   */
  readonly rowsOf: (table: string, parts: readonly KeyPart[] | undefined, param: number | undefined) => string;
  /** A search that is answered from the other form itself; undefined where it asks for something else. */
  readonly direct: DirectParts['of'];
}

/** Resources of a type that are kept in another form. */
export interface ComputedRows {
  readonly type: string;
  /** The parameter of their time, which is not later than that of their key. */
  readonly timeCode: string;
  readonly tables: PartedTables;
}

/** What the rows of a table are read from, and a name for that. */
interface Source {
  readonly name: string;
  readonly of: (table: string, param: number | undefined) => string;
}

const ALL: Source = { name: 'all', of: (table) => `${table}_all` };

/** The same database, read through the views. */
function overViews(db: Queryable | Database, source: Source = ALL): Queryable {
  return {
    query: (statement, values) => {
      const over = statementOver(statement, source);
      return typeof over !== 'string' && 'transaction' in db ? queryPlanned(db, over, values) : db.query(over, values);
    },
  };
}

function statementOver(statement: string | PreparedStatement, source: Source): string | PreparedStatement {
  if (typeof statement === 'string') return viewed(statement, source);
  // Another ending than that of batched statements (lib/db/batched-statements.ts).
  return { name: `${statement.name}_of_${source.name}`, text: viewed(statement.text, source) };
}

/** A transaction that plans each prepared statement once, to read rows by indexes in their order. */
function plannedWithin(db: Queryable | Database): DirectParts['within'] {
  if (!('transaction' in db)) return (work) => work(db);
  return (work) =>
    db.transaction(
      (tx) => {
        let isSet = false;
        return work({
          query: (statement, values) => {
            if (!isSet && typeof statement !== 'string') {
              isSet = true;
              tx.send(BY_INDEX);
            }
            return tx.query(statement, values);
          },
        });
      },
      { readOnly: true, sendsAtOnce: true },
    );
}

/**
 * The statement is planned once for all values. It has the same plan whatever they are, and to plan it each time costs
 * more than to run it. PostgreSQL would do so, as it does not know that the plan reads few of the parts.
 */
function queryPlanned<R extends object>(
  database: Database,
  statement: PreparedStatement,
  values: readonly unknown[] | undefined,
): Promise<QueryResult<R>> {
  return database.transaction(
    async (tx) => {
      const setting = tx.query(GENERIC);
      const [result] = await Promise.all([tx.query<R>(statement, values), setting]);
      return result;
    },
    { readOnly: true, sendsAtOnce: true },
  );
}

const GENERIC: PreparedStatement = { name: 'plan-once', text: 'SET LOCAL plan_cache_mode = force_generic_plan' };
/** A bitmap of each part costs more than the few rows that are found by it. */
const BY_INDEX: PreparedStatement = {
  name: 'plan-once-by-index',
  text: `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_bitmapscan', 'off', true)`,
};

function databaseOverViews(database: Database): Database {
  return {
    schema: database.schema,
    ...overViews(database),
    transaction: (work, options) => database.transaction((tx) => work(transactionOverViews(tx)), options),
    listen: (channel, onNotification) => database.listen(channel, onNotification),
    close: () => database.close(),
  };
}

function transactionOverViews(tx: Transaction): Transaction {
  return {
    ...overViews(tx),
    send: (statement, values) => tx.send(statementOver(statement, ALL), values),
    copy: (target, lines) => tx.copy(target, lines),
    afterCommit: (effect) => tx.afterCommit(effect),
  };
}

function viewed(text: string, source: Source): string {
  const key = `${source.name} ${text}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= MAX_TEXTS) texts.clear();
  const made = text.replace(TABLES, (table: string, _alias: unknown, param?: string) =>
    source.of(table, param === undefined ? undefined : Number(param)),
  );
  texts.set(key, made);
  return made;
}

/** The store, reading what concerns the type through the views. Writes are as before. */
export function withComputedRows(store: FhirStore, { type, timeCode, tables }: ComputedRows): FhirStore {
  const isOf = (query: SearchQuery) => concerns(query, type);
  const single = ({ batched: _, ...more }: SearchOptions): SearchOptions => more;
  const from = (db: Queryable, types: Iterable<string>) => ([...types].includes(type) ? overViews(db) : db);
  return {
    ...store,
    from,
    read: (db, address, access) => store.read(from(db, [address.resourceType]), address, access),
    vread: (db, address, access) => store.vread(from(db, [address.resourceType]), address, access),
    systemHistory: (db, query, access) => store.systemHistory(from(db, query.resourceTypes), query, access),
    everything: (db, query, access) => store.everything(from(db, query.types), query, access),
    findOne: (db, query, given) => store.findOne(isOf(query) ? overViews(db) : db, query, given),
    search: async (db, query, given) => {
      if (!isOf(query)) return store.search(db, query, given);
      if (!isAlone(query, type)) return store.search(overViews(db), query, single(given));
      const search = async () => {
        const parts = await tables.readParts(db);
        const direct = { within: plannedWithin(db), of: tables.direct };
        const parted = { timeCode, parts, over: overParts(db, tables), direct };
        return store.search(parted.over(undefined), query, { ...single(given), parted });
      };
      return search().catch((error: unknown) => {
        if (!hasErrorCode(error, UNDEFINED_TABLE) || !('transaction' in db)) throw error;
        // A part was dropped meanwhile.
        tables.forget();
        return search();
      });
    },
    searchSystem: (db, queries, given) =>
      queries.some(isOf)
        ? store.searchSystem(overViews(db), queries, single(given))
        : store.searchSystem(db, queries, given),
    explain: (database, query, given) =>
      store.explain(isOf(query) ? databaseOverViews(database) : database, query, given),
    explainSystem: (database, queries, given) =>
      store.explainSystem(queries.some(isOf) ? databaseOverViews(database) : database, queries, given),
  };
}

/** Whether a search looks at resources of the type. */
function concerns({ resourceType, criteria, includes, sort }: SearchQuery, type: string): boolean {
  if (resourceType === type || criteria.some((criterion) => looksAt(criterion, type))) return true;
  return (
    sort.some(({ parameter }) => parameter.resourceType === type) ||
    includes.some(
      ({ parameter, targetType, direction }) =>
        targetType === type ||
        parameter?.resourceType === type ||
        // Where it leads is known by what it finds.
        (direction === 'include' && (parameter === undefined || parameter.targets.includes(type))),
    )
  );
}

function overParts(db: Queryable, { rowsOf }: PartedTables): PartedRows['over'] {
  return (parts) => {
    if (parts === undefined) return overViews(db, { name: 'own', of: (table, param) => rowsOf(table, parts, param) });
    const digest = createHash('sha256').update(parts.map(({ from }) => from).join());
    const name = digest.digest('hex').slice(0, NAME_LENGTH);
    return overViews(db, { name, of: (table, param) => rowsOf(table, parts, param) });
  };
}

/** Names of statements have at most 63 characters. */
const NAME_LENGTH = 16;
const UNDEFINED_TABLE = '42P01';

/** Whether a search finds these resources, and looks at no others of the type. */
function isAlone(query: SearchQuery, type: string): boolean {
  return query.resourceType === type && !query.criteria.some((criterion) => looksAt(criterion, type));
}

function looksAt(criterion: Criterion, type: string): boolean {
  switch (criterion.kind) {
    case 'chain':
      return criterion.links.some((link) => link.resourceType === type || looksAt(link.criterion, type));
    case 'has':
      return criterion.parameter.resourceType === type || looksAt(criterion.criterion, type);
    case 'all':
    case 'any':
      return criterion.criteria.some((each) => looksAt(each, type));
    case 'not':
      return looksAt(criterion.criterion, type);
    default:
      return false;
  }
}
