// Batched reads return what single reads return, to everybody, in fewer statements.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unpackBatch } from '#lib/audit/access-batch.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { type Access, ALL_ACCESS } from '../access.ts';
import { type BatchedLookup, batchLookups, type ReadRecord } from './batched-lookup.ts';
import type { StoredVersion } from './stored-version.ts';

const ORG_A = '019a0000-0000-7000-8000-00000000000a';
const ORG_B = '019a0000-0000-7000-8000-00000000000b';
const GUID = '019a0000-0000-7000-8000-000000000001';

const nurse = makePrincipal(['clinician', 'professional'], { professionalGuid: 'p-1' });
const { store, db, clock, put } = await createTestStore({ after });
let statements = 0;
const counted: Database = {
  ...db,
  query: (statement, values) => {
    statements += 1;
    return db.query(statement, values);
  },
};
const { parameters } = store;
const accessLog = createAccessLog({ database: db, clock: { now: () => clock.time } });
const batched = batchLookups({ database: counted, parameters, accessLog });
const lookups = versionsOf(batched);

await put({ resourceType: 'Patient', id: 'mine', gender: 'male' }, ORG_A);
clock.time += 1000;
await put({ resourceType: 'Patient', id: 'mine', gender: 'female' });
await put({ resourceType: 'Patient', id: GUID, language: 'sv' }, ORG_A);
await put({ resourceType: 'Observation', id: 'mine', subject: { reference: 'Patient/mine' } });
await put({ resourceType: 'Patient', id: 'gone' }, ORG_A);
await db.transaction((tx) => store.delete(tx, { resourceType: 'Patient', id: 'gone', access: ALL_ACCESS }));
await put({ resourceType: 'Patient', id: 'gone-and-back' }, ORG_A);
await db.transaction((tx) => store.delete(tx, { resourceType: 'Patient', id: 'gone-and-back', access: ALL_ACCESS }));
await put({ resourceType: 'Patient', id: 'gone-and-back' }, ORG_A);
const long = 'x'.repeat(300_000);
await put({ resourceType: 'Patient', id: 'long', language: long }, ORG_A);

const ADDRESSES = [
  { resourceType: 'Patient', id: 'mine' },
  { resourceType: 'Patient', id: GUID },
  { resourceType: 'Observation', id: 'mine' },
  { resourceType: 'Observation', id: GUID },
  { resourceType: 'Patient', id: 'gone' },
  { resourceType: 'Patient', id: 'gone-and-back' },
  { resourceType: 'Patient', id: 'long' },
  { resourceType: 'Patient', id: 'never' },
];
const organisations = (...guids: string[]) => ({ kind: 'organisations', guids }) as const;
const patient = { kind: 'patient', patientGuid: 'mine' } as const;
const ACCESSES: Access[] = [
  ALL_ACCESS,
  () => ({ kind: 'none' }),
  () => organisations(ORG_A),
  () => organisations(ORG_A, ORG_B),
  () => organisations(),
  () => patient,
  () => ({ kind: 'any', filters: [] }),
  () => ({ kind: 'any', filters: [organisations(ORG_B), { kind: 'none' }] }),
  () => ({ kind: 'any', filters: [organisations(ORG_A), patient] }),
  (type) => (type === 'Patient' ? { kind: 'none' } : { kind: 'all' }),
];

/** What a call ends with, in a form that can be compared. */
async function endOf(call: Promise<StoredVersion>): Promise<unknown> {
  try {
    return { ...(await call) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.code, error.message];
  }
}

test('every caller is answered the same for every address and version as by a statement of its own', async () => {
  for (const access of ACCESSES) {
    const current = (read: (address: (typeof ADDRESSES)[number], access: Access) => Promise<StoredVersion>) =>
      Promise.all(ADDRESSES.map((address) => endOf(read(address, access))));
    assert.deepEqual(await current(lookups.read), await current(store.read.bind(null, db)));
    const versions = ADDRESSES.flatMap((address) => [1, 2, 3, 4].map((version) => ({ ...address, version })));
    const old = (read: (address: (typeof versions)[number], access: Access) => Promise<StoredVersion>) =>
      Promise.all(versions.map((address) => endOf(read(address, access))));
    assert.deepEqual(await old(lookups.vread), await old(store.vread.bind(null, db)));
  }
});

test('what is asked for at once is one statement', async () => {
  statements = 0;
  const reads = Array.from({ length: 40 }, () => lookups.read({ resourceType: 'Patient', id: 'mine' }, ALL_ACCESS));
  const old = lookups.vread({ resourceType: 'Patient', id: 'mine', version: 1 }, () => organisations(ORG_A));
  const found = await Promise.all([...reads, old]);
  assert.equal(statements, 1);
  assert.deepEqual(new Set(found.slice(0, 40).map(({ version }) => version)), new Set([2]));
  assert.match(found[40]?.content ?? '', /"male"/);
});

