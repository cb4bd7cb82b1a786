// Fills months with audit events in their compact form (docs/adr/0126), by SQL: ten million in minutes. Kinds and
// actors are made as the engine makes them; the rows of a month name them at random.
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Actor } from '#lib/auth/principal.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { firstGuidOf } from '#lib/retention/rule.ts';
import { createCompactEntry } from '#services/engine/audit-events/compact-entry.ts';
import { type CompactEvent, createCompacting } from '#services/engine/audit-events/compact-event.ts';
import { createCompactStore } from '#services/engine/audit-events/compact-store.ts';
import { createEventCounting } from '#services/engine/audit-events/counting.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { guidOf } from '../engine/random.ts';
import { progress } from '../report.ts';

const BASE_URL = 'http://localhost:8080/engine/api/v1';
export const PEOPLE = 400;
const EVENTS = ['patient.read', 'patient.search-type', 'observation.read', 'observation.search-type', 'care-plan.read'];
/** Rows of one statement: it is planned and committed a few times, and shows how far it is. */
const PART = 1_000_000;
/** So many observations of each patient are looked at. */
const ENTITIES = 4;

export interface Months {
  /** The last moment of the newest month, in milliseconds. */
  readonly until: number;
  readonly months: number;
  /** In each month. */
  readonly events: number;
  readonly patients: number;
}

/** First moments of the months, newest first. */
function monthsBefore(until: number, months: number): number[] {
  const newest = new Date(until);
  return Array.from({ length: months }, (_, n) => Date.UTC(newest.getUTCFullYear(), newest.getUTCMonth() - n, 1));
}

