// Rows that are removed when their time is over (docs/adr/0136): in batches, each a short transaction that records what
// it removed. Several may run at once, and one that was killed leaves nothing half done.
import type { Audit } from '../audit/audit.ts';
import type { AuditEntry } from '../audit/audit-event.ts';
import { type Clock, DAY_MS } from '../clock.ts';
import type { Database, Queryable, Transaction } from '../db/database.ts';

/** What one batch did. */
export interface Batch {
  readonly removed: number;
  /** The key of the last row that was looked at; undefined when there are no more. */
  readonly after: readonly unknown[] | undefined;
}

export interface RetentionRule {
  readonly name: string;
  /** For operators: `webhooks that are done`. */
  readonly what: string;
  /** The variable of the configuration. */
  readonly variable: string;
  /** `400 days`; undefined: kept without end. */
  readonly kept: string | undefined;
  /** What is older is over; undefined: nothing is. */
  before(now: number): Date | undefined;
  /** How many rows there are that are over. */
  count(db: Queryable, before: Date): Promise<number>;
  /** Removes some of the next `limit` rows after the key, and leaves those that others have locked. */
  removeBatch(
    tx: Transaction,
    batch: { before: Date; after: readonly unknown[] | undefined; limit: number },
  ): Promise<Batch>;
}

export interface RetentionDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** A transaction of so many rows takes some ten milliseconds. */
const LIMIT = 1_000;
/** So long a batch waits for a lock, and others behind it. */
const LOCK_TIMEOUT_MS = 200;

/** So many days before the time. */
export function daysBefore(now: number, days: number | undefined): Date | undefined {
  return days === undefined ? undefined : new Date(now - days * DAY_MS);
}

/** So many months before the time. */
export function monthsBefore(now: number, months: number): Date;
export function monthsBefore(now: number, months: number | undefined): Date | undefined;
export function monthsBefore(now: number, months: number | undefined): Date | undefined {
  if (months === undefined) return undefined;
  const date = new Date(now);
  date.setUTCMonth(date.getUTCMonth() - months);
  return date;
}

/** `12 months`; undefined for none. */
export function keptText(number: number | undefined, unit: 'days' | 'months'): string | undefined {
  return number === undefined ? undefined : `${number} ${unit}`;
}

/** The least UUIDv7 of a time: rows with lesser ones were made before it (RFC 9562 §5.7). */
export function firstGuidOf(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/**
 * Removes all that is over, and returns how many rows. `onBatch` gets the sum so far; `pace` runs each batch, and may
 * rest after it. @throws as the database does; what is removed until then is recorded
 */
export async function removeOver(
  rule: RetentionRule,
  { database, audit, clock }: RetentionDeps,
  options: {
    readonly actor: Pick<AuditEntry, 'principal'>;
    readonly signal: AbortSignal;
    readonly onBatch?: (removed: number) => void;
    readonly pace?: (work: () => Promise<boolean>) => Promise<boolean>;
  },
): Promise<number> {
  const before = rule.before(clock.now());
  if (before === undefined) return 0;
  const { actor, signal, onBatch, pace = (work) => work() } = options;
  let removed = 0;
  let after: readonly unknown[] | undefined;
  const removeNext = async () => {
    const batch = await database.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      const done = await rule.removeBatch(tx, { before, after, limit: LIMIT });
      if (done.removed > 0) await audit.record(tx, { ...actor, ...entryOf(rule, done.removed, before) });
      return done;
    });
    removed += batch.removed;
    if (batch.removed > 0) onBatch?.(removed);
    ({ after } = batch);
    return after !== undefined;
  };
  while (!signal.aborted && (await pace(removeNext))) {
    // Each batch is a transaction of its own.
  }
  return removed;
}

function entryOf({ name, what }: RetentionRule, removed: number, before: Date): Omit<AuditEntry, 'principal'> {
  const detail = `${removed} rows of ${what} removed, as their time of retention was over: from before ${before.toISOString()}`;
  return { action: 'D', event: 'retention.remove', entities: [`retention/${name}`], detail };
}
