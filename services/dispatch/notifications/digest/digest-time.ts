// When a digest is due: at the full hour, or in the morning of the deployment's time zone.
export const FREQUENCIES = ['hourly', 'daily'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

const MORNING_HOUR = 7;

/** The first due moment after this one, both in milliseconds since 1970. */
export function nextDigestAt(frequency: Frequency, after: number, timeZone: string): number {
  const zoned = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone);
  if (frequency === 'hourly') {
    return zoned.round({ smallestUnit: 'hour', roundingMode: 'floor' }).add({ hours: 1 }).epochMilliseconds;
  }
  const morning = zoned.with({
    hour: MORNING_HOUR,
    minute: 0,
    second: 0,
    millisecond: 0,
    microsecond: 0,
    nanosecond: 0,
  });
  const isPast = morning.epochMilliseconds <= after;
  return (isPast ? morning.add({ days: 1 }) : morning).epochMilliseconds;
}
