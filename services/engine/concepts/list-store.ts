// SQL of the list of concepts. A page is found in the narrow table; the names of what its concepts refer to are joined to it alone. A text
// is found by the three-letter pieces in it (migration 0014), and where none is asked for the total is kept, not counted.
import type { Database } from '#lib/db/database.ts';
import { limitOf, makePage, type Page, type PageRequest } from '#lib/http/page.ts';
import { Conditions, containing, LIKE } from '../shared/sql.ts';
import type { Concept, ConceptQuery } from './schema.ts';
import { COLUMNS, JOINS } from './store.ts';

const SEARCHED = `(c.concept_name || ' ' || coalesce(c.concept_display_text, '') || ' ' || coalesce(c.concept_explain, '')
  || ' ' || c.concept_code)`;
const ORDER = 'c.concept_name, c.concept_guid';

type Filter = Pick<ConceptQuery, 'concept_type' | 'response_type' | 'canonical_lib' | 'has_values'>;

export async function listConcepts(db: Database, query: ConceptQuery & PageRequest): Promise<Page<Concept>> {
  const [rows, total] = await Promise.all([findPage(db, query), countAll(db, query)]);
  return makePage(rows, total, query);
}

async function findPage(db: Database, query: ConceptQuery & PageRequest): Promise<Concept[]> {
  const { where, values } = conditionsOf(query);
  const { limit, offset } = limitOf(query);
  const { rows } = await db.query<Concept>(
    `SELECT ${COLUMNS} FROM (SELECT c.* FROM concept c ${where} ORDER BY ${ORDER}
       LIMIT $${values.length + 1} OFFSET $${values.length + 2}) AS c ${JOINS} ORDER BY ${ORDER}`,
    [...values, limit, offset],
  );
  return rows;
}

async function countAll(db: Database, query: ConceptQuery): Promise<number> {
  const { where, values } = conditionsOf(query);
  const counted =
    query.search === undefined
      ? `SELECT coalesce(sum(c.concepts), 0)::bigint AS total FROM concept_count c ${where}`
      : `SELECT count(*) AS total FROM concept c ${where}`;
  const { rows } = await db.query<{ total: number }>(counted, values);
  return rows[0]?.total ?? 0;
}

/** The columns of the filters have the same names in both tables; a text is looked for in the concepts alone. */
function conditionsOf({ search, ...filter }: ConceptQuery): Conditions {
  const conditions = withFilter(new Conditions(), filter);
  if (search === undefined) return conditions;
  conditions.add(search, (text) => `c.pieces @> text_pieces(${text})`);
  return conditions.add(containing(search), (pattern) => `${SEARCHED} ${LIKE} ${pattern}`);
}

function withFilter(conditions: Conditions, filter: Filter): Conditions {
  return conditions
    .add(filter.concept_type, (guid) => `c.concept_type = ${guid}`)
    .add(filter.response_type, (guid) => `c.response_type = ${guid}`)
    .add(filter.canonical_lib, (guid) => `c.canonical_lib = ${guid}`)
    .add(filter.has_values, (wanted) => `c.has_values = ${wanted}`);
}
