// Access records become audit events: none is lost or doubled, whichever process dies in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal, makeTestLogger } from '#test/support/http-app.ts';
import {
  type AccessedVersion,
  type AccessRecord,
  PENDING_END,
  type PendingRecord,
  packPending,
  packRecords,
  unpackBatch,
} from './access-batch.ts';
import { createAccessLog, recordPatientAccess } from './access-log.ts';
import { registerAccessMetrics } from './access-metrics.ts';
import { createAccessUnpacker, type EntriesOfAccess } from './access-unpacker.ts';
import { recordTimedEntries } from './audit.ts';
import type { AuditEntry } from './audit-event.ts';
import { auditMigrations } from './migrations.ts';

const schemas = [{ schema: 'sample', migrations: [auditMigrations] }];
const clock = { now: () => Date.UTC(2030, 4, 1) };
const nurse = makePrincipal(['clinician', 'professional'], { professionalGuid: 'p-1' });

function accessTo(id: string, principal = nurse): AccessRecord {
  return {
    action: 'R',
    event: 'patient.read',
    principal,
    address: '192.0.2.1',
    requestId: `r-${id}`,
    resourceType: 'Patient',
    versions: [{ resourceType: 'Patient', id, version: 3 }],
  };
}

/** One entry for each accessed version. */
const entriesOf: EntriesOfAccess = async (_tx, records) =>
  records.map(({ versions, resourceType: _, ...head }) => versions.map(({ id }) => ({ ...head, patientGuid: id })));

async function makeSite(hooks: { after(cleanUp: () => Promise<void>): void }) {
  const { database } = await createTestDatabase(hooks, { schemas });
  const db = database('sample');
  const unpacker = (entries = entriesOf) =>
    createAccessUnpacker({ database: db, service: 'sample', entriesOf: entries, log: makeTestLogger() });
  const events = async () => {
    const { rows } = await db.query<{ resource: string }>('SELECT resource FROM audit_event ORDER BY event_guid');
    return rows.map((row) => JSON.parse(row.resource));
  };
  const waiting = async () => (await db.query('SELECT FROM audit_look')).rowCount;
  return { db, log: createAccessLog({ database: db, clock }), unpacker, events, waiting };
}

test('a batch is read as it was written', () => {
  const records: AccessRecord[] = [
    accessTo('a'),
    { ...accessTo('b', makePrincipal(['patient'], { patientGuid: 'b' })), resourceType: undefined, versions: [] },
    {
      ...accessTo('c'),
      versions: [
        ...accessTo('c').versions,
        { resourceType: 'Patient', id: 'd', version: 12 },
        { resourceType: 'Observation', id: 'o-1.2', version: 1 },
        { resourceType: 'Patient', id: 'e', version: 1 },
      ],
    },
  ];
  const { records: read } = unpackBatch(packRecords(records));
  for (const [index, record] of records.entries()) {
    const { kind, id, roles, patientGuid, professionalGuid, organisationGuids } = record.principal;
    const principal = {
      kind,
      id,
      roles,
      organisationGuids,
      ...(patientGuid === undefined ? {} : { patientGuid }),
      ...(professionalGuid === undefined ? {} : { professionalGuid }),
    };
    assert.deepEqual(read[index], { ...record, principal });
  }
});

test('a batch packed before its result is known equals one packed afterwards', () => {
  const patient = makePrincipal(['patient'], { patientGuid: 'b' });
  const coming = (id: string, changes: Partial<PendingRecord> = {}): PendingRecord => {
    const { versions: _, ...record } = accessTo(id);
    return { ...record, resourceType: 'Patient', id, ...changes };
  };
  const observation = { event: 'observation.vread', resourceType: 'Observation' };
  const reads = [coming('a'), coming('b', { principal: patient }), coming('c', observation), coming('d'), coming('e')];
  const afterwards = (place: number, version: number): AccessRecord[] =>
    reads
      .slice(place, place + 1)
      .map(({ id, ...head }) => ({ ...head, versions: [{ ...head, id, version }].map(versionOf) }));
  const shown: [number, number][] = [
    [2, 7],
    [0, 3],
    [1, 1],
    [4, 12],
  ];
  const text = `${packPending(reads)}${shown.map((each) => each.join('/')).join(' ')}${PENDING_END}`;
  assert.deepEqual(
    unpackBatch(text),
    unpackBatch(packRecords(shown.flatMap(([place, version]) => afterwards(place, version)))),
  );
  assert.throws(() => unpackBatch(`${packPending(reads)}5/1${PENDING_END}`), TypeError);
  // An earlier release must not read it as a batch without records.
  assert.ok(!('looks' in JSON.parse(text)));
});

