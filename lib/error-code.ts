// Errors of Node.js and of PostgreSQL by their codes.

/**
 * Whether an error has this code: one of Node.js, such as `ENOENT`, or an SQLSTATE of PostgreSQL. An error of another
 * realm is no `Error` of this one, so its class is not asked.
 */
export function hasErrorCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
