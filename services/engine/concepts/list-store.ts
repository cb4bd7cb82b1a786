// SQL of the list of concepts. A page is found in an index; the names of what its concepts refer to are joined to it alone. A text is found by
// the three-letter pieces in it (migration 0014), and where none is asked for the total is kept, not counted.
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

/** By filters alone: the total first, which is kept, as a page beyond it need not be looked for. */
async function listAll(db: Database, query: ConceptQuery & PageRequest): Promise<Page<Concept>> {
  const { where, values } = filterOf(query);
  const kept = await db.query<{ total: number }>(
    `SELECT coalesce(sum(c.concepts), 0)::bigint AS total FROM concept_count c ${where}`,
    values,
  );
  const total = kept.rows[0]?.total ?? 0;
  const { limit, offset } = limitOf(query);
  if (offset >= total) return makePage([], total, query);
  const { rows } = await db.query<Concept>(
    `SELECT ${COLUMNS} FROM (SELECT concept_guid FROM concept c ${where} ORDER BY ${ORDER}
       LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS page JOIN ${SHOWN}`,
    [...values, limit, offset],
  );
  return makePage(rows, total, query);
}

/** By a text too: what is found is counted as it is found. */
async function listFound(
  db: Database,
  query: ConceptQuery & PageRequest & { readonly search: string },
): Promise<Page<Concept>> {
  const { where, values } = filterOf(query)
    .add(hasPieces(query.search) ? query.search : undefined, (text) => `c.pieces @> text_pieces(${text})`)
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

/** The columns of the filters have the same names among the concepts and among their counts. */
function filterOf(query: ConceptQuery): Conditions {
  return new Conditions()
    .add(query.concept_type, (guid) => `c.concept_type = ${guid}`)
    .add(query.response_type, (guid) => `c.response_type = ${guid}`)
    .add(query.canonical_lib, (guid) => `c.canonical_lib = ${guid}`)
    .add(query.has_values, (wanted) => `c.has_values = ${wanted}`);
}
