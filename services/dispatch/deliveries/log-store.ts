// SQL by which operators list deliveries and attempts, and replay dead letters (decision D9).
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import type { WebhookType } from './envelope.ts';
import { DELIVERY_TRANSITIONS, type DeliveryStatus } from './lifecycle.ts';
import type { CancelReason } from './outbox-store.ts';
import type { AttemptRow } from './schema.ts';

export interface Delivery {
  readonly deliveryGuid: string;
  readonly providerGuid: string;
  readonly requestGuid: string | undefined;
  readonly type: WebhookType;
  readonly status: DeliveryStatus;
  readonly attempt: number;
  readonly failures: number;
  readonly nextAt: Date | undefined;
  readonly lastError: string | undefined;
  readonly cancelledReason: CancelReason | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deliveredAt: Date | undefined;
  readonly deadAt: Date | undefined;
  /** Why an administrator discarded it. */
  readonly discardReason: string | undefined;
}

export type Attempt = FromRow<AnsweredAttemptRow>;

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
  readonly providerGuid?: string;
  readonly requestGuid?: string;
  readonly type?: WebhookType;
  /** When the dead letters died: from `since` to before `until`. */
  readonly since?: Date;
  readonly until?: Date;
  /** The class of the failure that they died of, as `last_error` has it. */
  readonly cause?: string;
  /** When the deliveries were created: from `createdSince` to before `createdUntil`. */
  readonly createdSince?: Date;
  readonly createdUntil?: Date;
}

/** Which dead letters to replay. */
export type ReplayFilter = Pick<DeliveryFilter, 'providerGuid' | 'requestGuid' | 'type' | 'since' | 'until' | 'cause'>;

interface Row {
  delivery_guid: string;
  provider_guid: string;
  request_guid: string | null;
  type: WebhookType;
  status: DeliveryStatus;
  attempt: number;
  failures: number;
  next_at: Date;
  last_error: string | null;
  cancelled_reason: CancelReason | null;
  created_at: Date;
  updated_at: Date;
  delivered_at: Date | null;
  dead_at: Date | null;
  discard_reason: string | null;
}

interface AnsweredAttemptRow extends AttemptRow {
  answer: string | null;
}

const COLUMNS = `delivery_guid, provider_guid, request_guid, type, status, attempt, failures, next_at, last_error, cancelled_reason,
  created_at, updated_at, delivered_at, dead_at, discard_reason`;
const FIND = { name: 'delivery-find', text: `SELECT ${COLUMNS} FROM delivery WHERE delivery_guid = $1` };
const ATTEMPTS = {
  name: 'delivery-attempts',
  text: `SELECT attempt, started_at, duration_ms, http_status, outcome, answer FROM every_attempt
    WHERE delivery_guid = $1 AND attempt IS NOT NULL ORDER BY attempt`,
};
/** As literals, so that the planner can use a partial index. */
const REPLAYABLE = DELIVERY_TRANSITIONS.replay.from.map((status) => `'${status}'`).join(', ');
const REPLAYED = `status = CASE WHEN e.enabled THEN 'queued' ELSE 'held' END, failures = 0, next_at = $1, dead_at = NULL,
  updated_at = $1`;
const REPLAY_ONE = {
  name: 'delivery-replay-one',
  text: `UPDATE delivery d SET ${REPLAYED} FROM provider_endpoint e
    WHERE d.delivery_guid = $2 AND d.status IN (${REPLAYABLE}) AND e.provider_guid = d.provider_guid RETURNING d.status`,
};
const REPLAY_MANY = {
  name: 'delivery-replay-many',
  text: `UPDATE delivery d SET ${REPLAYED} FROM provider_endpoint e
    WHERE ${replayable(2)}`,
};
const COUNT_REPLAYABLE = {
  name: 'delivery-count-replayable',
  text: `SELECT count(*) AS total FROM delivery d, provider_endpoint e WHERE ${replayable(1)}`,
};

const DISCARD = {
  name: 'delivery-discard',
  text: `UPDATE delivery SET status = '${DELIVERY_TRANSITIONS.discard.to}', cancelled_reason = 'discarded', discard_reason = $2,
      updated_at = $3
    WHERE delivery_guid = $1 AND status = ANY($4::text[])`,
};

/** The condition for replay, with parameters from this number on. */
function replayable(first: number): string {
  const [provider, request, type, since, until, cause] = Array.from({ length: 6 }, (_, index) => `$${first + index}`);
  return `d.status IN (${REPLAYABLE}) AND e.provider_guid = d.provider_guid
      AND (${provider}::text IS NULL OR d.provider_guid = ${provider}) AND (${request}::uuid IS NULL OR d.request_guid = ${request})
      AND (${type}::text IS NULL OR d.type = ${type})
      AND (${since}::timestamptz IS NULL OR d.dead_at >= ${since}) AND (${until}::timestamptz IS NULL OR d.dead_at < ${until})
      AND (${cause}::text IS NULL OR d.last_error = ${cause})`;
}

