// Sends the providers' decisions and reports to dispatch (decision E10). The calls of one request are sent in order,
// one at a time, until dispatch accepts or refuses each. While dispatch is away they wait, and none is lost.
import type { Answer, DispatchClient, DispatchVerdict, NamedPerson, Progress } from '#clients/dispatch-client.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { claimCall, type DispatchCall, postponeCall, refuseCall, removeCall } from './call-store.ts';
import { moveTask } from './lifecycle.ts';
import { lockTask, type TaskRow, updateTask } from './task-store.ts';

/** Longer than a call may take, so that a lease expires only when its holder has ended. */
const LEASE_MS = 30_000;
const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 60_000;
const POLL_MS = 500;

export interface Courier {
  /** Sends calls in the background. */
  readonly loop: WorkerLoop;
  /**
   * Sends the request's next call now, unless another node is sending it. Resolves when the call is settled or
   * postponed.
   */
  sendNow(requestGuid: string): Promise<void>;
}

export interface CourierDependencies extends WorkDependencies {
  readonly dispatch: DispatchClient;
  readonly sealer: Sealer;
}

export function createCourier(deps: CourierDependencies): Courier {
  const { database, clock, log } = deps;

  async function sendNext(requestGuid?: string, signal?: AbortSignal): Promise<boolean> {
    const now = clock.now();
    const times = { now: new Date(now), leaseEnds: new Date(now + LEASE_MS) };
    const call = await claimCall(database, times, requestGuid);
    if (call === undefined) return false;
    try {
      const verdict = await callDispatch(call, deps, signal);
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
      step: (signal) => sendNext(undefined, signal),
    }),
    async sendNow(requestGuid) {
      await sendNext(requestGuid);
    },
  };
}

async function callDispatch(
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
  const answer = decisionOf(call.body);
  // A person is named with the engine's own credentials, by the guid.
  if (answer.by !== undefined) return dispatch.respondFor(call.request_guid, answer, signal);
  return dispatch.respond(sealer.open(sealed, call.request_guid), answer, signal);
}

/** Applies dispatch's verdict to the task. The task is locked first, as everywhere. */
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
  const { decision, reason } = decisionOf(call.body);
  const status = moveTask(task.status, decision === 'accepted' ? 'accept' : 'reject');
  // A withdrawal may have arrived meanwhile. It is not undone.
  if (status === undefined || task.status !== 'received') return;
  await updateTask(tx, task.request_guid, { status, pendingDecision: null, reason: reason ?? null }, at);
}

/** Error codes by which dispatch says that the request is no longer the provider's. */
const GONE = new Set(['not_found', 'expired', 'already_taken']);

async function applyRefusal(
  tx: Transaction,
  task: TaskRow,
  { call, code }: { call: DispatchCall; code: string },
  at: Date,
): Promise<void> {
  const isDecision = call.kind === 'respond';
  // A provider whose acceptance was refused does not get the request, whatever the reason.
  const isLost = GONE.has(code) || (isDecision && decisionOf(call.body).decision === 'accepted');
  const withdrawn = isLost ? moveTask(task.status, 'withdraw') : undefined;
  if (withdrawn === undefined && !isDecision) return;
  const status = withdrawn ?? task.status;
  await updateTask(tx, task.request_guid, { status, pendingDecision: null, reason: code }, at);
}

function delayAfter(attempt: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt, 10), LAST_DELAY_MS);
  return delay * (0.8 + Math.random() * 0.4);
}

/** Reads the body of a `respond` call, which ./task-service.ts wrote. */
function decisionOf(body: unknown): Answer {
  const { decision, reason, by } = fieldsOf(body);
  return {
    decision: decision === 'accepted' ? 'accepted' : 'rejected',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...personIn(by),
  };
}

/** Reads the body of a `status` call, which ./report-service.ts or ./task-service.ts wrote. */
function progressOf(body: unknown): Progress {
  const { status, reason, note, occurred_at: occurredAt, results, by } = fieldsOf(body);
  return {
    status: status === 'completed' || status === 'rejected' ? status : 'in_progress',
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof occurredAt === 'string' ? { occurred_at: occurredAt } : {}),
    ...(Array.isArray(results) ? { results: results.map(String) } : {}),
    ...personIn(by),
  };
}

function personIn(value: unknown): { by?: NamedPerson } {
  const { user_guid, name } = fieldsOf(value);
  return typeof user_guid === 'string' ? { by: { user_guid, name: typeof name === 'string' ? name : null } } : {};
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}
