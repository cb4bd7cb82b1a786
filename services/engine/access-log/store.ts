// The entries of patients' access logs: SQL only. Each page is read along the primary key, so it costs the same in a
// log of any length.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { type UnprotectedFilter, unprotectedCondition } from '#fhir/store/protected-identity.ts';
import { SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf, readCount } from '#lib/db/rows.ts';
import type { TimePosition } from '#lib/http/response/time-position.ts';
import type { LoggedEvent } from '../shared/logged-event.ts';

/** Enters events, of which each concerns a patient. An event that is entered already is left as it is. */
export async function insertEntries(
  db: Queryable,
  events: readonly (LoggedEvent & { readonly patientId: string })[],
): Promise<void> {
  if (events.length === 0) return;
  await db.query(
    `INSERT INTO access_log_entry (patient_id, recorded_at, event_guid, service)
     SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::uuid[], $4::text[]) ON CONFLICT DO NOTHING`,
    columnsOf(events, 'patientId', 'recordedAt', 'eventGuid', 'service'),
  );
  const parties = events.flatMap((event) =>
    [...new Set([...(event.person === undefined ? [] : [event.person]), ...event.units])].map((party) => ({
      ...event,
      party,
    })),
  );
  await db.query(
    `INSERT INTO access_log_party (patient_id, party, recorded_at, event_guid, service)
     SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::uuid[], $5::text[]) ON CONFLICT DO NOTHING`,
    columnsOf(parties, 'patientId', 'party', 'recordedAt', 'eventGuid', 'service'),
  );
}

/** An id of a person: what every service recorded of it, or one service alone. */
export interface PatientKey {
  readonly id: string;
  readonly service: string | null;
}

export interface LogFilter {
  /** Included. */
  readonly since: Date | null;
  /** Not included. */
  readonly until: Date | null;
  /** Parties of which one takes part; null for whatever unit or person. */
  readonly units: readonly string[] | null;
  readonly persons: readonly string[] | null;
}

interface EntryRow {
  recorded_at: Date;
  event_guid: string;
}

const KEYS = 'unnest($1::text[], $2::text[], $8::uuid[]) AS k (id, service, key)';
const OF_KEY = `e.patient_id = k.id AND (k.service IS NULL OR e.service = k.service)
  AND e.recorded_at >= $3::timestamptz AND e.recorded_at < $4::timestamptz
  AND (e.recorded_at, e.event_guid) < ($5::timestamptz, $6::uuid)`;
const NEWEST = 'ORDER BY recorded_at DESC, event_guid DESC LIMIT $7::bigint';
const TAKES_PART = `EXISTS (SELECT FROM access_log_party o WHERE o.patient_id = e.patient_id AND o.party = ANY($10::text[])
  AND o.recorded_at = e.recorded_at AND o.event_guid = e.event_guid)`;

/** The same of events in their compact form (docs/adr/0126), which have no entries. */
const millisOf = (placeholder: string) => `(extract(epoch FROM ${placeholder}::timestamptz) * 1000)::bigint`;
const compactOf = (
  condition: string,
) => `SELECT 'epoch'::timestamptz + e.recorded * interval '1 millisecond' AS recorded_at, e.event_guid
  FROM access_event e WHERE e.patient = k.key${condition}
    AND (k.service IS NULL OR EXISTS (SELECT FROM access_part a WHERE a.part = e.actor AND a.service = k.service))
    AND e.recorded >= ${millisOf('$3')} AND e.recorded < ${millisOf('$4')}
    AND (e.recorded, e.event_guid) < (${millisOf('$5')}, $6::uuid)
  ORDER BY e.recorded DESC, e.event_guid DESC LIMIT $7::bigint`;
/** Those who took part in the events of a key: steps from one to the next along the index. */
const ACTORS = `(WITH RECURSIVE steps AS (
    (SELECT actor FROM access_event WHERE patient = k.key ORDER BY actor LIMIT 1)
    UNION ALL
    SELECT (SELECT n.actor FROM access_event n WHERE n.patient = k.key AND n.actor > steps.actor ORDER BY n.actor LIMIT 1)
    FROM steps WHERE steps.actor IS NOT NULL
  ) SELECT actor FROM steps WHERE actor IS NOT NULL)`;

