// Rules of activities and transactions (decision E7). Published plans are copies, so a change here never changes one in use.
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Page, PageRequest } from '#lib/http/page.ts';
import { holdReferences, refuseWhenUsed, type UserKind } from '../shared/references.ts';
import { requireGuid } from '../shared/sql.ts';
import type { Activity, ActivityInput, ActivityQuery, ActivityTransaction, TransactionInput } from './schema.ts';
import {
  deleteActivity,
  deleteTransaction,
  findActivities,
  findTransaction,
  findValueType,
  insertActivity,
  insertTransaction,
  isActivity,
  listActivities,
  lockActivity,
  lockActivityOf,
  touchActivity,
  updateActivity,
  updateTransaction,
} from './store.ts';
import { timingFaults } from './timing.ts';

export interface ActivityService {
  list(query: ActivityQuery & PageRequest): Promise<Page<Activity>>;
  get(id: string): Promise<Activity>;
  create(input: ActivityInput): Promise<Activity>;
  replace(id: string, input: ActivityInput): Promise<Activity>;
  /** Its transactions go with it. @throws ServiceError `conflict` naming the goals that use it */
  remove(id: string): Promise<void>;
  addTransaction(activityId: string, input: TransactionInput): Promise<ActivityTransaction>;
  replaceTransaction(id: string, input: TransactionInput): Promise<ActivityTransaction>;
  removeTransaction(id: string): Promise<void>;
}

const USERS: readonly UserKind[] = [
  {
    kind: 'goal',
    names: 'SELECT g.name FROM goal g JOIN goal_activity ga USING (goal_guid) WHERE ga.activity_guid = $1',
  },
];

interface Tools {
  readonly database: Database;
  readonly clock: Clock;
}

export function createActivityService(tools: Tools): ActivityService {
  const { database, clock } = tools;
  const now = () => new Date(clock.now());

  return {
    list: (query) => listActivities(database, query),
    async get(id) {
      const [activity] = await findActivities(database, [requireGuid(id, 'Activity')]);
      if (activity === undefined) throw notFound('Activity');
      return activity;
    },
    create: (input) =>
      database.transaction(async (tx) => {
        await holdConcept(tx, input);
        const guid = newGuid(clock.now());
        await insertActivity(tx, guid, input, now());
        return readBack(tx, guid);
      }),
    replace: (id, input) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Activity');
        await holdConcept(tx, input);
        if (!(await updateActivity(tx, guid, input, now()))) throw notFound('Activity');
        return readBack(tx, guid);
      }),
    remove: (id) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Activity');
        if (!(await lockActivity(tx, guid))) throw notFound('Activity');
        await refuseWhenUsed(tx, 'activity', guid, USERS);
        await deleteActivity(tx, guid);
      }),
    ...transactionsOf(tools),
  };
}

/** The half that keeps the transactions of activities. */
function transactionsOf({
  database,
  clock,
}: Tools): Pick<ActivityService, 'addTransaction' | 'replaceTransaction' | 'removeTransaction'> {
  const now = () => new Date(clock.now());
  return {
    addTransaction: (activityId, input) =>
      database.transaction(async (tx) => {
        const activityGuid = requireGuid(activityId, 'Activity');
        // What is referred to is held before the activity: who changes it holds it, too, and then the activities that show it.
        if (!(await isActivity(tx, activityGuid))) throw notFound('Activity');
        await checkTransaction(tx, input);
        if (!(await lockActivity(tx, activityGuid))) throw notFound('Activity');
        const transactionGuid = newGuid(clock.now());
        await insertTransaction(tx, { transactionGuid, activityGuid }, input, now());
        await touchActivity(tx, activityGuid, now());
        return readTransaction(tx, transactionGuid);
      }),
    replaceTransaction: (id, input) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Transaction');
        if ((await findTransaction(tx, guid)) === undefined) throw notFound('Transaction');
        await checkTransaction(tx, input);
        const activityGuid = await lockActivityOf(tx, guid);
        if (activityGuid === undefined || !(await updateTransaction(tx, guid, input, now())))
          throw notFound('Transaction');
        await touchActivity(tx, activityGuid, now());
        return readTransaction(tx, guid);
      }),
    removeTransaction: (id) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Transaction');
        const activityGuid = await lockActivityOf(tx, guid);
        if (activityGuid === undefined || !(await deleteTransaction(tx, guid))) throw notFound('Transaction');
        await touchActivity(tx, activityGuid, now());
      }),
  };
}

function holdConcept(tx: Transaction, input: ActivityInput): Promise<void> {
  return holdReferences(tx, [{ field: 'concept', table: 'concept', guid: input.concept }]);
}

async function readBack(tx: Transaction, guid: string): Promise<Activity> {
  const [activity] = await findActivities(tx, [guid]);
  if (activity === undefined) throw notFound('Activity');
  return activity;
}

async function readTransaction(tx: Transaction, guid: string): Promise<ActivityTransaction> {
  const transaction = await findTransaction(tx, guid);
  if (transaction === undefined) throw notFound('Transaction');
  return transaction;
}

async function checkTransaction(tx: Transaction, input: TransactionInput): Promise<void> {
  const faults = input.timing == null ? [] : timingFaults(input.timing, 'timing');
  if (faults.length > 0) throw validationError(faults);
  await holdReferences(tx, [
    { field: 'concept', table: 'concept', guid: input.concept },
    { field: 'response_type', table: 'response_type', guid: input.response_type },
    { field: 'unit', table: 'unit', guid: input.unit },
  ]);
  if (input.unit == null) return;
  const type = await findValueType(tx, input);
  if (type === 'Quantity') return;
  const found = type === undefined ? 'there is no response type' : `the response type is ${type}`;
  throw validationError([{ field: 'unit', message: `'unit': only a Quantity has a unit, and ${found}` }]);
}
