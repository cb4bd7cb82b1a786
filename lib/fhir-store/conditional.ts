// What a condition means at the moment of a conditional write (hl7.org/fhir/R5/http.html#ccreate, #cond-update): of any number of
// callers with the same condition one goes on at a time, and each sees what those before it have made. An advisory lock settles it.
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { SearchQuery } from '#lib/fhir/search/query.ts';
import { findMatches, type SearchOptions } from './search.ts';
import type { StoredVersion } from './stored-version.ts';

/**
 * The one resource that fulfils the condition; undefined when there is none. Until the transaction ends nobody else resolves the
 * same condition.
 * @throws ServiceError `precondition_failed` when several fulfil it
 */
export async function resolveCondition(
  tx: Transaction,
  condition: SearchQuery,
  options: SearchOptions,
): Promise<StoredVersion | undefined> {
  const text = condition.understood.map(([name, value]) => `${name}=${value}`).sort();
  // A statement of its own: the search after it must see what the holder of the lock has committed.
  await tx.query({ name: 'fhir_condition_lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 4))' }, [
    [condition.resourceType, ...text].join('&'),
  ]);
  const [found, another] = await findMatches(tx, condition, options, 2);
  if (another === undefined) return found;
  const message = 'Several resources fulfil the condition: which one is meant is not clear';
  throw new ServiceError('precondition_failed', message, { faults: [{ message, issue: 'multiple-matches' }] });
}
