// SQL statements for activities and their transactions.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing, instant, LIKE, selectPage } from '../shared/sql.ts';
import type { Activity, ActivityInput, ActivityQuery, ActivityTransaction, TransactionInput } from './schema.ts';

type ActivityRow = Omit<Activity, 'transactions'>;

const COLUMNS = `a.activity_guid, a.name, a.description, a.concept, c.concept_name, a.status, a.version,
  ${instant('a.created_at')}, ${instant('a.updated_at')}`;
const FROM = 'activity a JOIN concept c ON c.concept_guid = a.concept';

const TRANSACTION_COLUMNS = `t.transaction_guid, t.activity_guid, t.name, t.concept, c.concept_name, t.response_type,
  r.name AS response_type_name, t.unit, u.name AS unit_name, t.timing, t.required, t.position, t.version,
  ${instant('t.created_at')}, ${instant('t.updated_at')}`;
const TRANSACTION_FROM = `activity_transaction t JOIN concept c ON c.concept_guid = t.concept
  LEFT JOIN response_type r ON r.response_type_guid = t.response_type LEFT JOIN unit u ON u.unit_guid = t.unit`;

export async function listActivities(db: Database, query: ActivityQuery & PageRequest): Promise<Page<Activity>> {
  const conditions = new Conditions()
    .add(containing(query.search), (pattern) => `(a.name || ' ' || coalesce(a.description, '')) ${LIKE} ${pattern}`)
    .add(query.status, (status) => `a.status = ${status}`)
    .add(query.concept, (guid) => `a.concept = ${guid}`);
  const statement = { columns: COLUMNS, from: FROM, orderBy: byName('a.name', 'a.activity_guid') };
  const page = await selectPage<ActivityRow>(db, statement, conditions, query);
  return { ...page, data: await withTransactions(db, page.data) };
}

/** The activities with these guids, in the order of the guids; unknown ones are left out. */
export async function findActivities(db: Queryable, guids: readonly string[]): Promise<Activity[]> {
  const { rows } = await db.query<ActivityRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE a.activity_guid = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], a.activity_guid)`,
    [guids],
  );
  return withTransactions(db, rows);
}

async function withTransactions(db: Queryable, rows: readonly ActivityRow[]): Promise<Activity[]> {
  if (rows.length === 0) return [];
  const found = await db.query<ActivityTransaction>(
    `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTION_FROM} WHERE t.activity_guid = ANY($1::uuid[])
     ORDER BY t.activity_guid, t.position, t.transaction_guid`,
    [rows.map((row) => row.activity_guid)],
  );
  const byActivity = Map.groupBy(found.rows, (row) => row.activity_guid);
  return rows.map((row) => ({ ...row, transactions: byActivity.get(row.activity_guid) ?? [] }));
}

export async function insertActivity(tx: Transaction, guid: string, input: ActivityInput, at: Date): Promise<void> {
  await tx.query(
    `INSERT INTO activity (activity_guid, name, description, concept, status, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)`,
    [guid, input.name, input.description ?? null, input.concept, input.status ?? 'active', at],
  );
}

/** Returns the new version; undefined when there is no such activity. */
export async function updateActivity(
  tx: Transaction,
  guid: string,
  input: ActivityInput,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ version: number }>(
    `UPDATE activity SET name = $2, description = $3, concept = $4, status = $5, updated_at = $6
     WHERE activity_guid = $1 RETURNING version`,
    [guid, input.name, input.description ?? null, input.concept, input.status ?? 'active', at],
  );
  return rows[0]?.version;
}

export async function isActivity(tx: Transaction, guid: string): Promise<boolean> {
  return (await tx.query('SELECT FROM activity WHERE activity_guid = $1', [guid])).rowCount === 1;
}

/** Locks the activity for a change of it or of its transactions; false when there is none. */
export async function lockActivity(tx: Transaction, guid: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM activity WHERE activity_guid = $1 FOR UPDATE', [guid]);
  return rowCount === 1;
}

export async function findTransaction(db: Queryable, guid: string): Promise<ActivityTransaction | undefined> {
  const { rows } = await db.query<ActivityTransaction>(
    `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTION_FROM} WHERE t.transaction_guid = $1`,
    [guid],
  );
  return rows[0];
}

/** Gives the activity a new version, because its transactions have changed. */
export async function touchActivity(tx: Transaction, guid: string, at: Date): Promise<void> {
  await tx.query('UPDATE activity SET updated_at = $2 WHERE activity_guid = $1', [guid, at]);
}

/** The activity of a transaction, locked for a change of it; undefined when there is no such transaction. */
export async function lockActivityOf(tx: Transaction, transactionGuid: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ activity_guid: string }>(
    `SELECT activity_guid FROM activity
     WHERE activity_guid = (SELECT activity_guid FROM activity_transaction WHERE transaction_guid = $1) FOR UPDATE`,
    [transactionGuid],
  );
  return rows[0]?.activity_guid;
}

/** Appends when no position is given; the caller holds the lock of the activity. */
export async function insertTransaction(
  tx: Transaction,
  ids: { readonly transactionGuid: string; readonly activityGuid: string },
  input: TransactionInput,
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO activity_transaction (transaction_guid, activity_guid, created_at, updated_at, name, concept,
       response_type, unit, timing, required, position)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, $3::timestamptz, $4::text, $5::uuid, $6::uuid, $7::uuid, $8::jsonb,
       $9::boolean, coalesce($10::integer, coalesce(max(position), 0) + 1)
     FROM activity_transaction WHERE activity_guid = $2::uuid`,
    [ids.transactionGuid, ids.activityGuid, at, ...transactionValues(input)],
  );
}

/** Keeps the position when none is given. Returns the new version; undefined when there is no such transaction. */
export async function updateTransaction(
  tx: Transaction,
  guid: string,
  input: TransactionInput,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ version: number }>(
    `UPDATE activity_transaction SET updated_at = $2, name = $3, concept = $4, response_type = $5, unit = $6, timing = $7,
       required = $8, position = coalesce($9, position) WHERE transaction_guid = $1 RETURNING version`,
    [guid, at, ...transactionValues(input)],
  );
  return rows[0]?.version;
}

function transactionValues(input: TransactionInput): unknown[] {
  const timing = input.timing == null ? null : JSON.stringify(input.timing);
  const { name, concept, response_type: responseType, unit, required, position } = input;
  return [name, concept, responseType ?? null, unit ?? null, timing, required ?? false, position ?? null];
}

/**
 * Returns the FHIR type of a transaction's values, which decides whether it may have a unit. It is taken from its own
 * response type, else from that of its concept.
 */
export async function findValueType(
  db: Queryable,
  concept: string,
  responseType: string | null,
): Promise<string | undefined> {
  const { rows } = await db.query<{ fhir_type: string }>(
    `SELECT r.fhir_type FROM concept c JOIN response_type r ON r.response_type_guid = coalesce($2, c.response_type)
     WHERE c.concept_guid = $1`,
    [concept, responseType],
  );
  return rows[0]?.fhir_type;
}
