import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makePrincipal, makeTestLogger } from '#test/support/http-app.ts';
import { servicePrincipal } from '../auth/service-credentials.ts';
import type { Database } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import { createAudit } from './audit.ts';
import { buildAuditEvent } from './audit-event.ts';
import { createAuditShipper } from './audit-shipper.ts';
import { auditMigrations } from './migrations.ts';

const schemas = [{ schema: 'sample', migrations: [auditMigrations] }];
const clock = { now: () => Date.UTC(2030, 4, 1) };
const SUBJECT = '01900000-0000-7000-8000-00000000beef';
const principal = makePrincipal(['clinician'], { professionalGuid: 'p-1' });

async function makeSite(hooks: { after(cleanUp: () => Promise<void>): void }) {
  const { database } = await createTestDatabase(hooks, { schemas });
  const db = database('sample');
  const audit = createAudit({ database: db, clock, service: 'sample' });
  const events = async () => {
    const { rows } = await db.query<{ resource: string }>('SELECT resource FROM audit_event ORDER BY event_guid');
    return rows.map((row) => JSON.parse(row.resource));
  };
  return { db, audit, events };
}

test('an event names the actor, the action, the patient, the time and the outcome', async (t) => {
  const { db, audit, events } = await makeSite(t);
  await db.transaction((transaction) =>
    audit.record(transaction, {
      action: 'U',
      event: 'consent.decision',
      principal,
      patientGuid: 'pat-1',
      subjectGuid: SUBJECT,
      entities: ['Consent/c-1'],
      outcome: 'failure',
      detail: 'denied',
      address: '192.0.2.1',
      requestId: 'r-1',
    }),
  );
  const [event] = await events();
  assert.equal(event.recorded, '2030-05-01T00:00:00.000Z');
  assert.deepEqual(event.agent, [
    {
      who: {
        reference: 'Practitioner/p-1',
        identifier: { system: 'https://kedja.dev/ids/identity-user', value: principal.id },
      },
      requestor: true,
      role: [{ text: 'clinician' }],
      networkString: '192.0.2.1',
    },
  ]);
  assert.deepEqual([event.action, event.patient.reference, event.outcome.code.code], ['U', 'Patient/pat-1', 'error']);
  const account = { identifier: { system: 'https://kedja.dev/ids/identity-user', value: SUBJECT } };
  assert.deepEqual([event.entity[0].what, event.entity[0].role.coding[0].code], [account, '11']);
  assert.deepEqual(event.entity[1], { what: { reference: 'Consent/c-1' } });
  const { rows } = await db.query('SELECT event, outcome, actor_guid, subject_guid FROM audit_event');
  const parties = { actor_guid: principal.id, subject_guid: SUBJECT };
  assert.deepEqual(rows, [{ event: 'consent.decision', outcome: 'failure', ...parties }]);
});

test('the event is valid R5 for every kind of entity', () => {
  const entities = [
    'Observation/o-1',
    'delivery/01900000-0000-7000-8000-000000000001',
    'api-key:k 1',
    'Patient',
    'request/',
    'Consent/no id',
  ];
  for (const who of [
    principal,
    undefined,
    servicePrincipal('engine'),
    makePrincipal(['patient'], { patientGuid: 'p' }),
  ]) {
    const event = buildAuditEvent('e-1', 'sample', 0, {
      action: 'E',
      event: 'x',
      principal: who,
      subjectGuid: SUBJECT,
      entities,
      requestId: 'r',
    });
    assert.deepEqual(validateResource(event), []);
  }
});

test('an event of a change that is rolled back is not there', async (t) => {
  const { db, audit, events } = await makeSite(t);
  await assert.rejects(
    db.transaction(async (transaction) => {
      await audit.record(transaction, { action: 'C', event: 'x', principal });
      throw new Error('changed my mind');
    }),
  );
  assert.deepEqual(await events(), []);
});

test('reads are stored when their promise resolves, however many wait at once', async (t) => {
  const { audit, events } = await makeSite(t);
  await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      audit.recordRead({ action: 'R', event: 'patient.read', principal, patientGuid: `p${n}` }),
    ),
  );
  assert.equal((await events()).length, 200);
});

test('a read that cannot be recorded fails', async (t) => {
  const { db, audit } = await makeSite(t);
  await db.query('DROP TABLE audit_outbox');
  await assert.rejects(audit.recordRead({ action: 'R', event: 'patient.read', principal }));
  await assert.rejects(audit.recordRead({ action: 'R', event: 'patient.read', principal }));
});

test('the record is append-only', async (t) => {
  const { db, audit } = await makeSite(t);
  await audit.recordRead({ action: 'R', event: 'x', principal });
  for (const sql of ['DELETE FROM audit_event', "UPDATE audit_event SET resource = '{}'", 'TRUNCATE audit_event']) {
    await assert.rejects(db.query(sql), /append-only/, sql);
  }
});

/** Ships until so many events have been accepted; returns their codes. `receive` throws to refuse a batch. */
async function ship(database: Database, wanted: number, receive: (events: readonly string[]) => unknown) {
  const shipped: string[] = [];
  const done = Promise.withResolvers<void>();
  const shipper = createAuditShipper({
    database,
    log: makeTestLogger(),
    sink: async (events) => {
      receive(events);
      shipped.push(...events.map((text) => JSON.parse(text).code.coding[0].code));
      if (shipped.length === wanted) done.resolve();
    },
  });
  shipper.start();
  await done.promise;
  await shipper.stop();
  return shipped;
}

test('an event that the receiver refuses delays no other, and is not lost', async (t) => {
  const { db, audit } = await makeSite(t);
  for (const event of ['good', 'bad', 'better']) await audit.recordRead({ action: 'R', event, principal });
  const shipped = await ship(db, 2, (events) => {
    if (events.some((text) => text.includes('"bad"'))) throw new ServiceError('upstream_error', 'refused');
  });
  assert.deepEqual(shipped, ['good', 'better']);
  assert.equal((await db.query('SELECT 1 FROM audit_outbox')).rowCount, 1);
});

test('long events are sent in several batches of bounded size', async (t) => {
  const { db, audit } = await makeSite(t);
  const detail = 'x'.repeat(100_000);
  for (let n = 0; n < 10; n += 1) await audit.recordRead({ action: 'R', event: `e${n}`, principal, detail });
  const lengths: number[] = [];
  const shipped = await ship(db, 10, (events) => lengths.push(events.join('').length));
  assert.ok(
    lengths.every((length) => length < 400_000),
    lengths.join(),
  );
  assert.deepEqual(
    shipped,
    Array.from({ length: 10 }, (_, n) => `e${n}`),
  );
});

test('events are shipped in order, again after a failed attempt, and none stays behind', async (t) => {
  const { db, audit } = await makeSite(t);
  for (let n = 0; n < 5; n += 1) await audit.recordRead({ action: 'R', event: `e${n}`, principal });
  const shipped: string[] = [];
  const done = Promise.withResolvers<void>();
  let attempts = 0;
  const shipper = createAuditShipper({
    database: db,
    log: makeTestLogger(),
    sink: async (events) => {
      attempts += 1;
      if (attempts === 1) throw new Error('the engine is away');
      shipped.push(...events.map((text) => JSON.parse(text).code.coding[0].code));
      done.resolve();
    },
  });
  shipper.start();
  await done.promise;
  await shipper.stop();
  assert.deepEqual(shipped, ['e0', 'e1', 'e2', 'e3', 'e4']);
  assert.equal((await db.query('SELECT 1 FROM audit_outbox')).rowCount, 0);
});
