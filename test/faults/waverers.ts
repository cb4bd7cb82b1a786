// Patients who permit at first and withdraw their consent in the midst of everything (decision D7): what was pushed for
// them by then waits at receivers that refuse it, and may not be tried once more.
import assert from 'node:assert/strict';
import { type Arena, makePatient, makeReady, pushOne, type Ready } from './arena.ts';

export interface Waverer {
  readonly ready: Ready;
  readonly patientGuid: string;
  readonly consentId: string;
  /** When dispatch had answered that the consent is withdrawn; milliseconds since 1970. */
  withdrawnAt: number | undefined;
}

export async function makeWaverers(arena: Arena, count: number): Promise<Waverer[]> {
  const made: Waverer[] = [];
  for (let n = 0; n < count; n += 1) {
    const { patientGuid, consentId } = await makePatient(arena);
    const ready = await makeReady(arena, patientGuid);
    made.push({ ready, patientGuid, consentId, withdrawnAt: undefined });
  }
  return made;
}

/**
 * Pushed to the one half of the providers before they withdraw, and refused for the other half afterwards: one step, in
 * this order.
 */
export function stepOf(arena: Arena, waverer: Waverer): () => Promise<void> {
  const half = arena.providers.length / 2;
  const { ready } = waverer;
  return async () => {
    for (const provider of arena.providers.slice(0, half)) await pushOne(arena, ready, provider);
    await withdraw(arena, waverer);
    for (const provider of arena.providers.slice(half)) {
      await arena.insist('POST', `/ServiceRequest/${ready.id}/push/${ready.matches.get(provider)}`, [403]);
    }
  };
}

async function withdraw({ insist }: Arena, waverer: Waverer): Promise<void> {
  const { patientGuid, consentId } = waverer;
  const subject = { reference: `Patient/${patientGuid}` };
  const json = { resourceType: 'Consent', id: consentId, status: 'active', subject, decision: 'deny' };
  await insist('PUT', `/Consent/${consentId}`, [200], json);
  waverer.withdrawnAt = Date.now();
}

/** No attempt began after the withdrawal; answers how many webhooks were cancelled by it. */
export async function judgeWaverers({ database, ledger }: Arena, waverers: readonly Waverer[]): Promise<number> {
  let cancelled = 0;
  for (const { patientGuid, withdrawnAt } of waverers) {
    assert.ok(withdrawnAt !== undefined);
    const { rows } = await database.query<{ status: string; attempt: number; late: number; id: string }>(
      `SELECT d.delivery_guid AS id, d.status, d.attempt, (SELECT count(*)::int FROM delivery_attempt a
         WHERE a.delivery_guid = d.delivery_guid AND a.started_at > $2) AS late
       FROM delivery d JOIN receipt r USING (request_guid) WHERE r.patient_guid = $1`,
      [patientGuid, new Date(withdrawnAt)],
    );
    assert.ok(rows.length > 0, 'something had been pushed');
    for (const row of rows) {
      assert.deepEqual([row.status, row.late], ['cancelled', 0], `none is tried again: ${JSON.stringify(row)}`);
      const arrivals = ledger.entries.filter(({ id }) => id === row.id);
      assert.ok(arrivals.length <= row.attempt, 'and what arrived has its attempt in the log');
    }
    cancelled += rows.length;
  }
  return cancelled;
}
