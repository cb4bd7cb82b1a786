// The rules of goals (decision E7): a target is a value or a range, and references exist.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { type Issue, notFound } from '#lib/errors.ts';
import { type BodyFields, isFields } from '#lib/http/body-check.ts';
import type { PageRequest } from '#lib/http/response/page.ts';
import { deleteOwner, requireOwner } from '../shared/library-owners.ts';
import { createOwnedRecords, type LibraryService, type OwnedRecord } from '../shared/owned-records.ts';
import { requireVersion } from '../shared/record-versions.ts';
import { type Reference, unknownReferences } from '../shared/references.ts';
import { deleteRecord, requireGuid } from '../shared/sql.ts';
import type { Goal, GoalInput, GoalQuery } from './schema.ts';
import { findGoals, insertGoal, listGoals, updateGoal } from './store.ts';

export type GoalService = LibraryService<Goal, GoalInput, GoalQuery & PageRequest>;

const GOAL: OwnedRecord<Goal, GoalInput> = {
  name: 'Goal',
  referencesOf,
  issuesOf: targetIssues,
  find: findGoals,
  insert: insertGoal,
  update: updateGoal,
};

export function createGoalService(deps: { database: Database; clock: Clock }): GoalService {
  const { database } = deps;
  return {
    ...createOwnedRecords(deps, GOAL),
    issuesOf: async (fields) => [...targetIssues(fields), ...(await unknownReferences(database, referencesOf(fields)))],
    list: (query) => listGoals(database, query),
    remove: (id, { principal, ifMatch }) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Goal');
        const version = await deleteRecord(tx, { table: 'goal' }, guid);
        if (version === undefined) throw notFound('Goal');
        await requireOwner(tx, guid, principal);
        requireVersion(ifMatch, version);
        await deleteOwner(tx, guid);
      }),
  };
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
