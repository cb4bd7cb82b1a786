// What of the library uses an entry: while something does, it cannot be deleted (decision E6). Published plans are
// copies, and count for nothing here.
import type { Activity, LibraryGoal } from '../library-queries.ts';

export interface Use {
  readonly kind: 'activity' | 'step' | 'goal';
  readonly name: string;
}

interface Library {
  readonly activities: readonly Pick<Activity, 'name' | 'concept' | 'transactions'>[];
  readonly goals: readonly Pick<LibraryGoal, 'name' | 'concept' | 'activities'>[];
}

export function usesOfConcept(guid: string, { activities, goals }: Library): Use[] {
  return [
    ...activities.filter(({ concept }) => concept === guid).map(({ name }) => ({ kind: 'activity' as const, name })),
    ...activities.flatMap(({ transactions }) =>
      transactions.filter(({ concept }) => concept === guid).map(({ name }) => ({ kind: 'step' as const, name })),
    ),
    ...goals.filter(({ concept }) => concept === guid).map(({ name }) => ({ kind: 'goal' as const, name })),
  ];
}

export function usesOfActivity(guid: string, goals: Library['goals']): Use[] {
  return goals.filter(({ activities }) => activities.includes(guid)).map(({ name }) => ({ kind: 'goal', name }));
}
