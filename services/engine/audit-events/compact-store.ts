// Stores events in their compact form: SQL only. One statement for all of a batch, with the parts that are not known to
// be stored; the partitions of their months are made before.
import { nameKey } from '#fhir/search/extract/keys.ts';
import { plainArray, textArray } from '#lib/db/array-text.ts';
import type { PreparedStatement, Transaction } from '#lib/db/database.ts';
import type { AccessPart, CompactEvent, PartValue } from './compact-event.ts';
import { monthOfGuid } from './month.ts';

export interface CompactStore {
  /** Stores the events in the caller's transaction; one whose id is stored already, in whatever form, is left. */
  insert(tx: Transaction, events: readonly CompactEvent[], storedAt: Date): Promise<void>;
  /** The same of events with new ids. */
  insertNew(tx: Transaction, events: readonly CompactEvent[], storedAt: Date): Promise<void>;
}

const MAX_KNOWN = 20_000;
const AUDIT_EVENT = nameKey('AuditEvent');
const PATIENT = nameKey('Patient');

const COLUMNS: readonly (readonly [name: string, type: string, read: (event: CompactEvent) => unknown])[] = [
  ['event_guid', 'uuid', ({ guid }) => guid],
  ['recorded', 'bigint', ({ recorded }) => recorded],
  ['kind', 'bigint', ({ kind }) => kind.part],
  ['actor', 'bigint', ({ actor }) => actor.part],
  ['patient', 'uuid', ({ patient }) => patient],
  ['agent', 'uuid', ({ agent }) => agent?.key],
  // The view takes the patient where there is a type alone: most looks at a Patient are at that one.
  [
    'entity',
    'uuid',
    ({ entity, patient }) => (entity?.type === PATIENT && entity.key === patient ? null : entity?.key),
  ],
  ['agent_type', 'int', ({ agent }) => agent?.type],
  ['entity_type', 'int', ({ entity }) => entity?.type],
  ['patient_id', 'text', ({ patientId }) => patientId],
  ['address', 'text', ({ address }) => address],
  ['request', 'text', ({ request }) => request],
  ['detail', 'text', ({ detail }) => detail],
  ['entities', 'text', ({ entities }) => entities],
];
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ');
const VALUES_AT = COLUMNS.length + 2;

/** The values of the index come last: the place of the event, then the value's columns. */
const INSERT: PreparedStatement = {
  name: 'access-events-insert',
  text: `WITH stored AS (
      INSERT INTO access_event (stored_at, ${NAMES}) SELECT $1::timestamptz, u.* FROM unnest(${ARRAYS}) AS u(${NAMES})
      WHERE NOT EXISTS (SELECT FROM fhir_resource r WHERE r.type = ${AUDIT_EVENT} AND r.rid = u.event_guid)
      ON CONFLICT (event_guid) DO NOTHING RETURNING event_guid)
    INSERT INTO access_event_value (event_guid, param, number, target, text)
    SELECT v.* FROM unnest(${valueArrays('uuid', VALUES_AT)}) AS v(event_guid, param, number, target, text) JOIN stored USING (event_guid)`,
};

/** Unnested in the SELECT list: as a table function PostgreSQL would first store all rows. */
const INSERT_NEW: PreparedStatement = {
  name: 'access-events-insert-new',
  text: `INSERT INTO access_event (stored_at, ${NAMES})
    SELECT $1::timestamptz, ${COLUMNS.map(([, type], index) => `unnest($${index + 2}::${type}[])`).join(', ')}`,
};

const INSERT_NEW_VALUES: PreparedStatement = {
  name: 'access-event-values-insert',
  text: `INSERT INTO access_event_value (event_guid, param, number, target, text) SELECT * FROM unnest(${valueArrays('uuid', 1)})`,
};

const INSERT_MONTH: PreparedStatement = {
  name: 'access-event-month',
  text: `INSERT INTO access_event_month AS m (month, earliest) VALUES ($1, $2)
    ON CONFLICT (month) DO UPDATE SET earliest = excluded.earliest WHERE m.earliest > excluded.earliest`,
};

const INSERT_PARTS: PreparedStatement = {
  name: 'access-parts-insert',
  text: `WITH stored AS (
      INSERT INTO access_part (part, pieces, service, parties)
      SELECT part, ARRAY(SELECT json_array_elements_text(pieces)), service,
        CASE WHEN parties IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(parties)) END
      FROM unnest($1::bigint[], $2::json[], $3::text[], $4::json[]) AS u(part, pieces, service, parties) ORDER BY part
      ON CONFLICT (part) DO NOTHING RETURNING part)
    INSERT INTO access_part_value (part, param, number, target, text)
    SELECT v.* FROM unnest(${valueArrays('bigint', 5)}) AS v(part, param, number, target, text) JOIN stored USING (part)`,
};

