// The actions of a provider on its tasks (decision E10): list, accept, reject, read the plan of care. A decision is
// stored in the outbox first and then sent to dispatch, so that it survives a crash and an outage. The task changes
// state when dispatch has accepted the decision.
import type { Audit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import type { ReadBundles } from './bundle-reader.ts';
import { countCalls, insertCall } from './call-store.ts';
import type { Courier } from './courier.ts';
import { countInboxes } from './inbox/inbox-store.ts';
import { isTaken, moveTask, type TaskState } from './lifecycle.ts';
import { hashReceipt, receiptPrincipal } from './receipt.ts';
import type { Task, TaskCounts, TaskQuery } from './schema.ts';
import {
  countTasks,
  findByReceipt,
  listTasks,
  lockTask,
  readBundleText,
  type TaskRow,
  updateTask,
} from './task-store.ts';
import type { ShowTask } from './task-view.ts';

/** The origin of a request, for the audit record. */
export interface Origin {
  readonly address: string;
  readonly requestId: string;
}

export interface TaskService {
  /** Whether a task has the token. */
  knows(token: string): Promise<boolean>;
  listAll(query: TaskQuery & PageRequest, caller: Principal, origin: Origin): Promise<Page<Task>>;
  listOwn(query: TaskQuery & PageRequest, caller: Principal, origin: Origin): Promise<Page<Task>>;
  get(token: string, origin: Origin): Promise<Task>;
  /** Returns the changed task: `accepted`, or `received` with the decision pending while dispatch cannot be reached. */
  accept(token: string, origin: Origin): Promise<Task>;
  reject(token: string, reason: string | undefined, origin: Origin): Promise<Task>;
  /** Returns the plan of care as JSON text. @throws ServiceError `conflict` before the task is accepted */
  details(token: string, origin: Origin): Promise<string>;
  counts(): Promise<TaskCounts>;
}

/** The request that stores a decision also sends it. The courier's loop repeats it when that has failed. */
const HEAD_START_MS = 5_000;

export interface TaskDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly courier: Courier;
  readonly show: ShowTask;
  readonly readBundles: ReadBundles;
}

export function createTaskService(deps: TaskDependencies): TaskService {
  const { database, show, courier } = deps;

  async function list(
    query: TaskQuery & PageRequest & { readonly providerGuid?: string },
    caller: Principal,
    origin: Origin,
  ): Promise<Page<Task>> {
    const page = await listTasks(database, query);
    await recordAccesses(page.data, { event: 'provider-task.search', principal: caller, origin }, deps.audit);
    return { ...page, data: await showAll(page.data, show) };
  }

  async function decide(token: string, answer: Decision, origin: Origin): Promise<Task> {
    const found = await requireTask(database, token);
    const isOpen = await database.transaction((tx) => writeDecision(tx, found.request_guid, { answer, origin }, deps));
    if (isOpen) await courier.sendNow(found.request_guid);
    courier.loop.wake();
    const task = await requireTask(database, token);
    if (isOpen && answer.decision === 'accepted' && task.status === 'withdrawn') throw lost(task);
    return show(task, token);
  }

  return {
    knows: async (token) => (await findByReceipt(database, hashReceipt(token))) !== undefined,
    listAll: list,
    listOwn(query, caller, origin) {
      if (caller.providerGuid === undefined) throw new ServiceError('forbidden', 'You act for no provider');
      return list({ ...query, providerGuid: caller.providerGuid }, caller, origin);
    },
    async get(token, origin) {
      const task = await requireTask(database, token);
      await recordAccesses(
        [task],
        { event: 'provider-task.read', principal: receiptPrincipal(task), origin },
        deps.audit,
      );
      return show(task, token);
    },
    accept: (token, origin) => decide(token, { decision: 'accepted' }, origin),
    reject: (token, reason, origin) =>
      decide(token, { decision: 'rejected', ...(reason === undefined ? {} : { reason }) }, origin),
    async details(token, origin) {
      const task = await requireTask(database, token);
      if (!isTaken(task.status))
        throw conflict(`The task is ${task.status}; its plan of care is shown when it is accepted`);
      await recordAccesses(
        [task],
        { event: 'provider-task.details', principal: receiptPrincipal(task), origin },
        deps.audit,
      );
      const { request_guid, status, provider_guid: owner } = task;
      const bundle = await readBundleText(database, request_guid);
      const work = bundle === null ? undefined : ({ kind: 'details', bundle, head: { request_guid, status } } as const);
      const text = work && (await deps.readBundles(work, owner));
      if (text === undefined) throw notFound('Plan of care');
      return text;
    },
    async counts() {
      const [tasks, outbox, inboxes] = await Promise.all([
        countTasks(database),
        countCalls(database),
        countInboxes(database),
      ]);
      return { tasks, outbox, inboxes };
    },
  };
}

