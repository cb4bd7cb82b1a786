// How long a browser session lives (decision L11).
import { HOUR_MS, MINUTE_MS } from '#lib/clock.ts';

/** A session is alive when it was used after `usedAfter` and began after `begunAfter`. */
export interface LiveBounds {
  readonly usedAfter: Date;
  readonly begunAfter: Date;
}

export interface SessionLimits {
  /** Without use. */
  readonly idleMs: number;
  /** From its sign-in on. */
  readonly absoluteMs: number;
}

export function sessionLimits(config: {
  readonly sessionIdleMinutes: number;
  readonly sessionAbsoluteHours: number;
}): SessionLimits {
  return { idleMs: config.sessionIdleMinutes * MINUTE_MS, absoluteMs: config.sessionAbsoluteHours * HOUR_MS };
}

/** What a session must be younger than at this time. */
export function liveBounds({ idleMs, absoluteMs }: SessionLimits, now: number): LiveBounds {
  return { usedAfter: new Date(now - idleMs), begunAfter: new Date(now - absoluteMs) };
}
