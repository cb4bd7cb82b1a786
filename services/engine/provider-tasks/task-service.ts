// The actions of a provider on its tasks (decision E10): list, accept, reject, read the plan of care. A decision is
// stored in the outbox first and then sent to dispatch, so that it survives a crash and an outage. The task changes
// state when dispatch has accepted the decision.

import type { Audit } from '#lib/audit/audit.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { actsAsStaff, personOf, providersOf } from '#lib/auth/provider-staff.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import type { LeasedCalls } from '#lib/jobs/leased-calls.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../shared/actor.ts';
import type { ReadBundles } from './bundle-reader.ts';
import { countCalls, insertCall } from './call-store.ts';
import { countInboxes } from './inbox/inbox-store.ts';
import { isTaken, moveTask, OPEN_STATES, TASK_STATES, type TaskState } from './lifecycle.ts';
import type { OwnCounts, Task, TaskCounts, TaskQuery } from './schema.ts';
import { auditOfTask, findTask, namedBy, personAt, requireTask, type TaskAddress } from './task-address.ts';
import { countTasks, listTasks, lockTask, readBundleText, setPersons, type TaskRow, updateTask } from './task-store.ts';
import type { ShowTask } from './task-view.ts';

export interface TaskService {
  /** Whether there is a task at the address. */
  knows(address: TaskAddress): Promise<boolean>;
  listAll(query: TaskQuery & PageRequest, caller: Principal, origin: Origin): Promise<Page<Task>>;
  listOwn(query: TaskQuery & PageRequest, caller: Principal, origin: Origin): Promise<Page<Task>>;
  /** @throws ServiceError `forbidden` for who acts for no provider */
  countOwn(caller: Principal, isMine: boolean): Promise<OwnCounts>;
  get(address: TaskAddress, origin: Origin): Promise<Task>;
  /** Returns the changed task: `accepted`, or `received` with the decision pending while dispatch cannot be reached. */
  accept(address: TaskAddress, origin: Origin): Promise<Task>;
  reject(address: TaskAddress, reason: string | undefined, origin: Origin): Promise<Task>;
  /**
   * Makes the caller responsible for an accepted task; again changes nothing.
   * @throws ServiceError `forbidden` for a caller who is no person, `conflict` with the state
   */
  takeOver(address: TaskAddress, origin: Origin): Promise<Task>;
  /** Returns the plan of care as JSON text. @throws ServiceError `conflict` before the task is accepted */
  details(address: TaskAddress, origin: Origin): Promise<string>;
  counts(): Promise<TaskCounts>;
}

/** @throws ServiceError `forbidden` */
function requireProviders(caller: Principal): readonly string[] {
  const providerGuids = providersOf(caller);
  if (providerGuids.length === 0) throw new ServiceError('forbidden', 'You act for no provider');
  return providerGuids;
}

/** A key is no person, and responsible for nothing. */
function personGuid(caller: Principal): string {
  return personOf(caller)?.userGuid ?? NOBODY;
}

const NOBODY = '00000000-0000-0000-0000-000000000000';
const NONE = Object.fromEntries(TASK_STATES.map((state) => [state, 0])) as Record<TaskState, number>;

/** The request that stores a decision also sends it. The courier's loop repeats it when that has failed. */
const HEAD_START_MS = 5_000;

export interface TaskDependencies extends WriteDependencies {
  readonly courier: LeasedCalls;
  readonly show: ShowTask;
  readonly readBundles: ReadBundles;
}

