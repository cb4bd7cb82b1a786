// The parameter `date` of $expand, $lookup and $validate-code.
import type { Clock } from '#lib/clock.ts';
import { TerminologyError } from '../terminology-error.ts';
import type { Inputs } from './inputs.ts';

/**
 * Refuses a past date: only the current definitions are stored.
 * @throws TerminologyError `not-supported` for a past day
 */
export function requireNow(inputs: Inputs, clock: Clock): void {
  const given = inputs.text('date');
  if (given === undefined) return;
  if (!/^\d{4}-\d{2}-\d{2}(?:T.*)?$/.test(given) || Number.isNaN(Date.parse(given))) {
    inputs.issue('date', 'date must be a date or dateTime: 2026-01-31');
  } else if (given.slice(0, 10) < new Date(clock.now()).toISOString().slice(0, 10)) {
    throw new TerminologyError('not-supported', `definitions are known as they are now, not as they were on ${given}`);
  }
}