test('a lost connection fails the pending reads as unavailable, and no later ones', async () => {
  let isLost = true;
  const failing: Database = {
    ...db,
    query: (statement, values) =>
      isLost ? Promise.reject(new ServiceError('unavailable', 'lost')) : db.query(statement, values),
  };
  const { read } = versionsOf(batchLookups({ database: failing, parameters, accessLog }));
  const address = { resourceType: 'Patient', id: 'mine' };
  const ends = await Promise.all([endOf(read(address, ALL_ACCESS)), endOf(read(address, ALL_ACCESS))]);
  assert.deepEqual(ends, [
    ['unavailable', 'lost'],
    ['unavailable', 'lost'],
  ]);
  isLost = false;
  assert.equal((await read(address, ALL_ACCESS)).version, 2);
});

function versionsOf({ read, vread }: BatchedLookup) {
  return {
    read: async (address: Parameters<typeof read>[0], access: Access) => (await read(address, access)).version,
    vread: async (address: Parameters<typeof vread>[0], access: Access) => (await vread(address, access)).version,
  };
}

function recordOf(requestId: string): ReadRecord {
  return { action: 'R', event: 'patient.read', principal: nurse, address: '192.0.2.1', requestId };
}

/** Each access record that is stored: its request, what was seen, by whom. */
async function storedRecords(): Promise<Map<string, readonly unknown[]>> {
  const { rows } = await db.query<{ looks: string; size: number }>('SELECT looks, size FROM audit_look');
  const batches = rows.map((row) => ({ size: row.size, batch: unpackBatch(row.looks).records }));
  for (const { size, batch } of batches) assert.equal(batch.length, size);
  const all = batches.flatMap(({ batch }) => batch);
  assert.equal(new Set(all.map(({ requestId }) => requestId)).size, all.length);
  return new Map(all.map(({ requestId, versions: seen, principal }) => [requestId, [...seen, principal.id]]));
}

test('the statement that finds what is shown stores the access record, and what is not shown has none', async () => {
  const asked = ACCESSES.flatMap((access, caller) =>
    ADDRESSES.flatMap((address, place) => [
      { name: `${caller}-${place}`, read: batched.read(address, access, recordOf(`${caller}-${place}`)) },
      ...[1, 2, 3, 4].map((version) => {
        const name = `${caller}-${place}-${version}`;
        return { name, read: batched.vread({ ...address, version }, access, recordOf(name)) };
      }),
    ]),
  );
  const found = await Promise.allSettled(asked.map(({ read }) => read));
  const stored = await storedRecords();
  let recorded = 0;
  for (const [place, end] of found.entries()) {
    const name = asked[place]?.name ?? '';
    const isRecorded = end.status === 'fulfilled' && end.value.isRecorded;
    assert.equal(stored.has(name), isRecorded, name);
    if (!isRecorded) continue;
    recorded += 1;
    const { resourceType, id, version } = end.value.version;
    assert.deepEqual(stored.get(name), [{ resourceType, id, version }, nurse.id]);
  }
  assert.equal(recorded, stored.size);
  assert.ok(recorded > 0);
});

test('the access record of a caller with other access than the first of a group is left to be stored afterwards', async () => {
  const address = { resourceType: 'Patient', id: GUID };
  const [first, same, other, unseen, unrecorded] = await Promise.allSettled([
    batched.read(address, () => organisations(ORG_A), recordOf('first')),
    batched.read(address, () => organisations(ORG_A), recordOf('same')),
    batched.read(address, ALL_ACCESS, recordOf('other')),
    batched.read(address, () => organisations(ORG_B), recordOf('unseen')),
    batched.read(address, () => organisations(ORG_A)),
  ]);
  const ends = [first, same, other, unrecorded].map((end) => end?.status === 'fulfilled' && end.value.isRecorded);
  assert.deepEqual(ends, [true, true, false, false]);
  assert.equal(unseen?.status, 'rejected');
  const stored = await storedRecords();
  const names = ['first', 'same', 'other', 'unseen'].filter((name) => stored.has(name));
  assert.deepEqual(names, ['first', 'same']);
});

test('nothing is written where nothing is shown', async () => {
  const count = async () => (await db.query('SELECT FROM audit_look')).rowCount;
  const before = await count();
  const gone = batched.read({ resourceType: 'Observation', id: GUID }, ALL_ACCESS, recordOf('none'));
  await assert.rejects(gone, { code: 'not_found' });
  assert.equal(await count(), before);
});
