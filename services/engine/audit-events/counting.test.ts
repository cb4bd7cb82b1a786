// Months that are over are counted by the patient (docs/adr/0154). Searches find the same by these counts, whatever
// comes late, is cut or is dropped.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { resourceKey } from '#fhir/search/extract/keys.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { BASE_URL, CALLERS, startTestEngine } from '#test/support/engine/engine.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { eventOf, FILTERS, found, guidAt, holdSearches, type Known, makeMonths } from '../testing/events-of-months.ts';
import { createCompacting } from './compact-event.ts';
import { createCompactStore } from './compact-store.ts';
import { createEventCounting } from './counting.ts';
import { readMonthStates } from './counting-store.ts';
import { dropMonth } from './retention.ts';

const engine = await startTestEngine({ after });
const { clock, database } = engine;
const MONTH = Date.UTC(2024, 3, 1);
const PARTITION = 'access_event_2024_04';
const log = makeTestLogger();
const { compact } = createCompacting(loadSearchParameters(BASE_URL));
let known: Known[] = [];
let made = 0;

before(async () => {
  known = await makeMonths(engine);
  // A day after the last of the months.
  clock.time = Date.UTC(2025, 6, 2);
});

function counting(of: Database = database) {
  return createEventCounting({ database: of, clock, log, events: 4 });
}

async function countAll(): Promise<number> {
  const { step } = counting();
  let steps = 0;
  while (await step()) steps += 1;
  // Searches use counts that every standby has.
  await database.query(
    "UPDATE access_event_month SET counted_at = now() - interval '1 hour' WHERE counted_at IS NOT NULL",
  );
  return steps;
}

/** What was counted, and what there is, by month and patient. */
async function counts(): Promise<{ readonly counted: unknown; readonly there: unknown; readonly late: number }> {
  const counted = await database.query(
    'SELECT month::text, patient::text, events FROM access_event_patient WHERE events IS NOT NULL ORDER BY access_event_patient.month, access_event_patient.patient',
  );
  const there = await database.query(
    `SELECT m.month::text, e.patient::text, count(*)::int AS events
     FROM access_event_month m JOIN access_event e ON e.event_guid >= first_guid_of(to_timestamp(m.month / 1000.0) AT TIME ZONE 'UTC')
       AND e.event_guid < first_guid_of((to_timestamp(m.month / 1000.0) AT TIME ZONE 'UTC') + interval '1 month')
     WHERE e.patient IS NOT NULL AND m.month < $1 GROUP BY m.month, e.patient ORDER BY m.month, e.patient`,
    [Date.UTC(2025, 6, 1)],
  );
  const late = await database.query('SELECT FROM access_event_patient WHERE events IS NULL');
  return { counted: counted.rows, there: there.rows, late: late.rowCount };
}

/** Stores an event of the month that is counted. */
async function comeLate(tx: Transaction, patient: Known['patient'] = 'seldom'): Promise<Known> {
  made += 1;
  const recorded = MONTH + 3 * DAY_MS;
  const id = guidAt(recorded + made, 900 + made);
  const event = compact({ ...eventOf(id, recorded, patient, 'R') }) ?? assert.fail();
  await createCompactStore().insert(tx, [event], new Date(recorded));
  return { id, recorded, patient, action: 'R' };
}

/** The total that a search for the patient says. */
async function totalOf(patient: Known['patient']): Promise<unknown> {
  return (await found(engine, `patient=Patient/${patient}&_count=20`)).totals[0];
}

const knownOf = (name: Known['patient']) => known.filter(({ patient }) => patient === name).length;

test('months are counted in slices, and a step that is cut is done again', async () => {
  const cut = new Error('cut');
  const ofCut: Database = {
    ...database,
    transaction: (work, options) =>
      database.transaction(async (tx) => {
        await work(tx);
        throw cut;
      }, options),
  };
  const { step } = counting();
  for (let n = 0; n < 40; n += 1) {
    await assert.rejects(counting(ofCut).step(), cut);
    assert.equal(await step(), true);
  }
  assert.ok((await countAll()) > 0);
  const { counted, there, late } = await counts();
  assert.deepEqual([counted, late], [there, 0]);
  const states = await readMonthStates(database);
  assert.ok(states.filter(({ isWatched, isSettled }) => isWatched && isSettled).length >= 30);
  assert.equal(await counting().step(), false);
});

