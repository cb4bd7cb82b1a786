// The database's time, for decisions that all nodes must make alike: deadlines, leases, due dates. A node with a wrong
// clock decides like the others. Tests pass a clock of their own instead.
import { type Clock, elapsedOf } from '../clock.ts';
import { createPeriodicLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';
import type { Queryable } from './database.ts';

const FOLLOW_MS = 10_000;
/** Corrections from this size on are logged. */
const LOGGED_MS = 1000;

const ASK = {
  name: 'database-clock',
  text: 'SELECT floor(1000 * extract(epoch FROM clock_timestamp()))::float8 AS now',
};

export interface DatabaseClock extends Clock {
  /** Asks the database once. @throws ServiceError `unavailable` */
  follow(): Promise<void>;
  /** Asks every ten seconds. The last offset stays in use while the database is unavailable. */
  readonly loop: WorkerLoop;
}

/**
 * The node's own clock with its distance from the database's added (milliseconds). While the database's time is
 * between query and result, the clocks agree as far as can be measured. The distance then stays, so that a right clock
 * is never moved.
 */
export function createDatabaseClock(database: Queryable, { own, log }: { own: Clock; log: Logger }): DatabaseClock {
  let distance = 0;

  async function follow(): Promise<void> {
    const sentAt = own.now();
    const { rows } = await database.query<{ now: number }>(ASK);
    const receivedAt = own.now();
    const there = rows[0]?.now;
    // A clock that was set back meanwhile gives no measurement this time.
    if (there === undefined || receivedAt < sentAt) return;
    const isRight = there >= sentAt + distance - 1 && there <= receivedAt + distance + 1;
    if (isRight) return;
    const before = distance;
    distance = Math.round(there - (sentAt + receivedAt) / 2);
    if (Math.abs(distance - before) >= LOGGED_MS) log.warn({ event: 'clock.differs', from_database_ms: -distance });
  }

  return {
    now: () => own.now() + distance,
    elapsed: () => elapsedOf(own),
    follow,
    loop: createPeriodicLoop({ name: 'database-clock', intervalMs: FOLLOW_MS, log, run: follow }),
  };
}
