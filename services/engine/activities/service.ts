// The rules of activities and transactions (decision E7). Published plans are copies: a change here never changes a
// plan in use.
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { type Issue, notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { PageRequest } from '#lib/http/response/page.ts';
import { deleteOwner, requireOwner } from '../shared/library-owners.ts';
import { createOwnedRecords, type LibraryService, type OwnedRecord } from '../shared/owned-records.ts';
import { type Replacement, requireReplaced, requireVersion } from '../shared/record-versions.ts';
import {
  isGuidText,
  lockKnownReferences,
  type Reference,
  refuseWhenUsed,
  type UserKind,
  unknownReferences,
} from '../shared/references.ts';
import { deleteRecord, requireGuid } from '../shared/sql.ts';
import type { Activity, ActivityInput, ActivityQuery, ActivityTransaction, TransactionInput } from './schema.ts';
import {
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
import { timingIssues } from './timing.ts';

/** `remove` deletes the activity and its transactions. */
export interface ActivityService extends LibraryService<Activity, ActivityInput, ActivityQuery & PageRequest> {
  /** Returns the issues of a transaction that its schema does not find. */
  issuesOfTransaction(fields: BodyFields): Promise<Issue[]>;
  addTransaction(activityId: string, input: TransactionInput, principal: Principal): Promise<ActivityTransaction>;
  /** @throws ServiceError `precondition_failed` when it is not a version that may be replaced */
  replaceTransaction(id: string, input: TransactionInput, by: Replacement): Promise<ActivityTransaction>;
  /** @throws ServiceError `precondition_failed` when it is not a version that may be deleted */
  removeTransaction(id: string, by: Replacement): Promise<void>;
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

const ACTIVITY: OwnedRecord<Activity, ActivityInput> = {
  name: 'Activity',
  referencesOf: conceptOf,
  find: findActivities,
  insert: insertActivity,
  update: updateActivity,
};

/** The steps of activities. */
const TRANSACTION = { table: 'activity_transaction', key: 'transaction_guid' };

export function createActivityService(tools: Tools): ActivityService {
  const { database } = tools;
  return {
    ...createOwnedRecords(tools, ACTIVITY),
    issuesOf: (fields) => unknownReferences(database, conceptOf(fields)),
    list: (query) => listActivities(database, query),
    remove: (id, { principal, ifMatch }) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Activity');
        if (!(await lockActivity(tx, guid))) throw notFound('Activity');
        await requireOwner(tx, guid, principal);
        await refuseWhenUsed(tx, 'activity', guid, USERS);
        const version = await deleteRecord(tx, { table: 'activity' }, guid);
        if (version === undefined) throw notFound('Activity');
        requireVersion(ifMatch, version);
        await deleteOwner(tx, guid);
      }),
    ...transactionsOf(tools),
  };
}

/** The part of the service for transactions. */
function transactionsOf({
  database,
  clock,
}: Tools): Pick<
  ActivityService,
  'issuesOfTransaction' | 'addTransaction' | 'replaceTransaction' | 'removeTransaction'
> {
  const now = () => new Date(clock.now());
  return {
    issuesOfTransaction: async (fields) =>
      issuesBeside(database, fields, await unknownReferences(database, partsOf(fields))),
    addTransaction: (activityId, input, principal) =>
      database.transaction(async (tx) => {
        const activityGuid = requireGuid(activityId, 'Activity');
        // Referenced rows are locked before the activity. A writer of such a row locks it first, and then the
        // activities that show it.
        if (!(await isActivity(tx, activityGuid))) throw notFound('Activity');
        await checkTransaction(tx, input);
        if (!(await lockActivity(tx, activityGuid))) throw notFound('Activity');
        await requireOwner(tx, activityGuid, principal);
        const transactionGuid = newGuid(clock.now());
        await insertTransaction(tx, { transactionGuid, activityGuid }, input, now());
        await touchActivity(tx, activityGuid, now());
        return readTransaction(tx, transactionGuid);
      }),
    replaceTransaction: (id, input, { principal, ifMatch }) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Transaction');
        if ((await findTransaction(tx, guid)) === undefined) throw notFound('Transaction');
        await checkTransaction(tx, input);
        const activityGuid = await lockActivityOf(tx, guid);
        if (activityGuid === undefined) throw notFound('Transaction');
        const version = await updateTransaction(tx, guid, input, now());
        if (version === undefined) throw notFound('Transaction');
        await requireOwner(tx, activityGuid, principal);
        requireReplaced(ifMatch, version);
        await touchActivity(tx, activityGuid, now());
        return readTransaction(tx, guid);
      }),
    removeTransaction: (id, { principal, ifMatch }) =>
      database.transaction(async (tx) => {
        const guid = requireGuid(id, 'Transaction');
        const activityGuid = await lockActivityOf(tx, guid);
        const version = activityGuid === undefined ? undefined : await deleteRecord(tx, TRANSACTION, guid);
        if (activityGuid === undefined || version === undefined) throw notFound('Transaction');
        await requireOwner(tx, activityGuid, principal);
        requireVersion(ifMatch, version);
        await touchActivity(tx, activityGuid, now());
      }),
  };
}

function conceptOf({ concept }: BodyFields): Reference[] {
  return [{ field: 'concept', table: 'concept', guid: concept }];
}

async function readTransaction(tx: Transaction, guid: string): Promise<ActivityTransaction> {
  const transaction = await findTransaction(tx, guid);
  if (transaction === undefined) throw notFound('Transaction');
  return transaction;
}

function partsOf({ concept, response_type: responseType, unit }: BodyFields): Reference[] {
  return [
    { field: 'concept', table: 'concept', guid: concept },
    { field: 'response_type', table: 'response_type', guid: responseType },
    { field: 'unit', table: 'unit', guid: unit },
  ];
}

/**
 * Call it when the referenced rows are locked, so that their types stay as they are.
 * @throws ServiceError `validation_error`
 */
async function checkTransaction(tx: Transaction, input: TransactionInput): Promise<void> {
  const issues = await issuesBeside(tx, input, await lockKnownReferences(tx, partsOf(input)));
  if (issues.length > 0) throw validationError(issues);
}

/** Returns every issue of a transaction, given the issues of its references. */
async function issuesBeside(db: Queryable, fields: BodyFields, unknown: readonly Issue[]): Promise<Issue[]> {
  const ofUnit = unknown.length === 0 ? await unitIssues(db, fields) : [];
  return [...timingIssues(fields['timing'], 'timing'), ...unknown, ...ofUnit];
}

async function unitIssues(db: Queryable, { concept, response_type: own, unit }: BodyFields): Promise<Issue[]> {
  // A unit can be checked only when the type of the values is known.
  if (!isGuidText(unit) || !isGuidText(concept) || !(own == null || isGuidText(own))) return [];
  const type = await findValueType(db, concept, own ?? null);
  if (type === 'Quantity') return [];
  const found = type === undefined ? 'there is no response type' : `the response type is ${type}`;
  return [{ field: 'unit', message: `'unit': only a Quantity has a unit, and ${found}` }];
}
