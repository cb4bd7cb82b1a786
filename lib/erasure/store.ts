// The table of erasures (docs/adr/0131): what was decided, how far it is, and the certificate. SQL only.
import type { Queryable, Transaction } from '../db/database.ts';

/** An erasure as every service has it. */
export interface Erasure {
  readonly erasureGuid: string;
  /** Ids of what was named, by service. */
  readonly target: unknown;
  readonly ground: string;
  readonly decidedBy: string;
  readonly operator: string;
  readonly begunAt: Date;
  /** When this service's part was erased. */
  readonly erasedAt: Date | null;
  readonly result: unknown;
  readonly certificate: unknown;
}

interface Row {
  readonly erasure_guid: string;
  readonly target: unknown;
  readonly ground: string;
  readonly decided_by: string;
  readonly operator: string;
  readonly begun_at: Date;
  readonly erased_at: Date | null;
  readonly result: unknown;
  readonly certificate: unknown;
}

const COLUMNS = 'erasure_guid, target, ground, decided_by, operator, begun_at, erased_at, result, certificate';

/** Stores the decision; changes nothing when it is stored. */
export async function insertErasure(
  db: Queryable,
  erasure: Omit<Erasure, 'erasedAt' | 'result' | 'certificate'>,
): Promise<void> {
  const { erasureGuid, target, ground, decidedBy, operator, begunAt } = erasure;
  await db.query(
    `INSERT INTO erasure (erasure_guid, target, ground, decided_by, operator, begun_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (erasure_guid) DO NOTHING`,
    [erasureGuid, JSON.stringify(target), ground, decidedBy, operator, begunAt],
  );
}

export async function listErasures(db: Queryable): Promise<Erasure[]> {
  const { rows } = await db.query<Row>(`SELECT ${COLUMNS} FROM erasure ORDER BY begun_at, erasure_guid`);
  return rows.map(toErasure);
}

/** Is another text after each part of an erasure that has committed: what was read before may hold what was erased. */
export async function readErasureMark(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ mark: string }>({
    name: 'erasure-mark',
    text: `SELECT count(erased_at) || ' ' || coalesce(max(erased_at)::text, '') AS mark FROM erasure`,
  });
  return rows[0]?.mark ?? '';
}

/** Locked, so that of two runs one works. */
export async function lockErasure(tx: Transaction, erasureGuid: string): Promise<Erasure | undefined> {
  const text = `SELECT ${COLUMNS} FROM erasure WHERE erasure_guid = $1 FOR UPDATE`;
  return (await tx.query<Row>(text, [erasureGuid])).rows.map(toErasure)[0];
}

/** Records that the service's part is erased, and what that was. */
export async function setErased(tx: Transaction, erasureGuid: string, at: Date, result: object): Promise<void> {
  await tx.query('UPDATE erasure SET erased_at = $2, result = $3 WHERE erasure_guid = $1', [
    erasureGuid,
    at,
    JSON.stringify(result),
  ]);
}

export async function setCertificate(db: Queryable, erasureGuid: string, certificate: object): Promise<void> {
  await db.query('UPDATE erasure SET certificate = $2 WHERE erasure_guid = $1', [
    erasureGuid,
    JSON.stringify(certificate),
  ]);
}

function toErasure(row: Row): Erasure {
  return {
    erasureGuid: row.erasure_guid,
    target: row.target,
    ground: row.ground,
    decidedBy: row.decided_by,
    operator: row.operator,
    begunAt: row.begun_at,
    erasedAt: row.erased_at,
    result: row.result,
    certificate: row.certificate,
  };
}
