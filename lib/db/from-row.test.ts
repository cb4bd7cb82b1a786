// Rows of the database as records of the domain.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fromRow } from './from-row.ts';

test('A row becomes a record with camelCase members, and NULL becomes undefined', () => {
  const row: { patient_guid: string; archived_at: Date | null; is_exclusive: boolean; id: string } = {
    patient_guid: 'p1',
    archived_at: null,
    is_exclusive: false,
    id: 'r1',
  };
  const { patientGuid, archivedAt, isExclusive, id } = fromRow(row);
  assert.deepEqual([patientGuid, archivedAt, isExclusive, id], ['p1', undefined, false, 'r1']);
});
