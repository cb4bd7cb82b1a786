// A task as it is shown (decision E10): before the provider has the job, no more of the patient than the name.
import type { Database } from '#lib/db/database.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import { readBundle } from './bundle.ts';
import { isTaken } from './lifecycle.ts';
import type { Task } from './schema.ts';
import { readBundleText, type TaskRow } from './task-store.ts';

export type ShowTask = (row: TaskRow) => Promise<Task>;

export function createTaskView({ database, sealer }: { database: Database; sealer: Sealer }): ShowTask {
  return async (row) => {
    const { request_guid, provider_guid, status, pending_decision, title, received_at, due, reason, updated_at } = row;
    const sealed = row.receipt_sealed;
    return {
      receipt_token: sealed === null ? null : sealer.open(sealed, request_guid),
      request_guid,
      provider_guid,
      status,
      pending_decision,
      patient: await patientOf(row, database),
      title,
      received_at,
      due,
      reason,
      updated_at,
    };
  };
}

async function patientOf(row: TaskRow, database: Database): Promise<Task['patient']> {
  const { patient_guid: guid, patient_name: name } = row;
  if (guid === null && name === null) return null;
  if (!isTaken(row.status)) return { name };
  const text = await readBundleText(database, row.request_guid);
  const patient = text === null ? undefined : readBundle(JSON.parse(text))?.patient;
  const field = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    name,
    ...(guid === null ? {} : { patient_guid: guid }),
    birth_date: field(patient?.['birthDate']),
    gender: field(patient?.['gender']),
  };
}
