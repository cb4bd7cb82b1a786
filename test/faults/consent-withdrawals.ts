// Patients who withdraw their consent while faults are injected (decision D7). What was pushed for them by then waits
// at receivers that refuse it, and may not be sent again.
import assert from 'node:assert/strict';
import { createPatient, createReady, type FaultEnvironment, pushOne, type ReadyRequest } from './environment.ts';

export interface Withdrawal {
  readonly ready: ReadyRequest;
  readonly patientGuid: string;
  readonly consentId: string;
  /** When dispatch had answered that the consent is withdrawn; milliseconds since 1970. */
  withdrawnAt: number | undefined;
}

export async function createWithdrawals(environment: FaultEnvironment, count: number): Promise<Withdrawal[]> {
  const made: Withdrawal[] = [];
  for (let n = 0; n < count; n += 1) {
    const { patientGuid, consentId } = await createPatient(environment);
    const ready = await createReady(environment, patientGuid);
    made.push({ ready, patientGuid, consentId, withdrawnAt: undefined });
  }
  return made;
}

/**
 * Pushed to the one half of the providers before they withdraw, and refused for the other half afterwards: one step, in
 * this order.
 */
export function withdrawalStep(environment: FaultEnvironment, withdrawal: Withdrawal): () => Promise<void> {
  const half = environment.providers.length / 2;
  const { ready } = withdrawal;
  return async () => {
    for (const provider of environment.providers.slice(0, half)) await pushOne(environment, ready, provider);
    await withdraw(environment, withdrawal);
    for (const provider of environment.providers.slice(half)) {
      await environment.callUntilAvailable(
        'POST',
        `/ServiceRequest/${ready.id}/push/${ready.matches.get(provider)}`,
        [403],
      );
    }
  };
}

async function withdraw({ callUntilAvailable }: FaultEnvironment, withdrawal: Withdrawal): Promise<void> {
  const { patientGuid, consentId } = withdrawal;
  const subject = { reference: `Patient/${patientGuid}` };
  const json = { resourceType: 'Consent', id: consentId, status: 'active', subject, decision: 'deny' };
  await callUntilAvailable('PUT', `/Consent/${consentId}`, [200], json);
  withdrawal.withdrawnAt = Date.now();
}

/** No attempt began after the withdrawal; answers how many webhooks were cancelled by it. */
export async function checkWithdrawals(
  { database, recorder }: FaultEnvironment,
  withdrawals: readonly Withdrawal[],
): Promise<number> {
  let cancelled = 0;
  for (const { patientGuid, withdrawnAt } of withdrawals) {
    assert.ok(withdrawnAt !== undefined);
    const { rows } = await database.query<{ status: string; attempt: number; late: number; id: string }>(
      `SELECT d.delivery_guid AS id, d.status, d.attempt, (SELECT count(*)::int FROM every_attempt a
         WHERE a.delivery_guid = d.delivery_guid AND a.started_at > $2) AS late
       FROM delivery d JOIN receipt r USING (request_guid) WHERE r.patient_guid = $1`,
      [patientGuid, new Date(withdrawnAt)],
    );
    assert.ok(rows.length > 0, 'something had been pushed');
    for (const row of rows) {
      assert.deepEqual([row.status, row.late], ['cancelled', 0], `none is tried again: ${JSON.stringify(row)}`);
      const arrivals = recorder.entries.filter(({ id }) => id === row.id);
      assert.ok(arrivals.length <= row.attempt, 'and what arrived has its attempt in the log');
    }
    cancelled += rows.length;
  }
  return cancelled;
}
