// The references of library records by guid (decision E6). Referenced rows are locked against deletion while a record
// is written, and unknown ones are reported. A record in use is not deleted.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { inNameOrder } from '#lib/db/name-order.ts';
import { conflict, type Issue, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';

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
  /** The path of the field with the guid in the request. */
  readonly field: string;
  readonly table: ReferredTable;
  /** Values that are not guids are skipped: the field is left out, or the schema reports it. */
  readonly guid: unknown;
}

/** The provider that a record names. */
export function providerReference({ provider_guid: guid }: BodyFields): Reference {
  return { field: 'provider_guid', table: 'provider', guid };
}

/**
 * The order in which every transaction locks rows of several tables: rows that a concept references, then the concept,
 * then rows that use it.
 */
const ORDER: readonly ReferredTable[] = [
  'canonical_lib',
  'concept_type',
  'response_type',
  'unit',
  'provider',
  'concept',
  'activity',
  'goal',
];

/**
 * Locks the referenced rows until the transaction ends.
 * @param errors other issues of the record, which come first
 * @throws ServiceError `validation_error` with these and every unknown reference
 */
export async function lockReferences(
  tx: Transaction,
  references: readonly Reference[],
  issues: readonly Issue[] = [],
): Promise<void> {
  const all = [...issues, ...(await lockKnownReferences(tx, references))];
  if (all.length > 0) throw validationError(all);
}

/** Locks the existing rows until the transaction ends, and returns issues for unknown references. */
export function lockKnownReferences(tx: Transaction, references: readonly Reference[]): Promise<Issue[]> {
  return readReferences(tx, references, { hold: true });
}

/** Returns issues for unknown references, without locks. */
export function unknownReferences(db: Queryable, references: readonly Reference[]): Promise<Issue[]> {
  return readReferences(db, references, { hold: false });
}

async function readReferences(
  db: Queryable,
  references: readonly Reference[],
  { hold }: { readonly hold: boolean },
): Promise<Issue[]> {
  const issues = new Map<Reference, Issue>();
  for (const table of ORDER) {
    const wanted = references.filter(({ table: of, guid }) => of === table && isGuidText(guid));
    if (wanted.length === 0) continue;
    const guids = wanted.map((reference) => reference.guid);
    const { rows } = await db.query<{ guid: string }>(
      `SELECT ${table}_guid AS guid FROM ${table} WHERE ${table}_guid = ANY($1::uuid[]) ORDER BY 1 ${hold ? 'FOR KEY SHARE' : ''}`,
      [guids],
    );
    if (hold && table === 'concept') await lockShownRows(db, guids);
    const known = new Set<unknown>(rows.map((row) => row.guid));
    for (const reference of wanted) {
      const { field, guid } = reference;
      if (known.has(guid)) continue;
      const message = `'${field}': there is no ${table.replace('_', ' ')} ${guid}`;
      issues.set(reference, { field, message, code: 'not-found' });
    }
  }
  return references.flatMap((reference) => issues.get(reference) ?? []);
}

/** Whether it can be the guid of a reference; the schema reports what cannot. */
export function isGuidText(value: unknown): value is string {
  return typeof value === 'string' && isGuid(value);
}

/**
 * Locks the library and response type of concepts, because a change of these must find the activities that show them
 * (migration 0040).
 */
async function lockShownRows(db: Queryable, concepts: readonly unknown[]): Promise<void> {
  for (const table of ['canonical_lib', 'response_type']) {
    await db.query(
      `SELECT FROM ${table} WHERE ${table}_guid IN (SELECT ${table} FROM concept WHERE concept_guid = ANY($1::uuid[]))
       ORDER BY ${table}_guid FOR KEY SHARE`,
      [concepts],
    );
  }
}

/**
 * A kind of record that may reference another. The statement takes the other's guid as $1 and returns rows with `name`.
 */
export interface UserKind {
  readonly kind: string;
  readonly names: string;
}

const SHOWN = 5;

/** @throws ServiceError `conflict` with the number of users of each kind, and the names of the first */
export async function refuseWhenUsed(
  tx: Transaction,
  what: string,
  guid: string,
  kinds: readonly UserKind[],
): Promise<void> {
  const users = await usersOf(tx, guid, kinds);
  if (users !== undefined) throw conflict(`The ${what} is used by ${users}`);
}

/**
 * The transactions with a unit whose values are not quantities. `concept` and `response_type` are the aliases of the
 * concept and its type.
 */
const UNITS_LEFT = (condition: string): readonly UserKind[] => [
  {
    kind: 'transaction',
    names: `SELECT t.name FROM activity_transaction t JOIN concept c ON c.concept_guid = t.concept
      LEFT JOIN response_type r ON r.response_type_guid = coalesce(t.response_type, c.response_type)
      WHERE t.unit IS NOT NULL AND r.fhir_type IS DISTINCT FROM 'Quantity' AND ${condition}`,
  },
];
const LEFT_BY = {
  concept: UNITS_LEFT('t.concept = $1'),
  response_type: UNITS_LEFT('coalesce(t.response_type, c.response_type) = $1'),
};

/**
 * Call it after a change that decides the type of values.
 * @throws ServiceError `conflict` naming the transactions that have a unit and no quantity
 */
export async function refuseWhenUnitsAreLeft(tx: Transaction, what: keyof typeof LEFT_BY, guid: string): Promise<void> {
  const users = await usersOf(tx, guid, LEFT_BY[what]);
  if (users === undefined) return;
  throw conflict(`The type of the values must stay Quantity: it has a unit in ${users}`);
}

/** Describes the number of each kind and the names of the first; undefined when there are none. */
async function usersOf(tx: Transaction, guid: string, kinds: readonly UserKind[]): Promise<string | undefined> {
  const users: string[] = [];
  for (const { kind, names } of kinds) {
    const { rows } = await tx.query<{ name: string; used: number }>(
      `SELECT name, count(*) OVER () AS used FROM (${names}) AS users ORDER BY ${inNameOrder('name')} LIMIT ${SHOWN}`,
      [guid],
    );
    const used = rows[0]?.used ?? 0;
    if (used === 0) continue;
    const shown = rows.map((row) => `'${row.name}'`);
    const more = used > SHOWN ? ` and ${used - SHOWN} more` : '';
    users.push(`${used} ${used === 1 ? kind : plural(kind)} (${shown.join(', ')}${more})`);
  }
  return users.length === 0 ? undefined : users.join(' and ');
}

function plural(kind: string): string {
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
