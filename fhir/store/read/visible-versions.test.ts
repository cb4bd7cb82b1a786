// Long versions whose readers follow from their content alone are read for somebody. That is a caller, who may not fill
// the threads, or a job, which waits for its turn.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { readExportPage } from '../../bulk/export-page.ts';
import type { Access } from '../access.ts';
import { readHistory } from '../history/history.ts';
import { readSystemHistory } from '../history/system-history.ts';
import { LONG, type Reader } from '../threads.ts';
import { readVersion } from './lookup.ts';

const { store, db, clock, put } = await createTestStore({ after });
const PATIENT = '019a0000-0000-7000-8000-000000000001';
const ID = '019a0000-0000-7000-8000-000000000002';
const access: Access = () => ({ kind: 'patient', patientGuid: PATIENT });

test('histories and older versions are read for their caller, exports for a job', async () => {
  const at = new Date(clock.time);
  for (const status of ['preliminary', 'final']) {
    const note = [{ text: 'x'.repeat(LONG) }];
    await put({ resourceType: 'Observation', id: ID, status, subject: { reference: `Patient/${PATIENT}` }, note });
    clock.time += 1_000;
  }
  const readers: (Reader | undefined)[] = [];
  const isVisible = async (_filter: unknown, _version: unknown, reader?: Reader): Promise<boolean> => {
    readers.push(reader);
    return true;
  };
  const reading = { parameters: store.parameters, workerThreads: { isVisible, patients: async () => [PATIENT] } };
  const asked = { count: 10, owner: 'me' };
  const ofOne = { ...asked, resourceType: 'Observation', id: ID };
  assert.equal((await readHistory(db, ofOne, access, reading)).versions.length, 2);
  const ofAll = { ...asked, resourceTypes: ['Observation'] };
  assert.equal((await readSystemHistory(db, ofAll, access, reading)).versions.length, 2);
  const address = { resourceType: 'Observation', id: ID, version: 1, owner: 'me' };
  assert.equal((await readVersion(db, address, access, reading)).version, 1);
  assert.deepEqual(
    readers.splice(0),
    Array.from({ length: 5 }, () => ({ owner: 'me' })),
  );
  const query = { resourceType: 'Observation', at, filters: [], after: null };
  const { versions } = await readExportPage(db, query, { access, ...reading });
  assert.deepEqual(
    versions.map(({ version }) => version),
    [1],
  );
  assert.deepEqual(readers, [{ isPatient: true }]);
});
