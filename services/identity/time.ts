// Identity's two formats of timestamps (decision G11): in UTC without an offset, and with one.

/** `2026-01-31T12:00:00.000`: UTC, without offset. */
export function plainTimestamp(time: Date): string {
  return time.toISOString().slice(0, -1);
}

/** `2026-01-31T12:00:00.000+00:00`: UTC, with offset. */
export function offsetTimestamp(time: Date): string {
  return `${plainTimestamp(time)}+00:00`;
}

/** The row with its `created_at` as `plainTimestamp` writes it. */
export function withPlainCreation<Row extends { readonly created_at: Date }>(row: Row) {
  return { ...row, created_at: plainTimestamp(row.created_at) };
}

/** As `plainTimestamp`; null stays null. */
export function optionalTimestamp(time: Date | null): string | null {
  return time === null ? null : plainTimestamp(time);
}
