// Moments that callers name, checked beyond their form: a leap second and the year 0 fit the format and are no moments
// that are stored.
import { type Issue, validationError } from '#lib/errors.ts';
import type { Unjudged } from '#lib/http/fitness.ts';

const EARLIEST = Date.UTC(1900, 0, 1);

/**
 * The moment of an RFC 3339 date-time; undefined for undefined.
 * @throws ServiceError `validation_error` naming the field
 */
export function readMoment(text: string | undefined, field: string): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  if (moment.getTime() >= EARLIEST) return moment;
  throw validationError([issueOf(field)]);
}

/**
 * What is wrong with those of the fields that hold texts which are no such moments; a judge of lib/http/fitness.ts
 * tells it with all else.
 */
export function momentIssues(fields: Unjudged, ...names: readonly string[]): Issue[] {
  return names.filter((name) => isNoMoment(fields[name])).map(issueOf);
}

function isNoMoment(value: unknown): boolean {
  return typeof value === 'string' && !(new Date(value).getTime() >= EARLIEST);
}

function issueOf(field: string): Issue {
  return { field, message: `'${field}' must be a moment after 1900` };
}
