// Ages by personnummer (decision L5): whether somebody is of age, and when a birthday begins, both in Sweden.
import { SWEDISH_TIME } from './html/moment-text.ts';

/** A guardian's right ends at this age of the child. */
export const CHILD_UNTIL = 13;

const COORDINATION_DAYS = 60;

/** The day of birth in a number of 12 digits. */
function birthOf(number: string): Temporal.PlainDate {
  const day = Number(number.slice(6, 8));
  return Temporal.PlainDate.from({
    year: Number(number.slice(0, 4)),
    month: Number(number.slice(4, 6)),
    day: day > COORDINATION_DAYS ? day - COORDINATION_DAYS : day,
  });
}

/**
 * The moment, in milliseconds, at which the person with the number becomes that old: the start of the birthday. Who was
 * born on 29 February becomes older on 1 March in other years, as Swedish law counts.
 */
export function startOfAge(number: string, years: number): number {
  const birth = birthOf(number);
  const birthday = birth.add({ years });
  const day = birthday.day === birth.day ? birthday : birthday.add({ days: 1 });
  return day.toZonedDateTime(SWEDISH_TIME).epochMilliseconds;
}

/** The end of the day `YYYY-MM-DD` in Sweden, as the first moment after it. */
export function endOfDay(day: string): number {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(SWEDISH_TIME).epochMilliseconds;
}

/** The last day in Sweden that is over at the moment, at noon in UTC, to be shown. */
export function lastDayBefore(moment: Date): Date {
  const end = Temporal.Instant.fromEpochMilliseconds(moment.getTime() - 1).toZonedDateTimeISO(SWEDISH_TIME);
  return new Date(Date.UTC(end.year, end.month - 1, end.day, 12));
}