/** Newest first. */
export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const { where, values } = conditionOf(filter);
  const counted = await db.query<{ total: number }>(`SELECT count(*) AS total FROM delivery ${where}`, values);
  const { rows } = await db.query<Row>(
    `SELECT ${COLUMNS} FROM delivery ${where} ORDER BY delivery_guid DESC
     LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, page.limit, page.offset],
  );
  return { deliveries: rows.map(toDelivery), total: Number(counted.rows[0]?.total ?? 0) };
}

export async function findDelivery(db: Queryable, deliveryGuid: string): Promise<Delivery | undefined> {
  return findRow(db, FIND, [deliveryGuid], toDelivery);
}

export async function listAttempts(db: Queryable, deliveryGuid: string): Promise<Attempt[]> {
  const { rows } = await db.query<AnsweredAttemptRow>(ATTEMPTS, [deliveryGuid]);
  return rows.map(fromRow);
}

export interface DeadCause {
  readonly providerGuid: string;
  readonly cause: string;
  readonly deadLetters: number;
  readonly firstDeadAt: Date;
  readonly lastDeadAt: Date;
}

const CAUSES = {
  name: 'delivery-dead-causes',
  text: `SELECT provider_guid, coalesce(last_error, '') AS cause, count(*)::int AS dead_letters,
      min(dead_at) AS first_dead_at, max(dead_at) AS last_dead_at
    FROM delivery WHERE status = 'dead' GROUP BY provider_guid, last_error
    ORDER BY count(*) DESC, provider_guid, last_error LIMIT $1`,
};

/** The most frequent first, at most so many. */
export async function listCauses(db: Queryable, limit: number): Promise<DeadCause[]> {
  interface CauseRow {
    provider_guid: string;
    cause: string;
    dead_letters: number;
    first_dead_at: Date;
    last_dead_at: Date;
  }
  return (await db.query<CauseRow>(CAUSES, [limit])).rows.map(fromRow);
}

/** The new status; undefined when the delivery is not dead, or its provider has no endpoint. */
export async function replayOne(
  transaction: Queryable,
  deliveryGuid: string,
  now: Date,
): Promise<DeliveryStatus | undefined> {
  const { rows } = await transaction.query<{ status: DeliveryStatus }>(REPLAY_ONE, [now, deliveryGuid]);
  return rows[0]?.status;
}

/** Whether it was dead, and is now discarded. */
export async function discardOne(
  transaction: Queryable,
  deliveryGuid: string,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<boolean> {
  const { from } = DELIVERY_TRANSITIONS.discard;
  return (await transaction.query(DISCARD, [deliveryGuid, reason, now, from])).rowCount === 1;
}

/** Replays all that match; returns how many. */
export async function replayMany(transaction: Queryable, filter: ReplayFilter, now: Date): Promise<number> {
  return (await transaction.query(REPLAY_MANY, [now, ...replayValues(filter)])).rowCount;
}

/** How many `replayMany` would replay. */
export async function countReplayable(db: Queryable, filter: ReplayFilter): Promise<number> {
  const { rows } = await db.query<{ total: number }>(COUNT_REPLAYABLE, replayValues(filter));
  return Number(rows[0]?.total ?? 0);
}

function replayValues({ providerGuid, requestGuid, type, since, until, cause }: ReplayFilter): unknown[] {
  return [providerGuid, requestGuid, type, since, until, cause].map((value) => value ?? null);
}

function conditionOf(filter: DeliveryFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: (place: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add((place) => `status = ${place}`, filter.status);
  add(
    (place) => `delivery_guid IN (SELECT delivery_guid FROM delivery_of_provider WHERE provider_guid = ${place})`,
    filter.providerGuid,
  );
  add((place) => `request_guid = ${place}`, filter.requestGuid);
  add((place) => `type = ${place}`, filter.type);
  add((place) => `dead_at >= ${place}`, filter.since);
  add((place) => `dead_at < ${place}`, filter.until);
  add((place) => `last_error = ${place}`, filter.cause);
  add((place) => `created_at >= ${place}`, filter.createdSince);
  add((place) => `created_at < ${place}`, filter.createdUntil);
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

function toDelivery(row: Row): Delivery {
  const isOpen = row.status === 'queued' || row.status === 'waiting';
  return { ...fromRow(row), nextAt: isOpen ? row.next_at : undefined };
}
