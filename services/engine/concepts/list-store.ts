// SQL statements for the list of concepts. A page is read from an index, and only its concepts are joined with the
// names that they reference. A text search uses trigrams (migrations 0014, 0050). Without a text the total is read from
// stored counts (migration 0014). A common text matches thousands of concepts, and all must be found for the total and
// the order. Their guids are therefore cached, and each use of the cache checks that no concept has been written since.
import type { Database } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import { limitOf, makePage, type Page, type PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing } from '../shared/sql.ts';
import type { Concept, ConceptQuery } from './schema.ts';
import { COLUMNS, JOINS } from './store.ts';

const ORDER = byName('concept_name', 'concept_guid');
const SHOWN_ORDER = byName('c.concept_name', 'c.concept_guid');
const SHOWN = `concept c USING (concept_guid) ${JOINS} ORDER BY ${SHOWN_ORDER}`;

export type ListConcepts = (query: ConceptQuery & PageRequest) => Promise<Page<Concept>>;
type TextQuery = ConceptQuery & PageRequest & { readonly search: string };

/** Creates the list, with a cache of the results of common texts. */
export function createConceptList(db: Database): ListConcepts {
  const known = new Map<string, Found>();
  return ({ search, ...filter }) =>
    search === undefined ? listAll(db, filter) : listFound(db, known, { ...filter, search });
}

/** From this offset on, the total is read first: a page beyond it is empty and need not be searched for. */
const FAR = 10_000;

/**
 * Lists by filters alone. The page and the stored total come from one statement. Each set of filters has its own
 * statement, which is planned once.
 */
async function listAll(db: Database, query: ConceptQuery & PageRequest): Promise<Page<Concept>> {
  const filter = filterOf(query);
  const { limit, offset } = limitOf(query);
  if (offset >= FAR) {
    const total = await readTotal(db, filter);
    if (offset >= total) return makePage([], total, query);
  }
  const { where, values } = filter;
  const { rows } = await db.query<Concept & { total: number }>(
    {
      name: `concepts_${nameOf(query)}`,
      text: `SELECT ${COLUMNS}, (SELECT sum(c.concepts)::bigint FROM concept_count c ${where}) AS total
        FROM (SELECT concept_guid FROM concept c ${where} ORDER BY ${ORDER} LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS page
          JOIN ${SHOWN}`,
    },
    [...values, limit, offset],
  );
  const [first] = rows;
  if (first === undefined) return makePage([], offset === 0 ? 0 : await readTotal(db, filter), query);
  return makePage(
    rows.map(({ total: _, ...concept }) => concept),
    first.total,
    query,
  );
}

async function readTotal(db: Database, { where, values }: Conditions): Promise<number> {
  const { rows } = await db.query<{ total: number }>(
    `SELECT coalesce(sum(c.concepts), 0)::bigint AS total FROM concept_count c ${where}`,
    values,
  );
  return rows[0]?.total ?? 0;
}

/** The name of the prepared statement with these filters; each set of filters has its own. */
function nameOf(query: ConceptQuery): string {
  return FILTERS.map((name) => (query[name] === undefined ? 0 : 1)).join('');
}

/** The result of a text with filters. */
interface Found {
  readonly total: number;
  /** The first of the concepts, in the order of the list. */
  readonly guids: readonly string[];
  /** The snapshot of the search in PostgreSQL's text form (pg_snapshot). */
  readonly snapshot: string;
}

/**
 * How many concepts of a result are cached: 20 pages of the default length. A smaller result is not cached, because a
 * search finds it as fast.
 */
const FIRST = 400;
/** How many results are cached, of at most 25 kB each. */
const MOST_TEXTS = 200;

async function listFound(db: Database, known: Map<string, Found>, query: TextQuery): Promise<Page<Concept>> {
  const { page, per_page: perPage, ...asked } = query;
  if (page * perPage > FIRST) return (await find(db, query)).page;
  const key = JSON.stringify(asked);
  const found = known.get(key);
  // Moved to the end: the first entry is the least recently used.
  known.delete(key);
  const remembered = found && (await showFound(db, found, query));
  if (remembered !== undefined && found !== undefined) {
    known.set(key, found);
    return remembered;
  }
  const fresh = await find(db, query);
  if (fresh.found !== undefined) {
    const [oldest] = known.keys();
    if (known.size >= MOST_TEXTS && oldest !== undefined) known.delete(oldest);
    known.set(key, fresh.found);
  }
  return fresh.page;
}

