// Gathered reads answer what single reads answer, to everybody, in fewer statements.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir-store.ts';
import { type Access, ALL_ACCESS } from './access.ts';
import { gatherLookups } from './gathered-lookup.ts';
import type { StoredVersion } from './stored-version.ts';

const ORG_A = '019a0000-0000-7000-8000-00000000000a';
const ORG_B = '019a0000-0000-7000-8000-00000000000b';
const GUID = '019a0000-0000-7000-8000-000000000001';

const { store, db, clock, put } = await createTestStore({ after });
let statements = 0;
const counted: Database = {
  ...db,
  query: (statement, values) => {
    statements += 1;
    return db.query(statement, values);
  },
};
const lookups = gatherLookups(counted, store.parameters);

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

test('a lost connection fails the reads under way as unavailable, and no later ones', async () => {
  let isLost = true;
  const failing: Database = {
    ...db,
    query: (statement, values) =>
      isLost ? Promise.reject(new ServiceError('unavailable', 'lost')) : db.query(statement, values),
  };
  const { read } = gatherLookups(failing, store.parameters);
  const address = { resourceType: 'Patient', id: 'mine' };
  const ends = await Promise.all([endOf(read(address, ALL_ACCESS)), endOf(read(address, ALL_ACCESS))]);
  assert.deepEqual(ends, [
    ['unavailable', 'lost'],
    ['unavailable', 'lost'],
  ]);
  isLost = false;
  assert.equal((await read(address, ALL_ACCESS)).version, 2);
});
