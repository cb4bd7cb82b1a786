// Sends the providers' decisions and reports to dispatch (decision E10). The calls of one request are sent in order,
// one at a time, until dispatch accepts or refuses each. While dispatch is away they wait, and none is lost.
import type { Answer, DispatchClient, DispatchVerdict, NamedPerson, Progress } from '#clients/dispatch-client.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { createLeasedCalls, type LeasedCalls } from '#lib/jobs/leased-calls.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { claimCall, type DispatchCall, postponeCall, refuseCall, removeCall } from './call-store.ts';
import { moveTask } from './lifecycle.ts';
import { lockTask, type TaskRow, updateTask } from './task-store.ts';

export interface CourierDependencies extends WorkDependencies {
  readonly dispatch: DispatchClient;
  readonly sealer: Sealer;
}

export function createCourier(deps: CourierDependencies): LeasedCalls {
  const { database, clock, log } = deps;
  return createLeasedCalls<DispatchCall>({
    name: 'dispatch-courier',
    postponedEvent: 'dispatch_call.postponed',
    clock,
    log,
    claim: (times, requestGuid) => claimCall(database, times, requestGuid),
    async send(call, signal) {
      const verdict = await callDispatch(call, deps, signal);
      await database.transaction((tx) => settle(tx, call, verdict, clock));
    },
    postpone: (call, nextAt) => postponeCall(database, call, nextAt),
    about: ({ request_guid: request, kind }) => ({ request, kind }),
  });
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
