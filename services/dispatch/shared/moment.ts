// Moments that callers name, checked beyond their form: a leap second and the year 0 fit the format and are no moments that are stored.
import { validationError } from '#lib/errors.ts';

const EARLIEST = Date.UTC(1900, 0, 1);

/** The moment of an RFC 3339 date-time; undefined for undefined. @throws ServiceError `validation_error` naming the field */
export function readMoment(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  if (moment.getTime() >= EARLIEST) return moment;
  throw validationError([{ field, message: `'${field}' must be a moment after 1900` }]);
}
