// The counts of patients' events in months that are over (./counting.ts): SQL only.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { monthOfTime, partitionOf } from './month.ts';

/** On the partitions that are counted: events that come later are marked. The migration makes its function. */
const TRIGGER = 'access_event_late';
/** So long a partition is waited for, and writers of late events behind that. */
const LOCK_TIMEOUT_MS = 50;
/** Between two looks at the clock of the database. A standby that is read from is not as far behind. */
const SETTLED = '1 minute';

/** A month by its first moment, in milliseconds. */
export interface MonthState {
  readonly month: number;
  readonly earliest: number;
  /** Patients up to this key are counted. */
  readonly countedTo: string | null;
  /** Whether all of them are. */
  readonly isCounted: boolean;
  /** Whether all of them have been for so long that every standby shows it. */
  readonly isSettled: boolean;
  /** Whether later events are marked. Counts without that are worth nothing, as after a restore. */
  readonly isWatched: boolean;
}

interface Row {
  month: string | number;
  earliest: string | number;
  counted_to: string | null;
  is_counted: boolean;
  is_settled: boolean;
}

const WATCHED = {
  name: 'access-event-watched',
  text: `SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_trigger t ON t.tgrelid = i.inhrelid AND t.tgname = '${TRIGGER}' WHERE i.inhparent = 'access_event'::regclass`,
};
const MONTHS = {
  name: 'access-event-months-counted',
  text: `SELECT month, earliest, counted_to, counted_at IS NOT NULL AS is_counted,
      coalesce(counted_at < now() - interval '${SETTLED}', false) AS is_settled
    FROM access_event_month ORDER BY month`,
};

/** The months that there are, oldest first. */
export async function readMonthStates(db: Queryable): Promise<readonly MonthState[]> {
  // In this order: a month that is counted again is watched before its counts are there.
  const watched = await db.query<{ name: string }>(WATCHED);
  const names = new Set(watched.rows.map(({ name }) => name));
  const { rows } = await db.query<Row>(MONTHS);
  return rows.map(({ month, earliest, counted_to, is_counted, is_settled }) => ({
    month: Number(month),
    earliest: Number(earliest),
    countedTo: counted_to,
    isCounted: is_counted,
    isSettled: is_settled,
    isWatched: names.has(eventsOf(Number(month))),
  }));
}

function eventsOf(month: number): string {
  return partitionOf('access_event', monthOfTime(month));
}

/** Whether this transaction is the one that counts; the others leave it to that. */
export async function lockCounting(tx: Transaction): Promise<boolean> {
  const text = `SELECT pg_try_advisory_xact_lock(hashtext(current_schema() || '.access_event_counting')) AS is_ours`;
  const { rows } = await tx.query<{ is_ours: boolean }>(text);
  return rows[0]?.is_ours === true;
}

/** Until the end of the transaction no late event is marked. */
async function lockLate(tx: Transaction): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.access_event_late'))`);
}

/** Removes counts of a month, at most so many; returns how many there were. */
export async function removeCounts(tx: Transaction, month: number, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `DELETE FROM access_event_patient d USING (SELECT patient FROM access_event_patient WHERE month = $1 LIMIT $2::bigint) o
     WHERE d.month = $1 AND d.patient = o.patient`,
    [month, limit],
  );
  return rowCount;
}

/**
 * From now on events that come to the month are marked. Waits for the writers of the partition, and fails where that
 * takes long.
 */
export async function watchMonth(tx: Transaction, month: number): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
  await tx.query(
    `CREATE TRIGGER ${TRIGGER} AFTER INSERT ON ${eventsOf(month)} FOR EACH ROW EXECUTE FUNCTION mark_late_access_event('${month}')`,
  );
  await tx.query('UPDATE access_event_month SET counted_to = NULL, counted_at = NULL WHERE month = $1', [month]);
}

/**
 * Counts further patients of a watched month, with about so many events. A patient who was marked meanwhile stays so.
 */
export async function countPatients(
  tx: Transaction,
  { month, countedTo }: Pick<MonthState, 'month' | 'countedTo'>,
  slice: { readonly events: number; readonly at: Date },
): Promise<void> {
  await lockLate(tx);
  const table = eventsOf(month);
  const after = countedTo === null ? 'patient IS NOT NULL' : 'patient > $1::uuid';
  const given = countedTo === null ? [] : [countedTo];
  const { rows } = await tx.query<{ patient: string }>(
    `SELECT patient FROM ${table} WHERE ${after} ORDER BY patient OFFSET ${slice.events} LIMIT 1`,
    given,
  );
  const last = rows[0]?.patient;
  const until = last === undefined ? '' : ` AND patient <= $${given.length + 1}::uuid`;
  await tx.query(
    `INSERT INTO access_event_patient (patient, month, events) SELECT patient, ${month}, count(*) FROM ${table}
     WHERE ${after}${until} GROUP BY patient ON CONFLICT DO NOTHING`,
    last === undefined ? given : [...given, last],
  );
  await tx.query('UPDATE access_event_month SET counted_to = $2, counted_at = $3 WHERE month = $1', [
    month,
    last ?? countedTo,
    last === undefined ? slice.at : null,
  ]);
}

/** Counts patients again to whom events came late, at most so many; returns how many there were. */
export async function recountLate(tx: Transaction, limit: number): Promise<number> {
  await lockLate(tx);
  const { rows } = await tx.query<{ month: string | number }>(
    `SELECT month FROM access_event_patient p WHERE events IS NULL
       AND EXISTS (SELECT FROM access_event_month m WHERE m.month = p.month AND m.counted_at IS NOT NULL) LIMIT 1`,
  );
  const [found] = rows;
  if (found === undefined) return 0;
  const month = Number(found.month);
  const { rowCount } = await tx.query(
    `UPDATE access_event_patient p SET events = (SELECT count(*) FROM ${eventsOf(month)} e WHERE e.patient = p.patient)
     WHERE p.month = $1 AND p.patient IN
       (SELECT patient FROM access_event_patient WHERE events IS NULL AND month = $1 ORDER BY patient LIMIT $2::bigint)`,
    [month, limit],
  );
  return rowCount;
}

/** A month that has counts and is not there any more. */
export async function findGoneMonth(tx: Transaction, known: readonly number[]): Promise<number | undefined> {
  const { rows } = await tx.query<{ month: string | number }>(
    `WITH RECURSIVE months AS (
       SELECT min(month) AS month FROM access_event_patient
       UNION ALL
       SELECT (SELECT min(p.month) FROM access_event_patient p WHERE p.month > m.month) FROM months m WHERE m.month IS NOT NULL
     ) SELECT month FROM months WHERE month IS NOT NULL AND month <> ALL($1::bigint[]) LIMIT 1`,
    [known],
  );
  return rows[0] === undefined ? undefined : Number(rows[0].month);
}
