// The rules of goals (decision E7): a target is a value or a range, and references exist.
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Issue, notFound } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { type BodyFields, isFields } from '#lib/http/body-check.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { deleteOwner, recordOwner, requireOwner } from '../shared/library-owners.ts';
import { lockReferences, type Reference, unknownReferences } from '../shared/references.ts';
import { requireGuid } from '../shared/sql.ts';
import type { Goal, GoalInput, GoalQuery } from './schema.ts';
import { deleteGoal, findGoals, insertGoal, listGoals, updateGoal } from './store.ts';

export interface GoalService {
  /** Returns the issues of a goal that its schema does not find. The fields may have any type. */
  issuesOf(fields: BodyFields): Promise<Issue[]>;
  list(query: GoalQuery & PageRequest): Promise<Page<Goal>>;
  get(id: string): Promise<Goal>;
  create(input: GoalInput, principal: Principal): Promise<Goal>;
  replace(id: string, input: GoalInput, principal: Principal): Promise<Goal>;
  remove(id: string, principal: Principal): Promise<void>;
}

export function createGoalService(deps: { database: Database; clock: Clock }): GoalService {
  const { database, clock } = deps;
  const now = () => new Date(clock.now());
  return {
    issuesOf: async (fields) => [...targetIssues(fields), ...(await unknownReferences(database, referencesOf(fields)))],
    list: (query) => listGoals(database, query),
    async get(id) {
      const [goal] = await findGoals(database, [requireGuid(id, 'Goal')]);
      if (goal === undefined) throw notFound('Goal');
      return goal;
    },
    create: (input, principal) =>
      database.transaction(async (tx) => {
        await lockReferences(tx, referencesOf(input), targetIssues(input));
        const guid = newGuid(clock.now());
        await insertGoal(tx, guid, input, now());
        await recordOwner(tx, guid, principal);
        return readBack(tx, guid);
      }),
    replace: (id, input, principal) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Goal');
        await lockReferences(tx, referencesOf(input), targetIssues(input));
        if (!(await updateGoal(tx, guid, input, now()))) throw notFound('Goal');
        await requireOwner(tx, guid, principal);
        return readBack(tx, guid);
      }),
    remove: (id, principal) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Goal');
        if (!(await deleteGoal(tx, guid))) throw notFound('Goal');
        await requireOwner(tx, guid, principal);
        await deleteOwner(tx, guid);
      }),
  };
}

async function readBack(tx: Transaction, guid: string): Promise<Goal> {
  const [goal] = await findGoals(tx, [guid]);
  if (goal === undefined) throw notFound('Goal');
  return goal;
}

function referencesOf({ concept, target, activities }: BodyFields): Reference[] {
  return [
    { field: 'concept', table: 'concept', guid: concept },
    { field: 'target.unit', table: 'unit', guid: isFields(target) ? target['unit'] : undefined },
    ...(Array.isArray(activities) ? activities : []).map((guid: unknown, index) => ({
      field: `activities[${index}]`,
      table: 'activity' as const,
      guid,
    })),
  ];
}

function targetIssues({ target }: BodyFields): Issue[] {
  if (!isFields(target) || Array.isArray(target)) return [];
  const { comparator, value, low, high } = target;
  const issue = (field: string, message: string): Issue[] => [{ field, message: `'${field}': ${message}` }];
  const hasRange = low !== undefined || high !== undefined;
  if (value === undefined && !hasRange) return issue('target', 'a target has a value, or low and high');
  if (value !== undefined && hasRange) return issue('target', 'a target has either a value or low and high');
  if (comparator !== undefined && value === undefined) return issue('target.comparator', 'it goes with a value only');
  const isAbove = typeof low === 'number' && typeof high === 'number' && low > high;
  return isAbove ? issue('target.low', 'it is above high') : [];
}
