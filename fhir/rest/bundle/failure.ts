// The error of a failed entry: the error of its interaction, with the entry's place in the bundle.
import { isUnstorableText } from '#lib/db/failure.ts';
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';
import { type EntryRequest, isOperation } from './request.ts';

const entries = new WeakMap<ServiceError, EntryRequest>();

/** The entry at which a bundle ended; undefined for an error that did not pass {@link atEntry}. */
export function entryOf(error: unknown): EntryRequest | undefined {
  return error instanceof ServiceError ? entries.get(error) : undefined;
}

/** The error as the caller may see it: an unknown error is `internal_error`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isUnstorableText(error))
    return validationError([{ message: 'a text holds the character U+0000', code: 'value' }]);
  return new ServiceError('internal_error', 'An unexpected error occurred', { cause: error });
}

/** Turns the error of an entry into the error of the whole bundle: each issue names the entry and its place in it. */
export function atEntry(error: unknown, request: EntryRequest): unknown {
  if (!(error instanceof ServiceError) && !isUnstorableText(error)) return error;
  const known = toServiceError(error);
  const { index, method } = request;
  const type = isOperation(request) ? undefined : request.type.type;
  const entry = `Bundle.entry[${index}]`;
  const name = `Entry ${index + 1} (${method} ${isOperation(request) ? request.operation.name : type})`;
  const issues: readonly Issue[] = known.issues.length > 0 ? known.issues : [{ message: known.message }];
  const placed = new ServiceError(known.code, `${name}: ${known.message}`, {
    issues: issues.map(({ field, message, ...rest }) => ({
      ...rest,
      message: `${name}: ${message}`,
      field: field === undefined ? entry : inEntry(entry, field, type),
    })),
    ...(known.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: known.retryAfterSeconds }),
    cause: known,
  });
  entries.set(placed, request);
  return placed;
}

/** `Patient.gender` of an entry's resource as a path of the bundle. */
function inEntry(entry: string, field: string, type: string | undefined): string {
  if (type === undefined) return entry;
  if (field === type) return `${entry}.resource`;
  return field.startsWith(`${type}.`) ? `${entry}.resource${field.slice(type.length)}` : entry;
}

/** Runs synchronous work for an entry. @throws what it throws, with the entry's place */
export function atEntryNow<T>(request: EntryRequest, work: (request: EntryRequest) => T): T {
  try {
    return work(request);
  } catch (error) {
    throw atEntry(error, request);
  }
}

/** Runs work for an entry. @throws what it throws, with the entry's place */
export async function atEntryOf<T>(request: EntryRequest, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atEntry(error, request);
  }
}
