// A task as it is shown (decision E10): before the provider has the job, no more of the patient than the name.
import type { Database } from '#lib/db/database.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { ReadBundles } from './bundle-reader.ts';
import { isTaken } from './lifecycle.ts';
import type { Task } from './schema.ts';
import { readBundleText, type TaskRow } from './task-store.ts';

export type ShowTask = (row: TaskRow) => Promise<Task>;

interface TaskViewDependencies {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly readBundles: ReadBundles;
}

export function createTaskView(deps: TaskViewDependencies): ShowTask {
  const { sealer } = deps;
  return async (row) => {
    const { request_guid, provider_guid, status, pending_decision, title, received_at, due, reason, updated_at } = row;
    const sealed = row.receipt_sealed;
    return {
      receipt_token: sealed === null ? null : sealer.open(sealed, request_guid),
      request_guid,
      provider_guid,
      status,
      pending_decision,
      patient: await patientOf(row, deps),
      title,
      received_at,
      due,
      reason,
      updated_at,
    };
  };
}

async function patientOf(row: TaskRow, { database, readBundles }: TaskViewDependencies): Promise<Task['patient']> {
  const { patient_guid: guid, patient_name: name } = row;
  if (guid === null && name === null) return null;
  if (!isTaken(row.status)) return { name };
  const bundle = await readBundleText(database, row.request_guid);
  const patient = bundle === null ? undefined : await readBundles({ kind: 'patient', bundle }, row.provider_guid);
  return { name, ...(guid === null ? {} : { patient_guid: guid }), birth_date: null, gender: null, ...patient };
}
