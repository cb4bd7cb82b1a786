// Counts how many audit events each patient has in the months that are over, while the system serves (docs/adr/0154).
// Searches for a patient take these counts instead of looking into each month. A step is a transaction: any node goes
// on after a kill.
import type { Transaction } from '#lib/db/database.ts';
import { hasErrorCode } from '#lib/error-code.ts';
import { createThrottledLoop, type ThrottledLoop } from '#lib/jobs/throttled-loop.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import {
  countPatients,
  findGoneMonth,
  lockCounting,
  type MonthState,
  readMonthStates,
  recountLate,
  removeCounts,
  watchMonth,
} from './counting-store.ts';
import { monthOfTime } from './month.ts';

const INTERVAL_MS = 10 * 60_000;
/** Events come later than that where another service could not send them. */
const OVER_MS = 24 * 60 * 60 * 1000;
/** Events that a step counts, rows that it removes, and patients that it counts again. */
const EVENTS = 20_000;
const REMOVED = 5_000;
const RECOUNTED = 100;
const LOCK_NOT_AVAILABLE = '55P03';

export function createEventCounting({
  database,
  clock,
  log,
  events = EVENTS,
}: WorkDependencies & {
  /** How many of them a step counts; many when left out. */
  readonly events?: number;
}): ThrottledLoop {
  async function step(): Promise<boolean> {
    try {
      return await database.transaction(async (tx) => {
        if (!(await lockCounting(tx))) return false;
        const months = await readMonthStates(tx);
        const next = months.findLast((each) => isOver(each, clock.now()) && !(each.isWatched && each.isCounted));
        if (next !== undefined) return stepOf(tx, next);
        if ((await recountLate(tx, RECOUNTED)) > 0) return true;
        const known = months.map(({ month }) => month);
        const gone = await findGoneMonth(tx, known);
        if (gone === undefined) return false;
        await removeCounts(tx, gone, REMOVED);
        return true;
      });
    } catch (error) {
      // Somebody writes to the month: the next time will do.
      if (hasErrorCode(error, LOCK_NOT_AVAILABLE)) return false;
      throw error;
    }
  }

  /** Counts of before the month was watched go first: they are those of a month that was dropped, or restored. */
  async function stepOf(tx: Transaction, month: MonthState): Promise<boolean> {
    if (month.isWatched) await countPatients(tx, month, { events, at: new Date(clock.now()) });
    else if ((await removeCounts(tx, month.month, REMOVED)) < REMOVED) await watchMonth(tx, month.month);
    return true;
  }

  return createThrottledLoop({ name: 'audit-event-counting', intervalMs: INTERVAL_MS, log, step });
}

function isOver({ month }: MonthState, now: number): boolean {
  return monthOfTime(month).until + OVER_MS <= now;
}
