// How many entries a bundle may have (decision E4).
import { invalidRequest, type ServiceError } from '#lib/errors.ts';

const MAX_ENTRIES = 5000;

/** The entries. @throws ServiceError `invalid_request` for what is no list of them, and for too many */
export function requireFew(given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw refused('Bundle.entry must be a list');
  if (given.length <= MAX_ENTRIES) return given;
  throw refused(`A bundle has at most ${MAX_ENTRIES} entries; this has ${given.length}`, 'too-costly');
}

function refused(message: string, issue?: string): ServiceError {
  return invalidRequest([{ message, field: 'Bundle.entry', ...(issue === undefined ? {} : { code: issue }) }]);
}
