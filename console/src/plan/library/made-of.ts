// What a published plan was made of, as far as the library still has it: a plan is a copy without the guids.
import type { PlanDefinition } from 'fhir/r5';
import type { Activity, LibraryGoal } from './library-queries.ts';

interface MadeOf {
  readonly title: string;
  /** Guids, in the order of the plan. */
  readonly activities: readonly string[];
  readonly goals: readonly string[];
  /** The names of what the library does not have, or not in use. */
  readonly missing: readonly string[];
}

export function madeOf(
  { title = '', action = [], goal = [] }: Pick<PlanDefinition, 'title' | 'action' | 'goal'>,
  activities: readonly Pick<Activity, 'activity_guid' | 'name' | 'status'>[],
  goals: readonly Pick<LibraryGoal, 'goal_guid' | 'name'>[],
): MadeOf {
  const active = activities.filter(({ status }) => status === 'active');
  const actions = action.map((each) => each.title ?? '');
  const aims = goal.map(({ description }) => description.text ?? '');
  const activityOf = (name: string) => active.find((each) => each.name === name)?.activity_guid;
  const goalOf = (name: string) => goals.find((each) => each.name === name)?.goal_guid;
  const known = (found: (string | undefined)[]) => [...new Set(found.filter((guid) => guid !== undefined))];
  return {
    title,
    activities: known(actions.map(activityOf)),
    goals: known(aims.map(goalOf)),
    missing: [
      ...actions.filter((name) => activityOf(name) === undefined),
      ...aims.filter((name) => goalOf(name) === undefined),
    ],
  };
}