const OF_ALL = {
  name: 'access-log-all',
  text: `SELECT DISTINCT p.recorded_at, p.event_guid FROM ${KEYS} CROSS JOIN LATERAL (
      (SELECT recorded_at, event_guid FROM access_log_entry e WHERE ${OF_KEY} ${NEWEST}) UNION ALL (${compactOf('')})) p ${NEWEST}`,
};
/** Begins with the parties of the first filter, so a unit that seldom took part costs no reading of all others. */
const ofParties = (condition: string, ofActor: string) => `SELECT DISTINCT q.recorded_at, q.event_guid FROM (
    SELECT p.recorded_at, p.event_guid FROM ${KEYS} CROSS JOIN unnest($9::text[]) AS f (party) CROSS JOIN LATERAL (
      SELECT recorded_at, event_guid FROM access_log_party e WHERE ${OF_KEY} AND e.party = f.party ${condition} ${NEWEST}) p
    UNION ALL
    SELECT p.recorded_at, p.event_guid FROM ${KEYS} CROSS JOIN LATERAL ${ACTORS} s
      JOIN access_part a ON a.part = s.actor AND a.parties && $9::text[]${ofActor}
      CROSS JOIN LATERAL (${compactOf(' AND e.actor = s.actor')}) p
  ) q ${NEWEST}`;
const OF_ONE = { name: 'access-log-party', text: ofParties('', '') };
const OF_BOTH = {
  name: 'access-log-parties',
  text: ofParties(`AND ${TAKES_PART}`, ' AND a.parties && $10::text[]'),
};

const FIRST = new Date(0);
const LAST = new Date(Date.UTC(9999, 0, 1));
const LAST_GUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function findEntries(
  db: Queryable,
  keys: readonly PatientKey[],
  filter: LogFilter,
  page: { readonly before: TimePosition | null; readonly limit: number },
): Promise<EntryRow[]> {
  const { statement, parties } = statementOf(filter);
  return (await db.query<EntryRow>(statement, [...valuesOf(keys, filter, page), ...parties])).rows;
}

/** How many entries there are, at most `limit`. */
export async function countEntries(
  db: Queryable,
  keys: readonly PatientKey[],
  filter: LogFilter,
  limit: number,
): Promise<number> {
  const { statement, parties } = statementOf(filter);
  return readCount(db, `SELECT count(*)::int AS count FROM (${statement.text}) c`, [
    ...valuesOf(keys, filter, { before: null, limit }),
    ...parties,
  ]);
}

function statementOf({ units, persons }: LogFilter) {
  const parties = [units, persons].filter((each) => each !== null);
  return { statement: [OF_ALL, OF_ONE][parties.length] ?? OF_BOTH, parties };
}

function valuesOf(
  keys: readonly PatientKey[],
  filter: LogFilter,
  { before, limit }: { readonly before: TimePosition | null; readonly limit: number },
): unknown[] {
  return [
    keys.map(({ id }) => id),
    keys.map(({ service }) => service),
    filter.since ?? FIRST,
    filter.until ?? LAST,
    before?.recordedAt ?? LAST,
    before?.eventGuid ?? LAST_GUID,
    limit,
    keys.map(({ id }) => resourceKey(id)),
  ];
}

/** Whether one of these Patients is protected, and hidden from the reader of the filter (docs/adr/0076). */
export async function hasHiddenPatient(
  db: Queryable,
  ids: readonly string[],
  filter: UnprotectedFilter,
): Promise<boolean> {
  const values = new SqlValues();
  const rows = `FROM fhir_resource r WHERE r.type = ${values.key(nameKey('Patient'))}
    AND r.rid = ANY(${values.bind(ids.map(resourceKey), 'uuid[]')}) AND NOT r.deleted`;
  const text = `SELECT ${rows} AND NOT ${unprotectedCondition(filter, 'r', values)} LIMIT 1`;
  return (await db.query(text, values.list)).rowCount > 0;
}

