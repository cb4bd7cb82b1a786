// Guids that a record refers to: locked against deletion while the record is written, every unknown one named; and what keeps a
// record from being deleted (decision E6).
import type { Transaction } from '#lib/db/database.ts';
import { conflict, type Fault, validationError } from '#lib/errors.ts';

export type ReferredTable =
  | 'canonical_lib'
  | 'concept_type'
  | 'response_type'
  | 'unit'
  | 'concept'
  | 'activity'
  | 'goal'
  | 'provider';

export interface Reference {
  /** The field that holds the guid, as a caller writes it. */
  readonly field: string;
  readonly table: ReferredTable;
  readonly guid: string | null | undefined;
}

/** Holds what is referred to until the transaction ends. @throws ServiceError `validation_error` naming every unknown one */
export async function holdReferences(tx: Transaction, references: readonly Reference[]): Promise<void> {
  const faults: Fault[] = [];
  for (const table of new Set(references.map((reference) => reference.table))) {
    const wanted = references.filter((reference) => reference.table === table && reference.guid != null);
    if (wanted.length === 0) continue;
    const { rows } = await tx.query<{ guid: string }>(
      `SELECT ${table}_guid AS guid FROM ${table} WHERE ${table}_guid = ANY($1::uuid[]) ORDER BY 1 FOR KEY SHARE`,
      [wanted.map((reference) => reference.guid)],
    );
    const known = new Set(rows.map((row) => row.guid));
    for (const { field, guid } of wanted) {
      if (guid == null || known.has(guid)) continue;
      faults.push({ field, message: `'${field}': there is no ${table.replace('_', ' ')} ${guid}`, issue: 'not-found' });
    }
  }
  if (faults.length > 0) throw validationError(faults);
}

/** A kind of record that may refer to the one to be deleted; the statement takes its guid as $1 and answers names. */
export interface UserKind {
  readonly kind: string;
  readonly names: string;
}

const SHOWN = 5;

/** @throws ServiceError `conflict` that says how many of what use the record, and names the first of them */
export async function refuseWhenUsed(
  tx: Transaction,
  what: string,
  guid: string,
  kinds: readonly UserKind[],
): Promise<void> {
  const users: string[] = [];
  for (const { kind, names } of kinds) {
    const { rows } = await tx.query<{ name: string }>(names, [guid]);
    if (rows.length === 0) continue;
    const shown = rows.slice(0, SHOWN).map((row) => `'${row.name}'`);
    const more = rows.length > SHOWN ? ` and ${rows.length - SHOWN} more` : '';
    users.push(`${rows.length} ${rows.length === 1 ? kind : plural(kind)} (${shown.join(', ')}${more})`);
  }
  if (users.length > 0) throw conflict(`The ${what} is used by ${users.join(' and ')}`);
}

function plural(kind: string): string {
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
