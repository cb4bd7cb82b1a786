// When a failed attempt is retried (decision D8): a schedule with jitter, or the receiver's Retry-After if that is
// later.
import { DAY_MS } from '#lib/clock.ts';
import { type BackoffOptions, scheduledDelay } from '#lib/jobs/backoff.ts';

/** About 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. After the last failure the delivery is dead. */
export const RETRY_SCHEDULE_SECONDS: readonly number[] = [5, 60, 300, 1800, 7200, 18_000, 36_000, 36_000];

const LONGEST_RETRY_AFTER_MS = DAY_MS;

/** Milliseconds until the next attempt after the `failures`-th failure (from 1); undefined when there is none. */
export function retryDelay(
  failures: number,
  retryAfterMs: number | undefined,
  options: BackoffOptions,
): number | undefined {
  const delay = scheduledDelay(failures, options);
  return delay === undefined ? undefined : Math.max(delay, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS));
}

/** The three forms of an HTTP date that a recipient must parse (RFC 9110 §5.6.7): IMF-fixdate, RFC 850 and asctime. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * `Retry-After` (RFC 9110 §10.2.3) in milliseconds from `now`: seconds or an HTTP date; undefined for anything else.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,10}$/.test(header)) return Number(header) * 1000;
  const date = readHttpDate(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Milliseconds since 1970; NaN for anything but a date. */
function readHttpDate(text: string): number {
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`);
  return HTTP_DATES.some((form) => form.test(text)) ? Date.parse(text) : Number.NaN;
}
