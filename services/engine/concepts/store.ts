// SQL statements for concepts; those for lists are in ./list-store.ts.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { instant } from '../shared/sql.ts';
import type { Concept, ConceptInput } from './schema.ts';

/** The columns of a concept `c` with `JOINS`. */
export const COLUMNS = `c.concept_guid, c.canonical_lib, l.name AS canonical_lib_name, c.concept_code, c.concept_name,
  c.concept_display_text, c.concept_explain, c.concept_type, t.name AS concept_type_name, c.response_type,
  r.name AS response_type_name, c.has_values, c.permitted_values AS values, c.version,
  ${instant('c.created_at')}, ${instant('c.updated_at')}`;

/** The tables that a concept references. */
export const JOINS = `JOIN canonical_lib l ON l.canonical_lib_guid = c.canonical_lib
  LEFT JOIN concept_type t ON t.concept_type_guid = c.concept_type
  LEFT JOIN response_type r ON r.response_type_guid = c.response_type`;

export async function findConcept(db: Queryable, guid: string): Promise<Concept | undefined> {
  const { rows } = await db.query<Concept>(`SELECT ${COLUMNS} FROM concept c ${JOINS} WHERE c.concept_guid = $1`, [
    guid,
  ]);
  return rows[0];
}

export async function insertConcept(tx: Transaction, guid: string, input: ConceptInput, at: Date): Promise<void> {
  await tx.query(
    `INSERT INTO concept (concept_guid, created_at, updated_at, canonical_lib, concept_code, concept_name,
       concept_display_text, concept_explain, concept_type, response_type, permitted_values)
     VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [guid, at, ...fieldValues(guid, input)],
  );
}

/** Returns the new version; undefined when there is no such concept. */
export async function updateConcept(
  tx: Transaction,
  guid: string,
  input: ConceptInput,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ version: number }>(
    `UPDATE concept SET updated_at = $2, canonical_lib = $3, concept_code = $4, concept_name = $5,
       concept_display_text = $6, concept_explain = $7, concept_type = $8, response_type = $9, permitted_values = $10
     WHERE concept_guid = $1 RETURNING version`,
    [guid, at, ...fieldValues(guid, input)],
  );
  return rows[0]?.version;
}

function fieldValues(guid: string, input: ConceptInput): unknown[] {
  return [
    input.canonical_lib,
    input.concept_code ?? guid,
    input.concept_name,
    input.concept_display_text ?? null,
    input.concept_explain ?? null,
    input.concept_type ?? null,
    input.response_type ?? null,
    JSON.stringify(input.values ?? []),
  ];
}

/** Locks the concept against new references to it; false when there is none. */
export async function lockConcept(tx: Transaction, guid: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM concept WHERE concept_guid = $1 FOR UPDATE', [guid]);
  return rowCount === 1;
}
