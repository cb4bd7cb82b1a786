// What a read from a standby sends to the primary before anything of it is shown, in one statement for the reads of a
// moment. It finds whether the caller has written something that the standby lacked. If not, it stores the access
// record.
import type { AccessRecord } from '../audit/access-batch.ts';
import { MAX_VERSIONS, packedAccess, recordAccessSql } from '../audit/access-log.ts';
import type { Clock } from '../clock.ts';
import { textArray } from '../db/array-text.ts';
import type { Database, PreparedStatement } from '../db/database.ts';
import { createBatcher } from '../jobs/batcher.ts';
import { type Position, readPosition, writePosition } from './position.ts';
import { EVERYBODY, type WritePositions } from './write-positions.ts';

/** A read that is to be shown. */
export interface FinishedRead {
  readonly caller: string;
  /** What each of its statements has shown. */
  readonly shown: Position;
  /** Undefined for a read that is not recorded. */
  readonly record: AccessRecord | undefined;
}

/** Undefined when the read may be shown, and is recorded; else what a standby must show of the caller's own writes. */
export type Verdict = { readonly lacks: Position | undefined } | undefined;

export interface Visits {
  /** A read begins, and will make a visit soon, or `end`. */
  begin(): void;
  end(): void;
  /** Ends a read. @throws ServiceError `unavailable` */
  visit(read: FinishedRead): Promise<Verdict>;
}

interface VisitOptions {
  readonly primary: Database;
  readonly clock: Clock;
  readonly positions: Pick<WritePositions, 'mark'>;
}

/**
 * A visit waits so long, in milliseconds, for other reads of the moment that are about to make one. What it costs the
 * primary is mostly that of waking up.
 */
const HOLD_MS = 2;
const LIMITS = { size: MAX_VERSIONS, groups: 2 };

/** Callers who lack something of their own. A table without the row for everybody has been emptied. */
const LATE = `FROM unnest($1::text[], $2::pg_lsn[]) AS a(caller, position)
    CROSS JOIN LATERAL (SELECT max(p.position) AS position FROM write_position p WHERE p.caller = a.caller) w
    WHERE w.position > a.position OR (w.position IS NULL AND a.caller = '${EVERYBODY}')`;
const CHECK: PreparedStatement = { name: 'read_check', text: `SELECT a.caller, w.position::text ${LATE}` };
const RECORD: PreparedStatement = {
  name: 'read_check_record',
  text: recordAccessSql(`NOT EXISTS (SELECT ${LATE})`, 3),
};

export function createVisits({ primary, clock, positions }: VisitOptions): Visits {
  let reading = 0;
  let held: { readonly promise: Promise<void>; release(): void } | undefined;

  /** The callers who lack something of their own. While there are any, nothing is recorded. */
  async function check(reads: readonly FinishedRead[]): Promise<ReadonlyMap<string, Position | undefined>> {
    const shown = new Map<string, Position>();
    for (const read of reads) {
      for (const caller of [read.caller, EVERYBODY]) {
        const known = shown.get(caller);
        if (known === undefined || read.shown < known) shown.set(caller, read.shown);
      }
    }
    const asked = [textArray([...shown.keys()]), textArray([...shown.values()].map(writePosition))];
    const records = reads.flatMap(({ record }) => record ?? []);
    if (records.length > 0) {
      const { rowCount } = await primary.query(RECORD, [...asked, ...packedAccess(records, clock.now())]);
      if (rowCount > 0) return new Map();
    }
    const { rows } = await primary.query<{ caller: string; position: string | null }>(CHECK, asked);
    // What was late a moment ago has been swept: it is old, and every standby in use has it.
    if (rows.length === 0 && records.length > 0) return check(reads);
    return new Map(
      rows.map(({ caller, position }) => [caller, position === null ? undefined : readPosition(position)]),
    );
  }

  async function together(reads: readonly FinishedRead[]): Promise<{ value: Verdict }[]> {
    const late = new Map<string, Position | undefined>();
    let left = reads;
    while (left.length > 0) {
      const found = await check(left);
      if (found.size === 0) break;
      for (const [caller, position] of found) late.set(caller, position);
      left = late.has(EVERYBODY) ? [] : left.filter(({ caller }) => !late.has(caller));
    }
    if (late.has(EVERYBODY) && late.get(EVERYBODY) === undefined) await positions.mark();
    return reads.map(({ caller }) => {
      const of = late.has(caller) ? caller : EVERYBODY;
      return { value: late.has(of) ? { lacks: late.get(of) } : undefined };
    });
  }

  const visitNow = createBatcher<FinishedRead, Verdict>({
    name: 'record reads from standbys',
    together,
    sizeOf: ({ record }) => Math.max(1, record?.versions.length ?? 0),
    limits: LIMITS,
  });

  function end(): void {
    reading -= 1;
    if (reading === 0) held?.release();
  }

  /** Until no read is on its way to a visit, for at most {@link HOLD_MS}. */
  function hold(): Promise<void> | undefined {
    if (reading === 0) return undefined;
    if (held === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const release = () => {
        clearTimeout(timer);
        held = undefined;
        resolve();
      };
      const timer = setTimeout(release, HOLD_MS);
      held = { promise, release };
    }
    return held.promise;
  }

  return {
    begin: () => {
      reading += 1;
    },
    end,
    visit: async (read) => {
      end();
      await hold();
      return visitNow(read);
    },
  };
}
