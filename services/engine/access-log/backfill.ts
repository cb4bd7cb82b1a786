// Enters the AuditEvents from before the access log into it, in small steps (docs/adr/0075).
import { createThrottledLoop, type ThrottledLoop } from '#lib/jobs/throttled-loop.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { enterEvents } from './entries.ts';
import * as store from './store.ts';

const STEP = 200;
const INTERVAL_MS = 60_000;
/** Until when nodes of the release before may bring events without entries. */
const UPGRADE_MS = 60 * 60 * 1000;

export interface BackfillDeps extends WorkDependencies {}

export function createAccessLogBackfill({ database, clock, log }: BackfillDeps): ThrottledLoop {
  function step(): Promise<boolean> {
    return database.transaction(async (tx) => {
      const now = clock.now();
      const state = await store.lockBackfill(tx, new Date(now));
      if (state === undefined || !state.isDue) return false;
      const rows = await store.readOlderEvents(tx, state.after, STEP);
      await enterEvents(
        tx,
        rows.map(({ content }): unknown => JSON.parse(content)),
      );
      const last = rows.at(-1);
      if (rows.length === STEP && last !== undefined) {
        await store.moveBackfill(tx, last.rid);
        return true;
      }
      await store.endRun(tx, { run: state.run, startsAt: new Date(now + UPGRADE_MS), at: new Date(now) });
      return false;
    });
  }

  return createThrottledLoop({ name: 'access-log-backfill', intervalMs: INTERVAL_MS, log, step });
}