function versionOf({ resourceType, id, version }: AccessedVersion): AccessedVersion {
  return { resourceType, id, version };
}

test('a batch of an earlier release, without types of versions, is read', () => {
  const versions = ['Patient', 'a', 3, 'Observation', 'o', 1];
  const looks = [[0, 'E', 'system.search', '192.0.2.1', 'r-1', null, versions]];
  const [read] = unpackBatch(JSON.stringify({ who: [['api_key', 'k', [], null, null]], looks })).records;
  assert.deepEqual(read?.versions, [
    { resourceType: 'Patient', id: 'a', version: 3 },
    { resourceType: 'Observation', id: 'o', version: 1 },
  ]);
});

test('access records are stored when their promise resolves, and become events with their own time', async (t) => {
  const { log, unpacker, events, waiting } = await makeSite(t);
  await Promise.all(Array.from({ length: 200 }, (_, index) => log.record(accessTo(`p${index}`))));
  assert.ok((await waiting()) > 0);
  assert.deepEqual(await events(), []);
  await unpacker().unpackAll();
  const found = await events();
  assert.equal(await waiting(), 0);
  assert.deepEqual(found.map((event) => event.patient.reference).sort(), expectedPatients(200));
  const [first] = found;
  assert.equal(first.recorded, '2030-05-01T00:00:00.000Z');
  assert.equal(first.agent[0].who.reference, 'Practitioner/p-1');
  assert.deepEqual(first.agent[0].role, [{ text: 'clinician' }, { text: 'professional' }]);
  assert.equal(first.agent[0].networkString, '192.0.2.1');
});