/** The texts of AuditEvents by their guid. */
export async function readEvents(db: Queryable, guids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ rid: string; content: string }>(
    {
      name: 'access-log-events',
      text: 'SELECT rid, content FROM fhir_resource_all WHERE type = $1 AND rid = ANY($2::uuid[]) AND NOT deleted',
    },
    [AUDIT_EVENT, guids],
  );
  return new Map(rows.map(({ rid, content }) => [rid, content]));
}

/**
 * Those who took part in a log, at most `limit`. Steps from one party to the next along the key, whatever the number of
 * events.
 */
export async function findParties(db: Queryable, keys: readonly PatientKey[], limit: number): Promise<string[]> {
  const { rows } = await db.query<{ party: string }>(
    {
      name: 'access-log-all-parties',
      text: `SELECT DISTINCT s.party FROM (SELECT DISTINCT id, key FROM unnest($1::text[], $3::uuid[]) AS u (id, key)) k CROSS JOIN LATERAL (
        (WITH RECURSIVE steps AS (
          (SELECT party FROM access_log_party WHERE patient_id = k.id ORDER BY party LIMIT 1)
          UNION ALL
          SELECT (SELECT p.party FROM access_log_party p WHERE p.patient_id = k.id AND p.party > steps.party
            ORDER BY p.party LIMIT 1) FROM steps WHERE steps.party IS NOT NULL
        ) SELECT party FROM steps WHERE party IS NOT NULL LIMIT $2)
        UNION ALL
        SELECT unnest(a.parties) FROM ${ACTORS} s JOIN access_part a ON a.part = s.actor) s LIMIT $2`,
    },
    [keys.map(({ id }) => id), limit, keys.map(({ id }) => resourceKey(id))],
  );
  return rows.map(({ party }) => party);
}

export interface LocalNameRow {
  party: string;
  valid_from: Date;
  name: string;
  role: string | null;
}

/** What the engine's own providers, users and keys were called, in the order of time. */
export async function findLocalNames(db: Queryable, parties: readonly string[]): Promise<LocalNameRow[]> {
  const { rows } = await db.query<LocalNameRow>(
    {
      name: 'access-log-names',
      text: `SELECT party, valid_from, name, role FROM known_name WHERE party = ANY($1::text[]) ORDER BY party, valid_from`,
    },
    [parties],
  );
  return rows;
}

const AUDIT_EVENT = nameKey('AuditEvent');

export interface Backfill {
  readonly after: string;
  readonly run: number;
  readonly isDue: boolean;
}

/** How far older AuditEvents have been entered, locked; undefined when all are, or another node is at it. */
export async function lockBackfill(db: Queryable, now: Date): Promise<Backfill | undefined> {
  const { rows } = await db.query<{ after: string; run: number; is_due: boolean }>(
    `SELECT after, run, starts_at <= $1 AS is_due FROM access_log_backfill WHERE finished_at IS NULL FOR UPDATE SKIP LOCKED`,
    [now],
  );
  const [row] = rows;
  return row && { after: row.after, run: row.run, isDue: row.is_due };
}

/** AuditEvents after this guid that services have brought. What clients have written belongs to an organisation. */
export async function readOlderEvents(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ rid: string; content: string }[]> {
  const { rows } = await db.query<{ rid: string; content: string }>(
    `SELECT rid, content FROM fhir_resource
     WHERE type = $1 AND rid > $2 AND organisation IS NULL AND NOT deleted ORDER BY rid LIMIT $3`,
    [AUDIT_EVENT, after, limit],
  );
  return rows;
}

export async function moveBackfill(db: Queryable, after: string): Promise<void> {
  await db.query('UPDATE access_log_backfill SET after = $1', [after]);
}

/** The next run begins at `startsAt` and ends after the last one. */
export async function endRun(
  db: Queryable,
  ended: { readonly run: number; readonly startsAt: Date; readonly at: Date },
) {
  await db.query(
    `UPDATE access_log_backfill SET run = run + 1, after = '00000000-0000-0000-0000-000000000000', starts_at = $2,
       finished_at = CASE WHEN run >= 2 THEN $3::timestamptz END WHERE run = $1`,
    [ended.run, ended.startsAt, ended.at],
  );
}