export function createTaskService(deps: TaskDependencies): TaskService {
  const { database, show, courier } = deps;

  async function list(
    query: TaskQuery & PageRequest & { readonly providerGuids?: readonly string[] },
    caller: Principal,
    origin: Origin,
  ): Promise<Page<Task>> {
    const { status, open, mine, providerGuids } = query;
    const states = status === undefined ? (open === true ? OPEN_STATES : undefined) : [status];
    const filter = { providerGuids, responsibleGuid: mine === true ? personGuid(caller) : undefined, states };
    const page = await listTasks(database, filter, query);
    await recordAccesses(page.data, { event: 'provider-task.search', caller, origin }, deps.audit);
    return { ...page, data: await showAll(page.data, show, caller) };
  }

  async function decide(address: TaskAddress, answer: Decision, origin: Origin): Promise<Task> {
    const found = await requireTask(database, address);
    const given = { answer, origin, address };
    const isOpen = await database.transaction((tx) => writeDecision(tx, found.request_guid, given, deps));
    if (isOpen) await courier.sendNow(found.request_guid);
    courier.loop.wake();
    const task = await requireTask(database, address);
    if (isOpen && answer.decision === 'accepted' && task.status === 'withdrawn') throw lost(task);
    return show(task, address.token);
  }

  return {
    knows: async (address) => (await findTask(database, address)) !== undefined,
    listAll: list,
    listOwn(query, caller, origin) {
      return list({ ...query, providerGuids: requireProviders(caller) }, caller, origin);
    },
    async countOwn(caller, isMine) {
      const providerGuids = requireProviders(caller);
      const responsibleGuid = isMine ? personGuid(caller) : undefined;
      return { ...NONE, ...(await countTasks(database, { providerGuids, responsibleGuid })) };
    },
    async get(address, origin) {
      const task = await requireTask(database, address);
      await recordAccesses([task], { event: 'provider-task.read', caller: address.caller, origin }, deps.audit);
      return show(task, address.token);
    },
    accept: (address, origin) => decide(address, { decision: 'accepted' }, origin),
    reject: (address, reason, origin) =>
      decide(address, { decision: 'rejected', ...(reason === undefined ? {} : { reason }) }, origin),
    async takeOver(address, origin) {
      const { request_guid: guid } = await requireTask(database, address);
      await database.transaction((tx) => takeOver(tx, guid, { address, origin }, deps));
      return show(await requireTask(database, address), address.token);
    },
    async details(address, origin) {
      const task = await requireTask(database, address);
      if (!isTaken(task.status))
        throw conflict(`The task is ${task.status}; its plan of care is shown when it is accepted`);
      await recordAccesses([task], { event: 'provider-task.details', caller: address.caller, origin }, deps.audit);
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

/** Staff find the guid of the request in place of the receipt token (docs/adr/0077). */
async function showAll(rows: readonly TaskRow[], show: ShowTask, caller: Principal): Promise<Task[]> {
  const showOne = (row: TaskRow) => show(row, actsAsStaff(caller, row.provider_guid) ? row.request_guid : undefined);
  const shown: Task[] = [];
  for (let start = 0; start < rows.length; start += SHOWN_AT_ONCE)
    shown.push(...(await Promise.all(rows.slice(start, start + SHOWN_AT_ONCE).map(showOne))));
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

/**
 * Stores the decision; false when it was stored before.
 * @throws ServiceError `conflict` with the state in the message
 */
async function writeDecision(
  tx: Transaction,
  requestGuid: string,
  { answer, origin, address }: { answer: Decision; origin: Origin; address: TaskAddress },
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
    await insertCall(tx, { requestGuid, kind: 'respond', body: { ...answer, ...namedBy(address) }, notBefore }, at);
    const person = personAt(address);
    if (decision === 'accepted') await setPersons(tx, requestGuid, { acceptedBy: person, responsible: person });
  } else {
    // The work has begun, so a rejection is reported as progress (decision D3).
    await updateTask(tx, requestGuid, { status, pendingDecision: null, reason }, at);
    await setPersons(tx, requestGuid, { reportedBy: personAt(address) ?? null });
    const why = reason === null ? {} : { reason };
    const body = { status: 'rejected', ...why, occurred_at: at.toISOString(), ...namedBy(address) };
    await insertCall(tx, { requestGuid, kind: 'status', body }, at);
  }
  const event = decision === 'accepted' ? 'provider-task.accept' : 'provider-task.reject';
  await audit.record(tx, { action: 'U', event, ...auditOfTask(task, address), ...origin });
  return true;
}

/** @throws ServiceError `forbidden`, `conflict` with the state */
async function takeOver(
  tx: Transaction,
  requestGuid: string,
  { address, origin }: { address: TaskAddress; origin: Origin },
  { audit }: TaskDependencies,
): Promise<void> {
  const person = personAt(address);
  if (person === undefined) throw new ServiceError('forbidden', 'Only a person takes over a task');
  const task = await lockTask(tx, requestGuid);
  if (task === undefined) throw notFound('Task');
  if (task.status !== 'accepted' && task.status !== 'in_progress')
    throw conflict(`The task is ${task.status} and can not be taken over`);
  if (task.responsible_guid === person.userGuid) return;
  await setPersons(tx, requestGuid, { responsible: person });
  await audit.record(tx, { action: 'U', event: 'provider-task.take-over', ...auditOfTask(task, address), ...origin });
}

function isDecided(status: TaskState, decision: Decision['decision']): boolean {
  return decision === 'accepted' ? isTaken(status) : status === 'rejected';
}

async function recordAccesses(
  tasks: readonly TaskRow[],
  access: { readonly event: string; readonly caller: Principal | undefined; readonly origin: Origin },
  audit: Audit,
): Promise<void> {
  const { event, caller, origin } = access;
  const entryOf = (task: TaskRow) => auditOfTask(task, { token: '', caller });
  await Promise.all(tasks.map((task) => audit.recordRead({ action: 'R', event, ...entryOf(task), ...origin })));
}