/** How many bundles are in memory at a time, because each may have megabytes. */
const SHOWN_AT_ONCE = 4;

async function showAll(rows: readonly TaskRow[], show: ShowTask): Promise<Task[]> {
  const shown: Task[] = [];
  for (let start = 0; start < rows.length; start += SHOWN_AT_ONCE)
    shown.push(...(await Promise.all(rows.slice(start, start + SHOWN_AT_ONCE).map((row) => show(row)))));
  return shown;
}

/** Dispatch did not give the task to the caller, who has just accepted it. */
function lost({ reason }: TaskRow): ServiceError {
  if (reason === 'already_taken') return new ServiceError('already_taken', 'Another provider has taken the task');
  return conflict(`The task is withdrawn: dispatch answered ${reason ?? 'no'}`);
}

interface Decision {
  readonly decision: 'accepted' | 'rejected';
  readonly reason?: string;
}

/** @throws ServiceError `not_found` */
async function requireTask(database: Database, token: string): Promise<TaskRow> {
  const task = await findByReceipt(database, hashReceipt(token));
  if (task === undefined) throw notFound('Task');
  return task;
}

/**
 * Stores the decision; false when it was stored before.
 * @throws ServiceError `conflict` with the state in the message
 */
async function writeDecision(
  tx: Transaction,
  requestGuid: string,
  { answer, origin }: { answer: Decision; origin: Origin },
  { clock, audit }: TaskDependencies,
): Promise<boolean> {
  const task = await lockTask(tx, requestGuid);
  if (task === undefined) throw notFound('Task');
  const { decision } = answer;
  if (isDecided(task.status, decision)) return false;
  if (task.pending_decision === decision) return true;
  if (task.pending_decision !== null) throw conflict(`The task is being ${task.pending_decision} already`);
  const status = moveTask(task.status, decision === 'accepted' ? 'accept' : 'reject');
  if (status === undefined) throw conflict(`The task is ${task.status} and can no longer be ${decision}`);
  const at = new Date(clock.now());
  const reason = answer.reason ?? null;
  if (task.status === 'received') {
    await updateTask(tx, requestGuid, { status: 'received', pendingDecision: decision, reason: null }, at);
    const notBefore = new Date(at.getTime() + HEAD_START_MS);
    await insertCall(tx, { requestGuid, kind: 'respond', body: answer, notBefore }, at);
  } else {
    // The work has begun, so a rejection is reported as progress (decision D3).
    await updateTask(tx, requestGuid, { status, pendingDecision: null, reason }, at);
    const body = { status: 'rejected', ...(reason === null ? {} : { reason }), occurred_at: at.toISOString() };
    await insertCall(tx, { requestGuid, kind: 'status', body }, at);
  }
  const event = decision === 'accepted' ? 'provider-task.accept' : 'provider-task.reject';
  await audit.record(tx, { action: 'U', event, ...aboutTask(task), principal: receiptPrincipal(task), ...origin });
  return true;
}

function isDecided(status: TaskState, decision: Decision['decision']): boolean {
  return decision === 'accepted' ? isTaken(status) : status === 'rejected';
}

async function recordAccesses(
  tasks: readonly TaskRow[],
  look: { readonly event: string; readonly principal: Principal; readonly origin: Origin },
  audit: Audit,
): Promise<void> {
  const { event, principal, origin } = look;
  await Promise.all(
    tasks.map((task) => audit.recordRead({ action: 'R', event, principal, ...aboutTask(task), ...origin })),
  );
}

/** Returns the members of an audit entry that describe the task. */
export function aboutTask(task: TaskRow): { entities: string[]; patientGuid?: string } {
  const entities = [`request:${task.request_guid}`];
  return task.patient_guid === null ? { entities } : { entities, patientGuid: task.patient_guid };
}
