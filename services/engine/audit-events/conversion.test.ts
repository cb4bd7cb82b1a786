// Audit events that earlier releases stored as resources are brought into their compact form while the system serves
// (docs/adr/0145). Cut at any statement, nothing is lost, doubled or changed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { buildAuditEvent } from '#lib/audit/audit-event.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { BASE_URL, CALLERS, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { enterEvents } from '../access-log/entries.ts';
import { createEventConversion } from './conversion.ts';
import { readConversion } from './conversion-store.ts';

const { call, clock, database } = await startTestEngine({ after });
const parameters = loadSearchParameters(BASE_URL);
const START = Date.parse('2025-01-20T00:00:00Z');
const EVENTS = 450;

/** A UUIDv7 of that time. */
function guidAt(millis: number, n: number): string {
  const time = millis.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** The texts of all, by their ids. */
async function texts(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ rid: string; content: string }>(
    'SELECT rid, content FROM fhir_resource_all WHERE type = 704291728 ORDER BY rid',
  );
  assert.equal(new Set(rows.map(({ rid }) => rid)).size, rows.length, 'none is there twice');
  return new Map(rows.map(({ rid, content }) => [rid, content]));
}

async function resources(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM fhir_resource WHERE type = 704291728',
  );
  return rows[0]?.count ?? -1;
}

const SEARCHES = [
  `patient=Patient/${PATIENT}`,
  `patient=Patient/${PATIENT}&_sort=-date`,
  `patient=Patient/${PATIENT}&action=U`,
  'date=lt2025-02-01',
  'outcome=success',
];

/** What is found, and in what order. */
async function found(): Promise<unknown> {
  const pages = SEARCHES.map(async (query) => {
    const { body, text, status } = await call('admin', 'GET', `/AuditEvent?${query}&_count=50`);
    assert.equal(status, 200, text);
    return [query, body.total, body.entry.map(({ resource }: { resource: { id: string } }) => resource.id)];
  });
  return Promise.all(pages);
}

/** Ids and times of the patient's log. */
async function accessLog(): Promise<unknown> {
  const { body, text, status } = await call('admin', 'GET', `/access-log?patient=${PATIENT}&limit=100`);
  return status === 200 ? body : text;
}

let originals: ReadonlyMap<string, string>;

before(async () => {
  // The first run starts when the tables are made.
  clock.time = Date.now() + 60_000;
  await call('planner', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT });
  const store = createFhirStore({ parameters, clock, validate: () => [] });
  for (let n = 0; n < EVENTS; n += 50) {
    const events = Array.from({ length: 50 }, (_, index) => {
      const at = START + (n + index) * 0.1 * DAY_MS;
      const id = guidAt(at, n + index);
      const event = {
        ...buildAuditEvent(id, 'engine', at - (index === 7 ? 3 * DAY_MS : 0), {
          action: index % 3 === 0 ? 'U' : 'R',
          event: 'patient.read',
          principal: CALLERS['planner'],
          ...(index % 5 === 0 ? {} : { patientGuid: PATIENT }),
          entities: [`Patient/${PATIENT}`, ...(index % 4 === 0 ? ['Observation/o'] : [])],
          requestId: `request-${n + index}`,
          ...(index % 6 === 0 ? { detail: 'Räksmörgås "nattskift"' } : {}),
        }),
      };
      // What has no compact form stays as it is.
      return { id, event: index === 9 ? { ...event, note: 'another' } : event };
    });
    clock.time += 1_000;
    await database.transaction(async (tx) => {
      const given = events.map(({ id, event }) => ({
        source: readResourceText(JSON.stringify(event)),
        id,
        organisation: null,
      }));
      await store.createMany(tx, given);
      await enterEvents(
        tx,
        events.map(({ event }) => event),
      );
    });
  }
  originals = await texts();
  assert.equal(originals.size >= EVENTS, true);
});

function conversionOver(over: Database) {
  return createEventConversion({ database: over, clock, log: makeTestLogger(), parameters });
}

/** The database, whose connection is ended by the server before the statement of this number. */
function cutAt(number: number): { readonly database: Database; readonly hasCut: () => boolean } {
  let statements = 0;
  let hasCut = false;
  const through = (tx: Transaction): Transaction => ({
    ...tx,
    query: async (statement, values) => {
      statements += 1;
      if (statements === number) {
        hasCut = true;
        const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        // It returns when the backend has ended: it would carry out the statement if the signal came later.
        await database.query('SELECT pg_terminate_backend($1, 60000)', [rows[0]?.pid]);
      }
      return tx.query(statement, values);
    },
  });
  const cut: Database = {
    ...database,
    transaction: (work, options) => database.transaction((tx) => work(through(tx)), options),
  };
  return { database: cut, hasCut: () => hasCut };
}

test('cut at any statement, an event is there once, as it was, and the next step goes on', async () => {
  const expected = await found();
  const { step } = conversionOver(database);
  // The months come first, and are waited for.
  assert.equal(await step(), false);
  assert.equal(await resources(), originals.size);
  const { rows: months } = await database.query('SELECT FROM access_event_month WHERE month < $1', [
    Date.UTC(2025, 11),
  ]);
  assert.ok(months.length > 0);
  clock.time += 5_000;
  await delay(1_500);
  for (let number = 1; ; number += 1) {
    const { database: cut, hasCut } = cutAt(number);
    const done = await conversionOver(cut)
      .step()
      .catch(() => undefined);
    assert.deepEqual(await texts(), originals, `cut at statement ${number}`);
    if (!hasCut()) {
      assert.equal(done, true);
      break;
    }
  }
  const left = await resources();
  assert.ok(left < originals.size, `${left} resources are left`);
  assert.deepEqual(await found(), expected);
});

test('searches and access logs find the same while it goes on, and what has no compact form stays', async () => {
  const [expected, log] = [await found(), await accessLog()];
  const { step } = conversionOver(database);
  let steps = 0;
  for (let run = 1; run <= 2; run += 1) {
    for (let more = true; more; ) {
      steps += 1;
      assert.ok(steps < 100, 'it comes to an end');
      [more] = await Promise.all([step(), found().then((now) => assert.deepEqual(now, expected))]);
      if (more) continue;
      // A month is waited for, or the run has ended.
      const state = (await readConversion(database)) ?? assert.fail();
      if (state.run !== run || state.finishedAt !== null) break;
      clock.time += 5_000;
      // So long the engine remembers the months.
      await delay(1_500);
      more = true;
    }
    clock.time += 3_600_000;
  }
  const state = await readConversion(database);
  assert.ok(state?.finishedAt instanceof Date);
  assert.deepEqual(await texts(), originals);
  assert.deepEqual([await found(), await accessLog()], [expected, log]);
  const kept = [...originals.values()].filter((text) => text.includes('"note"')).length;
  assert.equal(await resources(), kept);
  assert.equal(state.converted, originals.size - kept);
  assert.equal(await step(), false);
  const { rows } = await database.query('SELECT FROM access_log_entry e JOIN access_event USING (event_guid)');
  assert.equal(rows.length, 0, 'the log has them once');
});
