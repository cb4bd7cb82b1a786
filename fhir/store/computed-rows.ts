// Resources that have no rows of their own in the store's tables: the service keeps them in another form, and views
// make rows of them (docs/adr/0126). What concerns their type is read from `fhir_resource_all`, `fhir_token_all` and so
// on in place of the tables, by the same statements.
import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import type { Database, PreparedStatement, Queryable, Transaction } from '#lib/db/database.ts';
import type { SearchOptions } from './search/search-sql.ts';
import type { FhirStore } from './store.ts';

/** The tables beside which there is a view. */
const TABLES = /\bfhir_(?:resource|token|reference|string|date|composite)\b/g;
const MAX_TEXTS = 1_000;
const texts = new Map<string, string>();

/** The same database, read through the views. */
function overViews(db: Queryable): Queryable {
  return { query: (statement, values) => db.query(viewed(statement), values) };
}

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
    copy: (target, lines) => tx.copy(target, lines),
    afterCommit: (effect) => tx.afterCommit(effect),
  };
}

/** Without a name: the best plan depends on the values, as most branches of the views hold no other parameter. */
function viewed(statement: string | PreparedStatement): string {
  const text = typeof statement === 'string' ? statement : statement.text;
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= MAX_TEXTS) texts.clear();
  const made = text.replace(TABLES, '$&_all');
  texts.set(text, made);
  return made;
}

/** The store, reading what concerns the type through the views. Writes are as before. */
export function withComputedRows(store: FhirStore, type: string): FhirStore {
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
    search: (db, query, given) =>
      isOf(query) ? store.search(overViews(db), query, single(given)) : store.search(db, query, given),
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
