// Builds a task as it is shown (decision E10). Before the provider has accepted, it shows only the name of the patient.
import type { Database } from '#lib/db/database.ts';
import type { Logger } from '#lib/log/logger.ts';
import { MissingKeyError } from '#lib/secrets/key-set.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { ReadBundles } from './bundle-reader.ts';
import { isTaken } from './lifecycle.ts';
import type { Task } from './schema.ts';
import { readBundleText, type TaskRow } from './task-store.ts';

/** `token`: the receipt token that the caller has presented, which need not be unsealed. */
export type ShowTask = (row: TaskRow, token?: string) => Promise<Task>;

interface TaskViewDependencies {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Logger;
  readonly readBundles: ReadBundles;
}

export function createTaskView(deps: TaskViewDependencies): ShowTask {
  return async (row, token) => {
    const { request_guid, provider_guid, status, pending_decision, title, received_at, due, reason, updated_at } = row;
    return {
      ...receiptOf(row, token, deps),
      request_guid,
      provider_guid,
      status,
      pending_decision,
      requester: row.requester,
      patient: await patientOf(row, deps),
      title,
      received_at,
      due,
      reason,
      updated_at,
      ...personsOf(row),
    };
  };
}

/** The persons that are known. */
function personsOf(row: TaskRow): Pick<Task, 'accepted_by' | 'responsible' | 'reported_by'> {
  const person = (guid: string | null, name: string | null) => (guid === null ? undefined : { user_guid: guid, name });
  const accepted = person(row.accepted_by_guid, row.accepted_by_name);
  const responsible = person(row.responsible_guid, row.responsible_name);
  const reported = person(row.reported_by_guid, row.reported_by_name);
  return {
    ...(accepted === undefined ? {} : { accepted_by: accepted }),
    ...(responsible === undefined ? {} : { responsible }),
    ...(reported === undefined ? {} : { reported_by: reported }),
  };
}

/**
 * A value that cannot be unsealed does not hide the other tasks of a list. Only the log names the missing key; the
 * sealer writes it there.
 */
function receiptOf(
  { receipt_sealed: sealed, request_guid }: TaskRow,
  token: string | undefined,
  { sealer, log }: TaskViewDependencies,
): Pick<Task, 'receipt_token' | 'problem'> {
  if (sealed === null || token !== undefined) return { receipt_token: sealed === null ? null : (token ?? null) };
  try {
    return { receipt_token: sealer.open(sealed, request_guid) };
  } catch (error) {
    const isMissing = error instanceof MissingKeyError;
    if (isMissing) log.warn({ event: 'provider-task.key-missing', request_guid, detail: error.detail });
    else log.error({ event: 'provider-task.receipt-damaged', request_guid, err: error });
    const why = isMissing ? 'the key that it was sealed with is missing' : 'what is stored of it is damaged';
    const message = `The receipt token cannot be shown at present: ${why}. An operator has to bring it back`;
    return { receipt_token: null, problem: { error: 'unavailable', message } };
  }
}

async function patientOf(row: TaskRow, { database, readBundles }: TaskViewDependencies): Promise<Task['patient']> {
  const { patient_guid: guid, patient_name: name } = row;
  if (guid === null && name === null) return null;
  if (!isTaken(row.status)) return { name };
  const bundle = await readBundleText(database, row.request_guid);
  const patient = bundle === null ? undefined : await readBundles({ kind: 'patient', bundle }, row.provider_guid);
  return { name, ...(guid === null ? {} : { patient_guid: guid }), birth_date: null, gender: null, ...patient };
}