/** Counts matter to searches by a patient, and to none that ask for more. */
const OF_PATIENTS = FILTERS.filter(([query]) => /^patient=[\w/-]+(?:&action=U)?$/.test(query));

for (const search of OF_PATIENTS)
  test(`${search[0]}: the same is found by counts`, () => holdSearches(engine, known, search));

test('the total of a patient is read from the counts', async () => {
  const key = resourceKey('long-ago');
  const { rowCount } = await database.query(
    'UPDATE access_event_patient SET events = events + 100 WHERE patient = $1',
    [key],
  );
  assert.ok(rowCount > 0);
  assert.equal(await totalOf('long-ago'), knownOf('long-ago') + 100 * rowCount);
  await database.query('UPDATE access_event_patient SET events = events - 100 WHERE patient = $1', [key]);
  assert.equal(await totalOf('long-ago'), knownOf('long-ago'));
});

test('an event that comes to a counted month is found at once, and counted again later', async () => {
  known.push(await database.transaction((tx) => comeLate(tx)));
  assert.equal((await counts()).late, 1);
  assert.equal(await totalOf('seldom'), knownOf('seldom'));
  known.push(
    await database.transaction((tx) => comeLate(tx, 'long-ago')),
    await database.transaction((tx) => comeLate(tx)),
  );
  assert.equal(await totalOf('long-ago'), knownOf('long-ago'));
  await countAll();
  const { counted, there, late } = await counts();
  assert.deepEqual([counted, late], [there, 0]);
  assert.equal(await totalOf('seldom'), knownOf('seldom'));
});

test('a month is not counted while somebody writes to it, and not without what they write', async () => {
  // As after a restore: the counts are there, and nothing marks what comes.
  await database.query(`DROP TRIGGER access_event_late ON ${PARTITION}`);
  const { step } = counting();
  await database.transaction(async (tx) => {
    known.push(await comeLate(tx, 'often'));
    // The counts go first; then it waits for the writer, but not for long.
    let steps = 0;
    while (await step()) steps += 1;
    assert.equal(steps, 0, 'the step that makes the trigger is undone as a whole');
  });
  await countAll();
  const { counted, there, late } = await counts();
  assert.deepEqual([counted, late], [there, 0]);
});

test('an event that is written while its month is counted is in the counts', async () => {
  await database.query(`DROP TRIGGER access_event_late ON ${PARTITION}`);
  const { step } = counting();
  assert.equal(await step(), true, 'the month is watched');
  const before = await counts();
  assert.notDeepEqual(before.counted, before.there);
  let counted: Promise<boolean> | undefined;
  await database.transaction(async (tx) => {
    known.push(await comeLate(tx, 'often'), await comeLate(tx, 'seldom'));
    // It waits for the marks of these events.
    counted = step();
    const isWaiting = async () => {
      const text = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return (await database.query(text)).rowCount > 0;
    };
    while (!(await isWaiting())) await new Promise(setImmediate);
  });
  assert.equal(await counted, true);
  await countAll();
  const after = await counts();
  assert.deepEqual([after.counted, after.late], [after.there, 0]);
  for (const name of ['often', 'seldom'] as const) assert.equal(await totalOf(name), knownOf(name));
});

test('the counts of a month that is dropped go, and do not count when it comes again', async () => {
  const audit = createAudit({ database, clock, service: 'engine' });
  const dropped = await dropMonth({ database, audit }, '2024-04', { principal: CALLERS['admin'] });
  assert.ok((dropped ?? 0) > 0);
  known = known.filter(({ id }) => id < guidAt(MONTH, 0) || id >= guidAt(Date.UTC(2024, 4, 1), 0));
  const rows = 'SELECT FROM access_event_patient WHERE month = $1';
  assert.ok((await database.query(rows, [MONTH])).rowCount > 0);
  // The month is made again before its counts are gone.
  known.push(await database.transaction((tx) => comeLate(tx, 'long-ago')));
  const [state] = (await readMonthStates(database)).filter(({ month }) => month === MONTH);
  assert.deepEqual([state?.isWatched, state?.isCounted], [false, false]);
  await countAll();
  const again = await counts();
  assert.deepEqual([again.counted, again.late], [again.there, 0]);
  assert.equal((await database.query(rows, [MONTH])).rowCount, 1);
  await dropMonth({ database, audit }, '2024-04', { principal: CALLERS['admin'] });
  await countAll();
  assert.equal((await database.query(rows, [MONTH])).rowCount, 0);
});
