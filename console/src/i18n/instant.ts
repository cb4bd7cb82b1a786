// Moments as the services write them: some without an offset, which are in UTC.

const WITHOUT_OFFSET = /T[\d:.]+$/;

/** Invalid for a text that is no date. */
export function instantOf(value: string): Date {
  return new Date(WITHOUT_OFFSET.test(value) ? `${value}Z` : value);
}
