// Statistics of requests, for those who plan (docs/adr/0103): how far they came, what waits, how deliveries and answers
// went. Whose requests count is decided by the data scope. The numbers name no patient.
import { dataScopeOf } from '#lib/auth/data-scope.ts';
import { type Clock, DAY_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { validationError } from '#lib/errors.ts';
import type { Actor } from '../shared/actor.ts';
import { type Numbers, readStatistics } from './store.ts';

const DEFAULT_DAYS = 30;
/** The longest time, in days: a quarter of a year. */
const MOST_DAYS = 92;

export interface Window {
  /** Days in UTC, `2026-11-26`; both are included. */
  readonly from: string;
  readonly to: string;
}

export interface RequestStatistics extends Window {
  readonly asOf: Date;
  readonly numbers: Numbers;
}

export interface StatisticsService {
  /** @throws ServiceError `validation_error` for a time that ends before it begins, or is too long */
  read(actor: Actor, window: Partial<Window>): Promise<RequestStatistics>;
  /** The same of everybody's requests of the last 30 days, for metrics. */
  readAll(): Promise<Numbers>;
}

export interface StatisticsOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** In which the weekday of a push is, such as `Europe/Stockholm`. */
  readonly timeZone: string;
}

export function createStatistics({ database, clock, timeZone }: StatisticsOptions): StatisticsService {
  const readFor = async (scope: ReturnType<typeof dataScopeOf>, { from, to }: Window): Promise<RequestStatistics> => {
    const [start, end] = [new Date(from), new Date(Date.parse(to) + DAY_MS)];
    const now = new Date(clock.now());
    return { from, to, asOf: now, numbers: await readStatistics(database, { scope, start, end, now, timeZone }) };
  };
  return {
    read: async ({ principal }, window) => readFor(dataScopeOf(principal, 'dispatch'), windowOf(window, clock.now())),
    readAll: async () => (await readFor({ kind: 'all' }, windowOf({}, clock.now()))).numbers,
  };
}

function windowOf({ from, to }: Partial<Window>, now: number): Window {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  if (days < 1) throw validationError([{ message: 'from is after to', field: 'from' }]);
  if (days > MOST_DAYS) throw validationError([{ message: `There are more than ${MOST_DAYS} days`, field: 'from' }]);
  return { from: first, to: last };
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
