// SQL statements by which a node reads concepts as codes (./code-system-node.ts).
import { type Changes, readChanges } from '#lib/db/change-table.ts';
import type { Queryable } from '#lib/db/database.ts';

export interface LibraryRow {
  readonly guid: string;
  readonly name: string;
  readonly url: string;
  readonly version: string | null;
  readonly publisher: string | null;
  readonly description: string | null;
}

export interface ConceptRow {
  readonly library: string;
  readonly code: string;
  readonly name: string;
  readonly display: string | null;
  readonly definition: string | null;
}

/** A changed code of a library. The concept, if there is one, says whether the code still exists. */
export interface CodeKey {
  readonly library: string;
  readonly code: string;
}

const LIBRARY = 'canonical_lib_guid AS guid, name, url, version, publisher, description';
const CONCEPT =
  'canonical_lib AS library, concept_code AS code, concept_name AS name, concept_display_text AS display, concept_explain AS definition';

export async function readLibraries(db: Queryable, guids?: readonly string[]): Promise<readonly LibraryRow[]> {
  const all = `SELECT ${LIBRARY} FROM canonical_lib`;
  const { rows } =
    guids === undefined
      ? await db.query<LibraryRow>(all)
      : await db.query<LibraryRow>(`${all} WHERE canonical_lib_guid = ANY($1::uuid[])`, [guids]);
  return rows;
}

/** Returns the concepts after the key, in the order of libraries and codes. */
export async function readConceptsAfter(
  db: Queryable,
  { library, code }: CodeKey,
  limit: number,
): Promise<readonly ConceptRow[]> {
  const { rows } = await db.query<ConceptRow>(
    `SELECT ${CONCEPT} FROM concept WHERE (canonical_lib, concept_code) > ($1::uuid, $2)
     ORDER BY canonical_lib, concept_code LIMIT $3`,
    [library, code, limit],
  );
  return rows;
}

export async function readConcepts(db: Queryable, keys: readonly CodeKey[]): Promise<readonly ConceptRow[]> {
  const { rows } = await db.query<ConceptRow>(
    `SELECT ${CONCEPT} FROM concept
     WHERE (canonical_lib, concept_code) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))`,
    [keys.map(({ library }) => library), keys.map(({ code }) => code)],
  );
  return rows;
}

export function readLibraryChanges(db: Queryable, position: string): Promise<Changes> {
  return readChanges(db, { table: 'canonical_lib_change', key: 'canonical_lib::text' }, position);
}

const GUID_LENGTH = 36;

export async function readCodeChanges(
  db: Queryable,
  position: string,
): Promise<{ readonly position: string; readonly codes: readonly CodeKey[] }> {
  const changes = await readChanges(db, { table: 'concept_change', key: 'canonical_lib || concept_code' }, position);
  const codes = changes.keys.map((key) => ({ library: key.slice(0, GUID_LENGTH), code: key.slice(GUID_LENGTH) }));
  return { position: changes.position, codes };
}
