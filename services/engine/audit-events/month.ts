// Months of audit events: each has a partition of its own, by the times of the ids (docs/adr/0126).
import { timeOfGuid } from '#lib/guid.ts';

/** A month of UTC; times are milliseconds since 1970. */
export interface Month {
  /** `2026-03`. */
  readonly name: string;
  /** Its first moment, which also identifies it in `access_event_month`. */
  readonly from: number;
  /** The first moment of the month after it. */
  readonly until: number;
}

/** The last month that was asked for: nearly all events are of the same one. */
let latest: Month = { name: '', from: Infinity, until: -Infinity };

/** The month of a time. */
export function monthOfTime(time: number): Month {
  if (time >= latest.from && time < latest.until) return latest;
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  latest = { name: date.toISOString().slice(0, 7), from: Date.UTC(year, month), until: Date.UTC(year, month + 1) };
  return latest;
}

/** The month of an event, by its id. */
export function monthOfGuid(guid: string): Month {
  return monthOfTime(timeOfGuid(guid));
}

const NAME = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** The month of a name; undefined for a text that names none. */
export function monthOfName(name: string): Month | undefined {
  return NAME.test(name) ? monthOfTime(Date.parse(`${name}-01T00:00:00Z`)) : undefined;
}

/** The partition of the month: `access_event_2026_03`. */
export function partitionOf(table: string, { name }: Pick<Month, 'name'>): string {
  return `${table}_${name.replace('-', '_')}`;
}