/** The guid of the n-th patient; the database makes the same one. */
export function patientGuid(n: number): string {
  return `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** The guid of an observation of the n-th patient. */
export function entityGuid(n: number): string {
  return `01900000-0000-7000-9000-${(n * ENTITIES).toString(16).padStart(12, '0')}`;
}

/** The id of the n-th person who reads. */
export function practitionerGuid(n: number): string {
  return guidOf('practitioner', n);
}

/**
 * Stores the events, and analyses the tables. A month gets its indexes when it is full, when it is attached: that is
 * three times as fast.
 */
export async function fillMonths(database: Database, { until, months, events, patients }: Months): Promise<void> {
  await database.query("SELECT set_config('maintenance_work_mem', '512MB', false)");
  const parts = sampleEvents(until, PEOPLE);
  const store = createCompactStore();
  await database.transaction((tx) => store.insert(tx, parts, new Date(until)));
  for (const first of monthsBefore(until, months)) {
    const month = new Date(first).toISOString().slice(0, 7);
    const [name, own] = [`access_event_${month.replace('-', '_')}`, monthOf(first)];
    await database.query(`CREATE TABLE ${name} (LIKE access_event INCLUDING DEFAULTS)`);
    const last = Math.min(until, own.until);
    for (let done = 0; done < events; done += PART) {
      progress(`${month}: ${done} of ${events} events`);
      const rows = Math.min(PART, events - done);
      await database.query(insertInto(name), [first, last - first, rows, patients, ...partColumns(parts)]);
    }
    progress(`${month}: indexes`);
    await database.query(
      `ALTER TABLE access_event ATTACH PARTITION ${name} FOR VALUES FROM ('${own.first}') TO ('${own.below}')`,
    );
    await database.query('SELECT add_access_event_month($1::bigint)', [first]);
    await database.query('INSERT INTO access_event_month (month, earliest) VALUES ($1, $1)', [first]);
    await database.query(`VACUUM ANALYZE ${name}`);
  }
  await database.query('ANALYZE access_event, access_event_value, access_part, access_part_value');
  await countMonths(database);
}

/** As the engine does in the background with months that are over. */
async function countMonths(database: Database): Promise<void> {
  const { step } = createEventCounting({ database, clock: systemClock, log: makeTestLogger() });
  while (await step()) progress('counts');
  // As if that was long ago.
  await database.query("UPDATE access_event_month SET counted_at = counted_at - interval '1 day'");
  await database.query('VACUUM ANALYZE access_event_patient');
}

const insertInto = (
  table: string,
) => `WITH kinds AS (SELECT array_agg(DISTINCT k) AS kinds FROM unnest($5::bigint[]) k),
    actors AS (SELECT actor, agent, (row_number() OVER (ORDER BY actor))::int AS place
      FROM (SELECT DISTINCT ON (actor) actor, agent FROM unnest($6::bigint[], $7::uuid[]) AS u (actor, agent)) d),
    sizes AS (SELECT (SELECT count(*)::int FROM actors) AS actors, cardinality(kinds) AS kinds FROM kinds),
    made AS MATERIALIZED (SELECT n, $1::bigint + (random() * ($2::bigint - 1))::bigint AS at,
      1 + (random() * ((SELECT kinds FROM sizes) - 1))::int AS kind, 1 + (random() * ((SELECT actors FROM sizes) - 1))::int AS actor,
      (random() * ($4::int - 1))::bigint AS patient, md5(random()::text) AS noise FROM generate_series(1, $3::bigint) n)
  INSERT INTO ${table} (event_guid, recorded, stored_at, kind, actor, patient, agent, agent_type, entity, entity_type,
    address, request, entities)
  SELECT (lpad(to_hex(m.at), 12, '0') || '7' || left(m.noise, 3) || '8' || substr(m.noise, 4, 15))::uuid, m.at,
    to_timestamp(m.at / 1000.0), (SELECT kinds[m.kind] FROM kinds), a.actor, p.patient, a.agent, $8::int, e.entity, $9::int,
    '10.0.' || (m.actor % 250) || '.17', 'req-' || substr(m.noise, 1, 12), 'Observation/' || e.entity
  FROM made m JOIN actors a ON a.place = m.actor
    CROSS JOIN LATERAL (SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(m.patient), 12, '0'))::uuid AS patient) p
    CROSS JOIN LATERAL (SELECT ('01900000-0000-7000-9000-'
      || lpad(to_hex(m.patient * ${ENTITIES} + m.n % ${ENTITIES}), 12, '0'))::uuid AS entity) e`;

function monthOf(first: number): { readonly until: number; readonly first: string; readonly below: string } {
  const until = Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 1);
  return { until, first: firstGuidOf(new Date(first)), below: firstGuidOf(new Date(until)) };
}

function partColumns(events: readonly CompactEvent[]): unknown[] {
  return [
    events.map(({ kind }) => kind.part),
    events.map(({ actor }) => actor.part),
    events.map(({ agent }) => agent?.key ?? null),
    events[0]?.agent?.type,
    events[0]?.entity?.type,
  ];
}

const compactEntry = createCompactEntry(createCompacting(loadSearchParameters(BASE_URL)), 'engine');

/** An event of each of so many people, with the kinds in turn. */
export function sampleEvents(recordedAt: number, people: number): CompactEvent[] {
  return Array.from({ length: people }, (_, n) => {
    const entry = {
      action: 'R',
      event: EVENTS[n % EVENTS.length] ?? '',
      principal: personOf(n),
      patientGuid: patientGuid(n),
      address: '10.0.0.1',
      requestId: newGuid(),
      entities: [`Observation/${newGuid()}`],
    } as const;
    const event = compactEntry({ entry, recordedAt });
    if (event === undefined) throw new Error('An access of the benchmark has no compact form');
    return event;
  });
}

function personOf(n: number): Actor {
  return {
    kind: 'identity_user',
    id: guidOf('practitioner', PEOPLE + n),
    roles: new Set(['professional', 'clinician']),
    professionalGuid: practitionerGuid(n),
    organisationGuids: [guidOf('organisation', n % 20)],
  };
}
