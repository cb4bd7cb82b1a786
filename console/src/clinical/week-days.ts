// The week that a day is in, from Monday on.
import { serverPlace } from '../place.ts';
import { DAYS, type DayOfWeek } from './timing.ts';

export function dayOf(date: Date): DayOfWeek {
  const place = serverPlace();
  if (place === undefined) return DAYS[(date.getDay() + 6) % 7] ?? 'mon';
  const name = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: place.timeZone }).format(date);
  return DAYS.find((day) => day === name.toLowerCase()) ?? 'mon';
}

/** The seven dates of the week, at noon, so that a change to summer time moves none. */
export function datesOfWeek(date: Date): readonly Date[] {
  const monday = date.getDate() - ((date.getDay() + 6) % 7);
  return DAYS.map((_, index) => new Date(date.getFullYear(), date.getMonth(), monday + index, 12));
}