export function createCompactStore(): CompactStore {
  // What a committed transaction has stored; parts and months are not removed while events need them.
  const parts = new Set<string>();
  /** The earliest time in each month, by its first moment. */
  const months = new Map<number, number>();

  async function addMonths(tx: Transaction, events: readonly CompactEvent[]): Promise<void> {
    const earliest = new Map<number, number>();
    for (const { guid, recorded } of events) {
      const { from } = monthOfGuid(guid);
      if (recorded < (earliest.get(from) ?? Infinity)) earliest.set(from, recorded);
    }
    for (const [month, recorded] of earliest) {
      const known = months.get(month);
      if (known !== undefined && known <= recorded) continue;
      if (known === undefined) await tx.query('SELECT add_access_event_month($1::bigint)', [month]);
      await tx.query(INSERT_MONTH, [month, recorded]);
      tx.afterCommit(() => months.set(month, Math.min(recorded, months.get(month) ?? Infinity)));
    }
  }

  async function addParts(tx: Transaction, events: readonly CompactEvent[]): Promise<void> {
    const all = new Map(events.flatMap(({ kind, actor }) => [kind, actor].map((each) => [each.part, each] as const)));
    const missing = [...all.values()].filter(({ part }) => !parts.has(part));
    if (missing.length === 0) return;
    await tx.query(INSERT_PARTS, partValues(missing));
    tx.afterCommit(() => {
      if (parts.size >= MAX_KNOWN) parts.clear();
      for (const { part } of missing) parts.add(part);
    });
  }

  /** Stores the events by `write`, in the order of ids, so that two nodes with the same events do not deadlock. */
  async function store(
    tx: Transaction,
    events: readonly CompactEvent[],
    write: (sorted: readonly CompactEvent[]) => Promise<unknown>,
  ): Promise<void> {
    if (events.length === 0) return;
    await addMonths(tx, events);
    await addParts(tx, events);
    await write(events.toSorted((a, b) => (a.guid < b.guid ? -1 : 1))).catch((error: unknown) => {
      // A month may have been dropped: it is made again with the next attempt.
      months.clear();
      throw error;
    });
  }

  return {
    insert: (tx, events, storedAt) =>
      store(tx, events, (sorted) => tx.query(INSERT, [...eventColumns(sorted, storedAt), ...furtherValues(sorted)])),
    insertNew: (tx, events, storedAt) =>
      store(tx, events, async (sorted) => {
        await tx.query(INSERT_NEW, eventColumns(sorted, storedAt));
        const further = sorted.filter(({ values }) => values.length > 0);
        if (further.length > 0) await tx.query(INSERT_NEW_VALUES, furtherValues(further));
      }),
  };
}

function eventColumns(events: readonly CompactEvent[], storedAt: Date): unknown[] {
  return [storedAt, ...COLUMNS.map(([, type, read]) => arrayOf(type, events.map(read)))];
}

function furtherValues(events: readonly CompactEvent[]): string[] {
  return valueColumns(events.flatMap(({ guid, values }) => values.map((value) => ({ owner: guid, ...value }))));
}

function partValues(parts: readonly AccessPart[]): unknown[] {
  return [
    plainArray(parts.map(({ part }) => part)),
    textArray(parts.map(({ pieces }) => JSON.stringify(pieces))),
    textArray(parts.map(({ service }) => service)),
    textArray(parts.map(({ parties }) => parties && JSON.stringify(parties))),
    ...valueColumns(parts.flatMap(({ part, values }) => values.map((value) => ({ owner: part, ...value })))),
  ];
}

function valueArrays(owner: string, first: number): string {
  return [owner, 'int', 'bigint', 'uuid', 'text'].map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

function valueColumns(values: readonly (PartValue & { readonly owner: string })[]): string[] {
  return [
    plainArray(values.map(({ owner }) => owner)),
    plainArray(values.map(({ param }) => param)),
    plainArray(values.map(({ number }) => number)),
    plainArray(values.map(({ target }) => target)),
    textArray(values.map(({ text }) => text)),
  ];
}

function arrayOf(type: string, values: readonly unknown[]): string {
  return type === 'text' ? textArray(values) : plainArray(values);
}