function expectedPatients(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Patient/p${index}`).sort();
}

test('several nodes that unpack at once write one event for each access', async (t) => {
  const { log, unpacker, events, waiting } = await makeSite(t);
  for (let index = 0; index < 120; index += 1) await log.record(accessTo(`p${index}`));
  await Promise.all(Array.from({ length: 4 }, () => unpacker().unpackAll()));
  assert.equal(await waiting(), 0);
  assert.deepEqual((await events()).map((event) => event.patient.reference).sort(), expectedPatients(120));
});

test('a node that crashes while it unpacks leaves the whole batch to the next one', async (t) => {
  const { db, log, unpacker, events, waiting } = await makeSite(t);
  await log.record(accessTo('p0'));
  const dying = unpacker(async (tx) => {
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
    return [];
  });
  await assert.rejects(dying.unpackAll());
  assert.deepEqual([await waiting(), await events()], [1, []]);
  assert.equal((await db.query("SELECT FROM audit_look WHERE next_at > '-infinity'")).rowCount, 0);
  // The server ends the transaction a moment after it has closed the connection; until then the row is locked.
  await eventually('the next one has unpacked it', async () => {
    await unpacker().unpackAll();
    return (await waiting()) === 0 ? true : undefined;
  });
  assert.equal((await events()).length, 1);
});

test('a batch that cannot be unpacked delays no other, and stays stored', async (t) => {
  const { log, unpacker, events, waiting } = await makeSite(t);
  for (const id of ['p0', 'bad', 'p1']) await log.record(accessTo(id));
  await unpacker(async (tx, records) => {
    if (records.some(({ requestId }) => requestId === 'r-bad')) throw new Error('no idea whose this is');
    return entriesOf(tx, records);
  }).unpackAll();
  assert.deepEqual((await events()).map((event) => event.patient.reference).sort(), expectedPatients(2));
  assert.equal(await waiting(), 1);
});

test('a record within a transaction is rolled back with it', async (t) => {
  const { db, log, waiting } = await makeSite(t);
  await db.transaction((tx) => log.recordWithin(tx, accessTo('kept')));
  const failing = db.transaction(async (tx) => {
    await log.recordWithin(tx, accessTo('lost'));
    throw new Error('changed my mind');
  });
  await assert.rejects(failing);
  assert.equal(await waiting(), 1);
});

test('a read that cannot be recorded fails, and the next one is recorded again', async (t) => {
  const { db, log, waiting } = await makeSite(t);
  await db.query('ALTER TABLE audit_look RENAME TO elsewhere');
  await assert.rejects(log.record(accessTo('a')));
  await db.query('ALTER TABLE elsewhere RENAME TO audit_look');
  await log.record(accessTo('a'));
  assert.equal(await waiting(), 1);
});

test('stored records cannot be changed, and only the unpacker deletes them', async (t) => {
  const { db, log } = await makeSite(t);
  await log.record(accessTo('a'));
  for (const sql of ['DELETE FROM audit_look', "UPDATE audit_look SET looks = '{}'", 'TRUNCATE audit_look']) {
    await assert.rejects(db.query(sql), /kept until/, sql);
  }
});

test('the loop unpacks by itself', async (t) => {
  const { log, unpacker, events } = await makeSite(t);
  const loop = unpacker();
  await log.record(accessTo('a'));
  loop.start();
  t.after(() => loop.stop());
  await eventually('the access is an event', async () => ((await events()).length === 1 ? true : undefined));
});

test('a metric shows how long the oldest access record has waited', async (t) => {
  const { db, log, unpacker } = await makeSite(t);
  const metrics = createMetrics('sample');
  registerAccessMetrics(metrics, { database: db, clock: { now: () => clock.now() + 90_000 } });
  const shown = async () => /^kedja_audit_oldest_look_seconds\{.*\} (.*)$/m.exec(await metrics.text())?.[1];
  assert.equal(await shown(), '0');
  await log.record(accessTo('a'));
  assert.equal(await shown(), '90');
  await unpacker().unpackAll();
  assert.equal(await shown(), '0');
  await db.query('DROP TABLE audit_look');
  assert.equal(await shown(), 'Nan');
});

test('each patient whose data a job accessed gets an event, with the time of the access', async (t) => {
  const { db, unpacker, events, waiting } = await makeSite(t);
  const patients = Array.from({ length: 600 }, (_, index) => `p${index}`);
  const people = {
    action: 'E',
    event: 'bulk.import',
    principal: nurse,
    entities: ['bulk-import/1'],
    patients,
  } as const;
  await db.transaction((tx) => recordPatientAccess(tx, clock.now(), people));
  assert.equal(await waiting(), 3);
  await unpacker().unpackAll();
  const found = await events();
  assert.deepEqual(found.map((event) => event.patient.reference).sort(), expectedPatients(600));
  const [{ action, recorded, agent, entity, code }] = found;
  assert.deepEqual(
    [action, recorded, agent[0].who.reference, entity[0].what.identifier.value, code.coding[0].code],
    ['E', '2030-05-01T00:00:00.000Z', 'Practitioner/p-1', '1', 'bulk.import'],
  );
});

test('complete events from the access log equal those that are recorded directly', async (t) => {
  const { db, log, unpacker, events, waiting } = await makeSite(t);
  const decision = { action: 'E', event: 'consent.decision', requestId: 'r-1' } as const;
  const entries: AuditEntry[] = [
    {
      ...decision,
      principal: nurse,
      patientGuid: 'a',
      entities: ['request/1', 'Consent/c'],
      detail: 'feed: permitted',
    },
    { ...decision, principal: nurse, patientGuid: 'b', entities: ['request/2'], detail: 'feed: permitted' },
    { ...decision, principal: undefined, outcome: 'failure', detail: 'feed: refused', address: '192.0.2.1' },
    { action: 'R', event: 'users.list', principal: makePrincipal(['admin']), subjectGuid: newGuid() },
  ];
  const sorted = async () =>
    (await events())
      .map(({ id: _, ...event }) => event)
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  await recordTimedEntries(
    db,
    'sample',
    entries.map((entry) => ({ entry, recordedAt: clock.now() })),
  );
  const atOnce = await sorted();
  await log.recordEvents([]);
  await log.recordEvents(entries);
  assert.deepEqual([await waiting(), (await events()).length], [1, 4]);
  const { rows } = await db.query<{ looks: string }>('SELECT looks FROM audit_look');
  // An earlier release must not read it as a batch without records.
  assert.ok(!('looks' in JSON.parse(rows[0]?.looks ?? '')));
  await unpacker().unpackAll();
  assert.equal(await waiting(), 0);
  assert.deepEqual(
    await sorted(),
    atOnce.flatMap((event) => [event, event]),
  );
});
