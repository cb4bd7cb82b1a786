// Date-times in requests, checked beyond their format: a leap second and the year 0 match it but cannot be stored.
import { type Issue, validationError } from '#lib/errors.ts';
import type { BodyFields } from '#lib/http/body-check.ts';

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
 * The issues of those fields whose text is no such date-time. A check of lib/http/body-check.ts reports them with all
 * others.
 */
export function momentIssues(fields: BodyFields, ...names: readonly string[]): Issue[] {
  return names.filter((name) => isNoMoment(fields[name])).map(issueOf);
}

function isNoMoment(value: unknown): boolean {
  return typeof value === 'string' && !(new Date(value).getTime() >= EARLIEST);
}

function issueOf(field: string): Issue {
  return { field, message: `'${field}' must be a moment after 1900` };
}
