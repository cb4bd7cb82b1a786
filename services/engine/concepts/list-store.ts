// SQL of the list of concepts. A page is found in an index; the names of what its concepts refer to are joined to it alone. A text is found by
// three-letter pieces of it (migrations 0014, 0050), and where none is asked for the total is kept, not counted.
import type { Database } from '#lib/db/database.ts';
import { limitOf, makePage, type Page, type PageRequest } from '#lib/http/page.ts';
import { Conditions, containing } from '../shared/sql.ts';
import type { Concept, ConceptQuery } from './schema.ts';
import { COLUMNS, JOINS } from './store.ts';

const ORDER = 'concept_name, concept_guid';
const SHOWN = `concept c USING (concept_guid) ${JOINS} ORDER BY c.concept_name, c.concept_guid`;

export function listConcepts(db: Database, query: ConceptQuery & PageRequest): Promise<Page<Concept>> {
  const { search, ...filter } = query;
  return search === undefined ? listAll(db, filter) : listFound(db, { ...query, search });
}

/** Before a page so far on, the total is asked: it need not be looked for when it is beyond it. */
const FAR = 10_000;

/** By filters alone, the total, which is kept, beside the page. Each set of filters is a statement that is planned once. */
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

/** By a text too: what is found is counted as it is found. */
async function listFound(
  db: Database,
  query: ConceptQuery & PageRequest & { readonly search: string },
): Promise<Page<Concept>> {
  const { where, values } = filterOf(query)
    .add(hasPieces(query.search) ? query.search : undefined, (text) => `c.pieces @> pieces_to_find(${text})`)
    .add(containing(query.search), (pattern) => `c.searched LIKE lower(${pattern} COLLATE "und-x-icu") COLLATE "C"`);
  const { limit, offset } = limitOf(query);
  const { rows } = await db.query<Concept & { found: number }>(
    `WITH found AS MATERIALIZED (SELECT concept_guid, concept_name FROM concept c ${where})
     SELECT ${COLUMNS}, (SELECT count(*) FROM found) AS found
     FROM (SELECT concept_guid FROM found ORDER BY ${ORDER} LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS page
       JOIN ${SHOWN}`,
    [...values, limit, offset],
  );
  const [first] = rows;
  if (first !== undefined)
    return makePage(
      rows.map(({ found: _, ...concept }) => concept),
      first.found,
      query,
    );
  if (offset === 0) return makePage([], 0, query);
  const counted = await db.query<{ total: number }>(`SELECT count(*) AS total FROM concept c ${where}`, values);
  return makePage([], counted.rows[0]?.total ?? 0, query);
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