/**
 * The condition that no change of a concept has been committed since. Each change is stored with its transaction
 * (migration 0035). The sort order makes every cached plan use the index.
 */
const IS_CURRENT = `(SELECT changed_by FROM concept_change WHERE changed_by >= pg_snapshot_xmin($2::pg_snapshot)
  AND NOT pg_visible_in_snapshot(changed_by, $2::pg_snapshot) ORDER BY changed_by LIMIT 1) IS NULL`;
const SHOW_FOUND = {
  name: 'concepts_found',
  text: `SELECT ${COLUMNS}, ${IS_CURRENT} AS is_current FROM unnest($1::uuid[]) AS page (concept_guid) JOIN ${SHOWN}`,
};

/** Returns a page from the cache; undefined when a concept has been written since. */
async function showFound(db: Database, found: Found, query: TextQuery): Promise<Page<Concept> | undefined> {
  const { limit, offset } = limitOf(query);
  const guids = found.guids.slice(offset, offset + limit);
  const { rows } = await db.query<Concept & { is_current: boolean }>(SHOW_FOUND, [guids, found.snapshot]);
  if (rows[0]?.is_current !== true) return undefined;
  return makePage(
    rows.map(({ is_current: _, ...concept }) => concept),
    found.total,
    query,
  );
}

type FoundRow = Concept & { found: number; guids: string[] | null; snapshot: string };

/** Lists by a text as well, and counts what is found. A large result should be cached. */
async function find(db: Database, query: TextQuery): Promise<{ page: Page<Concept>; found: Found | undefined }> {
  const { where, values } = filterOf(query)
    .add(hasPieces(query.search) ? query.search : undefined, (text) => `c.pieces @> pieces_to_find(${text})`)
    .add(containing(query.search), (pattern) => `c.searched LIKE lower(${pattern} COLLATE "und-x-icu") COLLATE "C"`);
  const { limit, offset } = limitOf(query);
  const { rows } = await db.query<FoundRow>(
    `WITH found AS MATERIALIZED (SELECT concept_guid, concept_name FROM concept c ${where})
     SELECT ${COLUMNS}, (SELECT count(*) FROM found) AS found, pg_current_snapshot()::text AS snapshot,
       CASE WHEN (SELECT count(*) FROM found) > ${FIRST} AND row_number() OVER (ORDER BY ${SHOWN_ORDER}) = 1 THEN
         (SELECT array_agg(concept_guid ORDER BY ${ORDER}) FROM (SELECT * FROM found ORDER BY ${ORDER} LIMIT ${FIRST}) AS first)
       END AS guids
     FROM (SELECT concept_guid FROM found ORDER BY ${ORDER} LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS page
       JOIN ${SHOWN}`,
    [...values, limit, offset],
  );
  const [first] = rows;
  if (first === undefined)
    return { page: makePage([], offset === 0 ? 0 : await count(db, where, values), query), found: undefined };
  const { found: total, guids, snapshot } = first;
  const data = rows.map(({ found: _found, guids: _guids, snapshot: _snapshot, ...concept }) => concept);
  return { page: makePage(data, total, query), found: guids === null ? undefined : { total, guids, snapshot } };
}

async function count(db: Database, where: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await db.query<{ total: number }>(`SELECT count(*) AS total FROM concept c ${where}`, values);
  return rows[0]?.total ?? 0;
}

/** Whether the trigram index can be used for the text. */
function hasPieces(text: string): boolean {
  return [...text].length >= 3;
}

const FILTERS = ['concept_type', 'response_type', 'canonical_lib', 'has_values'] as const;

/** The columns of the filters have the same names in the table of concepts and in that of their counts. */
function filterOf(query: ConceptQuery): Conditions {
  const conditions = new Conditions();
  for (const name of FILTERS) conditions.add(query[name], (value) => `c.${name} = ${value}`);
  return conditions;
}
