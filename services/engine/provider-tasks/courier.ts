// Carries the providers' decisions and reports to dispatch (decision E10): one call at a time for each request, in
// order, until dispatch has said yes or no. Dispatch being away delays them and loses none.
import type { Answer, DispatchClient, DispatchVerdict, Progress } from '#clients/dispatch-client.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import { claimCall, type DispatchCall, postponeCall, refuseCall, removeCall } from './call-store.ts';
import { moveTask } from './lifecycle.ts';
import { lockTask, type TaskRow, updateTask } from './task-store.ts';

/** Longer than a call may take, so that a lease runs out only when its holder is gone. */
const LEASE_MS = 30_000;
const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 60_000;
const POLL_MS = 500;

export interface Courier {
  /** Carries calls in the background. */
  readonly loop: WorkerLoop;
  /** Makes the request's next call now, if nobody else is making it; resolves when it is settled or put off. */
  carryNow(requestGuid: string): Promise<void>;
}

export interface CourierDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dispatch: DispatchClient;
  readonly sealer: Sealer;
}

export function createCourier(deps: CourierDependencies): Courier {
  const { database, clock, log } = deps;

  async function carry(requestGuid?: string, signal?: AbortSignal): Promise<boolean> {
    const now = clock.now();
    const times = { now: new Date(now), leaseEnds: new Date(now + LEASE_MS) };
    const call = await claimCall(database, times, requestGuid);
    if (call === undefined) return false;
    try {
      const verdict = await ask(call, deps, signal);
      await database.transaction((tx) => settle(tx, call, verdict, clock));
    } catch (error) {
      await postponeCall(database, call, new Date(clock.now() + delayAfter(call.attempt)));
      if (!(error instanceof ServiceError)) throw error;
      const { request_guid: request, attempt, kind } = call;
      log.warn({ event: 'dispatch_call.postponed', request, attempt, kind, code: error.code });
    }
    return true;
  }

  return {
    loop: createWorkerLoop({
      name: 'dispatch-courier',
      intervalMs: POLL_MS,
      log,
      step: (signal) => carry(undefined, signal),
    }),
    async carryNow(requestGuid) {
      await carry(requestGuid);
    },
  };
}

async function ask(
  call: DispatchCall,
  { database, dispatch, sealer }: CourierDependencies,
  signal?: AbortSignal,
): Promise<DispatchVerdict> {
  const { rows } = await database.query<{ receipt_sealed: Buffer }>(
    'SELECT receipt_sealed FROM provider_task WHERE request_guid = $1',
    [call.request_guid],
  );
  const sealed = rows[0]?.receipt_sealed;
  if (call.kind === 'status') return dispatch.report(call.request_guid, progressOf(call.body), signal);
  if (sealed === undefined) return { kind: 'refused', code: 'not_found' };
  return dispatch.respond(sealer.open(sealed, call.request_guid), answerOf(call.body), signal);
}

/** Brings the task to what dispatch has said. The task is locked first, as everywhere. */
async function settle(tx: Transaction, call: DispatchCall, verdict: DispatchVerdict, clock: Clock): Promise<void> {
  const at = new Date(clock.now());
  const task = await lockTask(tx, call.request_guid);
  if (task === undefined) return;
  if (verdict.kind === 'done') {
    if ((await removeCall(tx, call)) && call.kind === 'respond') await applyDecision(tx, task, call, at);
    return;
  }
  const isOurs = call.kind === 'respond' ? await removeCall(tx, call) : await refuseCall(tx, call, verdict.code, at);
  if (isOurs) await applyRefusal(tx, task, { call, code: verdict.code }, at);
}

async function applyDecision(tx: Transaction, task: TaskRow, call: DispatchCall, at: Date): Promise<void> {
  const { decision, reason } = answerOf(call.body);
  const status = moveTask(task.status, decision === 'accepted' ? 'accept' : 'reject');
  // A withdrawal may have come in between: it stands.
  if (status === undefined || task.status !== 'received') return;
  await updateTask(tx, task.request_guid, { status, pendingDecision: null, reason: reason ?? null }, at);
}

/** Codes with which dispatch says that the job is gone. */
const GONE = new Set(['not_found', 'expired', 'already_taken']);

async function applyRefusal(
  tx: Transaction,
  task: TaskRow,
  { call, code }: { call: DispatchCall; code: string },
  at: Date,
): Promise<void> {
  const isAnswer = call.kind === 'respond';
  // Whoever could not accept has not got the job, whatever the reason.
  const isLost = GONE.has(code) || (isAnswer && answerOf(call.body).decision === 'accepted');
  const withdrawn = isLost ? moveTask(task.status, 'withdraw') : undefined;
  if (withdrawn === undefined && !isAnswer) return;
  const status = withdrawn ?? task.status;
  await updateTask(tx, task.request_guid, { status, pendingDecision: null, reason: code }, at);
}

function delayAfter(attempt: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt, 10), LAST_DELAY_MS);
  return delay * (0.8 + Math.random() * 0.4);
}

/** What ./task-service.ts put into the body of a `respond`. */
function answerOf(body: unknown): Answer {
  const { decision, reason } = fieldsOf(body);
  return {
    decision: decision === 'accepted' ? 'accepted' : 'rejected',
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

/** What ./report-service.ts and ./task-service.ts put into the body of a `status`. */
function progressOf(body: unknown): Progress {
  const { status, reason, note, occurred_at: occurredAt, results } = fieldsOf(body);
  return {
    status: status === 'completed' || status === 'rejected' ? status : 'in_progress',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof occurredAt === 'string' ? { occurred_at: occurredAt } : {}),
    ...(Array.isArray(results) ? { results: results.map(String) } : {}),
  };
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}
