// The conversion of audit events that are resources (./conversion.ts): SQL only.
import { nameKey } from '#fhir/search/extract/keys.ts';
import { INDEX_TABLES } from '#fhir/store/index/index-tables.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { columnsOf, readCount } from '#lib/db/rows.ts';
import type { LoggedEvent } from '../shared/logged-event.ts';

const AUDIT_EVENT = nameKey('AuditEvent');
const TABLES = [...INDEX_TABLES.map(({ table }) => table), 'fhir_text', 'fhir_late_index'];

export interface Conversion {
  readonly after: string;
  readonly run: number;
  readonly startsAt: Date;
  readonly converted: number;
  readonly finishedAt: Date | null;
}

interface Row {
  after: string;
  run: number;
  starts_at: Date;
  converted: number;
  finished_at: Date | null;
}

const READ = 'SELECT after, run, starts_at, converted::float8 AS converted, finished_at FROM access_event_conversion';

export async function readConversion(db: Queryable): Promise<Conversion | undefined> {
  return conversionOf((await db.query<Row>(READ)).rows[0]);
}

/** More are not counted. */
export const MOST_COUNTED = 100_000;

/** How many resources are still to be looked at, counted no further than {@link MOST_COUNTED} and one. */
export function countConvertible(db: Queryable, after: string): Promise<number> {
  const text = `SELECT count(*) AS count FROM (SELECT FROM fhir_resource
    WHERE type = $1 AND rid > $2 AND version = 1 AND organisation IS NULL AND NOT deleted LIMIT $3::bigint) c`;
  return readCount(db, text, [AUDIT_EVENT, after, MOST_COUNTED + 1]);
}

/** Locked; undefined when all is done, or another node is at it. */
export async function lockConversion(tx: Transaction): Promise<Conversion | undefined> {
  const text = `${READ} WHERE finished_at IS NULL FOR UPDATE SKIP LOCKED`;
  return conversionOf((await tx.query<Row>(text)).rows[0]);
}

function conversionOf(row: Row | undefined): Conversion | undefined {
  return row && { ...row, startsAt: row.starts_at, finishedAt: row.finished_at };
}

export async function moveConversion(tx: Transaction, after: string, converted: number): Promise<void> {
  await tx.query('UPDATE access_event_conversion SET after = $1, converted = converted + $2::bigint', [
    after,
    converted,
  ]);
}

export async function delayConversion(tx: Transaction, until: Date): Promise<void> {
  await tx.query('UPDATE access_event_conversion SET starts_at = $1', [until]);
}

/** The first run is followed by a second one, at `startsAt`; that one is the last. */
export async function endConversionRun(
  tx: Transaction,
  ended: { readonly run: number; readonly startsAt: Date; readonly at: Date },
): Promise<void> {
  if (ended.run > 1) await tx.query('UPDATE access_event_conversion SET finished_at = $1', [ended.at]);
  else {
    const text = `UPDATE access_event_conversion SET run = run + 1, starts_at = $1,
      after = '00000000-0000-0000-0000-000000000000'`;
    await tx.query(text, [ended.startsAt]);
  }
}

export interface StoredEvent {
  readonly guid: string;
  readonly content: string;
  readonly storedAt: Date;
}

/**
 * Events that are resources, in the order of ids, locked. What clients have written belongs to an organisation, and
 * what was changed has several versions: those stay.
 */
export async function lockEvents(tx: Transaction, after: string, limit: number): Promise<StoredEvent[]> {
  const { rows } = await tx.query<{ rid: string; content: string; updated_at: Date }>(
    `SELECT rid, content, updated_at FROM fhir_resource
     WHERE type = $1 AND rid > $2 AND version = 1 AND organisation IS NULL AND NOT deleted
       AND coalesce(id, rid::text) = rid::text
     ORDER BY rid LIMIT $3 FOR UPDATE`,
    [AUDIT_EVENT, after, limit],
  );
  return rows.map(({ rid, content, updated_at: storedAt }) => ({ guid: rid, content, storedAt }));
}

/** Removes resources with their index rows, and their entries in access logs. */
export async function removeEvents(tx: Transaction, events: readonly LoggedEvent[]): Promise<void> {
  const guids = events.map(({ eventGuid }) => eventGuid);
  for (const table of [...TABLES, 'fhir_resource'])
    await tx.query(`DELETE FROM ${table} d WHERE d.type = $1 AND d.rid = ANY($2::uuid[])`, [AUDIT_EVENT, guids]);
  const entered = events.filter(({ patientId }) => patientId !== undefined);
  for (const table of ['access_log_entry', 'access_log_party'])
    await tx.query(
      `DELETE FROM ${table} d USING unnest($1::text[], $2::timestamptz[], $3::uuid[]) AS g (patient_id, recorded_at, event_guid)
       WHERE d.patient_id = g.patient_id AND d.recorded_at = g.recorded_at AND d.event_guid = g.event_guid`,
      columnsOf(entered, 'patientId', 'recordedAt', 'eventGuid'),
    );
}

/** The texts of events, in whatever form, by their guid. */
export async function readTexts(tx: Transaction, guids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ rid: string; content: string }>(
    'SELECT rid, content FROM fhir_resource_all WHERE type = $1 AND rid = ANY($2::uuid[])',
    [AUDIT_EVENT, guids],
  );
  return new Map(rows.map(({ rid, content }) => [rid, content]));
}

/** A month of ids, and the earliest time of an event in it; both in milliseconds. */
export interface NeededMonth {
  readonly month: number;
  readonly earliest: number;
}

/** Those that searches do not know yet with such an early time. */
export async function unknownMonths(tx: Transaction, needed: readonly NeededMonth[]): Promise<NeededMonth[]> {
  const { rows } = await tx.query<{ month: number; earliest: number }>(
    'SELECT month::float8 AS month, earliest::float8 AS earliest FROM access_event_month',
  );
  const known = new Map(rows.map(({ month, earliest }) => [month, earliest]));
  return needed.filter(({ month, earliest }) => (known.get(month) ?? Number.POSITIVE_INFINITY) > earliest);
}

export async function addMonths(tx: Transaction, months: readonly NeededMonth[]): Promise<void> {
  for (const { month, earliest } of months) {
    await tx.query('SELECT add_access_event_month($1::bigint)', [month]);
    await tx.query(
      `INSERT INTO access_event_month AS m (month, earliest) VALUES ($1::bigint, $2::bigint)
       ON CONFLICT (month) DO UPDATE SET earliest = least(m.earliest, excluded.earliest)`,
      [month, earliest],
    );
  }
}
