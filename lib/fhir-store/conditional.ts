// Conditional create (hl7.org/fhir/R5/http.html#ccreate): of any number of callers at the same instant one creates, the others are
// given what it made. An advisory lock on the condition settles it.
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { SearchQuery } from '#lib/fhir/search/query.ts';
import { findMatches, type SearchOptions } from './search.ts';
import type { StoredVersion } from './stored-version.ts';
import { type CreateInput, createResource, type WriteDependencies } from './write.ts';

export interface ConditionalCreateInput extends CreateInput {
  /** What must not exist yet. */
  readonly condition: SearchQuery;
}

export type ConditionalOutcome =
  | { readonly kind: 'created'; readonly version: StoredVersion }
  | { readonly kind: 'found'; readonly version: StoredVersion };

/** @throws ServiceError `unprocessable`; `precondition_failed` when several resources fulfil the condition */
export async function createUnlessFound(
  tx: Transaction,
  input: ConditionalCreateInput,
  options: SearchOptions,
  deps: WriteDependencies,
): Promise<ConditionalOutcome> {
  deps.check(input.source);
  const [found, another] = await lockAndFind(tx, input.condition, options);
  if (another !== undefined) {
    throw new ServiceError(
      'precondition_failed',
      'Several resources fulfil the condition: which one is meant is not clear',
    );
  }
  if (found !== undefined) return { kind: 'found', version: found };
  return { kind: 'created', version: await createResource(tx, input, deps) };
}

/** Waits for whoever holds the same condition, then answers at most two resources that fulfil it. */
async function lockAndFind(tx: Transaction, condition: SearchQuery, options: SearchOptions): Promise<StoredVersion[]> {
  const text = condition.understood.map(([name, value]) => `${name}=${value}`).sort();
  // A statement of its own: the search after it must see what the holder of the lock has committed.
  await tx.query({ name: 'fhir_condition_lock', text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 4))' }, [
    [condition.resourceType, ...text].join('&'),
  ]);
  return findMatches(tx, condition, options, 2);
}
