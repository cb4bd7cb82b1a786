// The calendar of one time zone: the interval of a date without a zone, and the day of a moment.
import { dateTimePrecision, type Period, parseDateTimePeriod } from './date-time.ts';

export interface Calendar {
  /**
   * The interval of a FHIR date or dateTime in milliseconds since 1970 UTC, both ends included. A year, month or day is
   * that of the zone, also where its days are longer or shorter. Undefined for an invalid date, and for a time without
   * a zone.
   */
  periodOf(text: string): Period | undefined;
  /** The day, as `YYYY-MM-DD`, of a moment in milliseconds. */
  dayOf(moment: number): string;
}

/** The calendar of a zone of the IANA database, such as `Europe/Stockholm`. @throws RangeError for an unknown zone */
export function createCalendar(timeZone: string): Calendar {
  const zonedOf = (moment: number) => Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone);
  zonedOf(0);

  function daysFrom(text: string, length: { years?: number; months?: number; days?: number }): Period {
    const first = Temporal.PlainDate.from(`${text}-01-01`.slice(0, 10));
    const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds;
    return { start: startOf(first), end: startOf(first.add(length)) - 1 };
  }

  return {
    periodOf(text) {
      switch (dateTimePrecision(text)) {
        case undefined:
          return undefined;
        case 'year':
          return daysFrom(text, { years: 1 });
        case 'month':
          return daysFrom(text, { months: 1 });
        case 'day':
          return daysFrom(text, { days: 1 });
        default:
          return /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? parseDateTimePeriod(text) : undefined;
      }
    },
    dayOf: (moment) => zonedOf(moment).toPlainDate().toString(),
  };
}
