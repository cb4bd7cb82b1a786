// The password and the code by which forms of the own account prove the user, and their errors.
import { ServiceError, validationError } from '#lib/errors.ts';
import type { FormPost } from '#lib/html/form-post.ts';

/** As the bodies of the API have them. */
const MOST_CHARACTERS = 1024;

/** What was typed in the fields. @throws ServiceError `validation_error` with every field that is empty */
export function typedIn<Name extends string>(post: FormPost, ...fields: readonly Name[]): Record<Name, string> {
  const missing = fields.filter((field) => post.optional(field) === undefined);
  if (missing.length > 0) throw validationError(missing.map((field) => ({ field, message: `'${field}' is required` })));
  const entries = fields.map((field) => [field, post.text(field).slice(0, MOST_CHARACTERS)] as const);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** A wrong password and a wrong code have no field of their own. */
export function atField(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'authentication_failed' || error.issues.length > 0)
    return error;
  const field = /code/.test(error.message) ? 'code' : 'current_password';
  return new ServiceError(error.code, error.message, { issues: [{ field, message: error.message }] });
}
