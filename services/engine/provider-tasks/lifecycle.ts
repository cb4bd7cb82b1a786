// The state machine of a provider task (decision E10) as data. `withdraw` comes from dispatch, everything else from the
// provider.

export const TASK_STATES = ['received', 'accepted', 'in_progress', 'completed', 'rejected', 'withdrawn'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Those in which the provider has something to do. */
export const OPEN_STATES: readonly TaskState[] = ['received', 'accepted', 'in_progress'];

export type TaskEvent = 'accept' | 'reject' | 'report_partial' | 'report_final' | 'withdraw';

const TRANSITIONS: Readonly<Record<TaskEvent, Readonly<Partial<Record<TaskState, TaskState>>>>> = {
  accept: { received: 'accepted' },
  reject: { received: 'rejected', accepted: 'rejected', in_progress: 'rejected' },
  report_partial: { accepted: 'in_progress', in_progress: 'in_progress' },
  report_final: { accepted: 'completed', in_progress: 'completed' },
  withdraw: { received: 'withdrawn', accepted: 'withdrawn', in_progress: 'withdrawn' },
};

/** Returns the state after the event; undefined when the event is not allowed in this state. */
export function moveTask(state: TaskState, event: TaskEvent): TaskState | undefined {
  return TRANSITIONS[event][state];
}

/** Whether the provider has accepted the task, so that it may see all of it. */
export function isTaken(state: TaskState): boolean {
  return state === 'accepted' || state === 'in_progress' || state === 'completed';
}
