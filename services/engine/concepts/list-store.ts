// SQL of the list of concepts. A page is found in an index; the names of what its concepts refer to are joined to it
// alone. A text is found by three-letter pieces of it (migrations 0014, 0050), and where none is asked for the total is
// kept, not counted. Of a common text thousands have to be found to count them and to know the first: who they are is
// remembered, and each answer from that says whether a concept has been written since.
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

/** The list; what common texts have found is remembered beside it. */
export function createConceptList(db: Database): ListConcepts {
  const known = new Map<string, Found>();
  return ({ search, ...filter }) =>
    search === undefined ? listAll(db, filter) : listFound(db, known, { ...filter, search });
}

/** Before a page so far on, the total is asked: it need not be looked for when it is beyond it. */
const FAR = 10_000;

/**
 * By filters alone, the total, which is kept, beside the page. Each set of filters is a statement that is planned once.
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

/** Of the statement with these filters: another one for each set of them. */
function nameOf(query: ConceptQuery): string {
  return FILTERS.map((name) => (query[name] === undefined ? 0 : 1)).join('');
}

/** What a text and filters have found. */
interface Found {
  readonly total: number;
  /** The first of them, in the order of the list. */
  readonly guids: readonly string[];
  /** What had been committed by then, as PostgreSQL writes it (pg_snapshot). */
  readonly snapshot: string;
}

/**
 * So many of what is found are remembered, 20 pages of the usual length, when there are more: fewer are found as fast.
 */
const FIRST = 400;
/** Of so many texts, 25 kB each at most. */
const MOST_TEXTS = 200;

async function listFound(db: Database, known: Map<string, Found>, query: TextQuery): Promise<Page<Concept>> {
  const { page, per_page: perPage, ...asked } = query;
  if (page * perPage > FIRST) return (await find(db, query)).page;
  const key = JSON.stringify(asked);
  const found = known.get(key);
  // Behind all others: the first is the one that was not asked for longest.
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
 * Nothing that changes concepts has been committed since: every change of one is noted with its transaction (migration
 * 0035). By the order of the index, whatever plan is kept.
 */
const IS_CURRENT = `(SELECT changed_by FROM concept_change WHERE changed_by >= pg_snapshot_xmin($2::pg_snapshot)
  AND NOT pg_visible_in_snapshot(changed_by, $2::pg_snapshot) ORDER BY changed_by LIMIT 1) IS NULL`;
const SHOW_FOUND = {
  name: 'concepts_found',
  text: `SELECT ${COLUMNS}, ${IS_CURRENT} AS is_current FROM unnest($1::uuid[]) AS page (concept_guid) JOIN ${SHOWN}`,
};

/** Undefined when a concept has been written since. */
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

/** By a text too: what is found is counted as it is found. It is to be remembered when there is much. */
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

/** Whether the index of pieces can tell anything of the text. */
function hasPieces(text: string): boolean {
  return [...text].length >= 3;
}

const FILTERS = ['concept_type', 'response_type', 'canonical_lib', 'has_values'] as const;

/** The columns of the filters have the same names among the concepts and among their counts. */
function filterOf(query: ConceptQuery): Conditions {
  const conditions = new Conditions();
  for (const name of FILTERS) conditions.add(query[name], (value) => `c.${name} = ${value}`);
  return conditions;
}
