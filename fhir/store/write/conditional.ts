// Resolves the condition of a conditional write (hl7.org/fhir/R5/http.html#ccreate, #cond-update). An advisory lock
// lets callers with the same condition go one at a time, so that each sees what those before it have created.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { ResourceAddress } from '../read/lookup.ts';
import type { StoredVersion } from '../read/stored-version.ts';
import { findMatches } from '../search/search.ts';
import type { SearchOptions } from '../search/search-sql.ts';

/**
 * The lock of all conditions: shared by transactions that lock single conditions, exclusive for one that has too many.
 */
const ALL_KEY = "hashtextextended('all conditions', 4)";

const LOCK_CONDITIONS = {
  name: 'fhir_condition_locks',
  text: `SELECT CASE c.rank WHEN 0 THEN pg_advisory_xact_lock_shared(c.key)::text ELSE pg_advisory_xact_lock(c.key)::text END
    FROM (SELECT 0 AS rank, ${ALL_KEY} AS key UNION ALL
      SELECT DISTINCT 1, hashtextextended(t.text, 4) FROM unnest($1::text[]) t(text) ORDER BY rank, key) c`,
};

const LOCK_ALL_CONDITIONS = { name: 'fhir_condition_lock_all', text: `SELECT pg_advisory_xact_lock(${ALL_KEY})` };

/** PostgreSQL has memory for some ten thousand locks of all transactions together. */
const MAX_LOCKS = 200;

const LOCK_RESOURCES = {
  name: 'fhir_resource_locks',
  text: `SELECT FROM fhir_resource r JOIN unnest($1::int[], $2::uuid[]) t(type, rid) ON r.type = t.type AND r.rid = t.rid
    ORDER BY r.type, r.rid FOR UPDATE OF r`,
};

/**
 * Locks conditions until the transaction ends: no other transaction resolves them. All transactions lock in the same
 * order, and so never deadlock.
 */
export async function lockConditions(tx: Transaction, conditions: readonly SearchQuery[]): Promise<void> {
  if (conditions.length > MAX_LOCKS) await tx.query(LOCK_ALL_CONDITIONS, []);
  else if (conditions.length > 0) await tx.query(LOCK_CONDITIONS, [conditions.map(textOf)]);
}

/** Locks existing resources until the transaction ends. All transactions lock in the same order. */
export async function lockResources(tx: Transaction, addresses: readonly ResourceAddress[]): Promise<void> {
  if (addresses.length === 0) return;
  const types = addresses.map(({ resourceType }) => nameKey(resourceType));
  await tx.query(LOCK_RESOURCES, [types, addresses.map(({ id }) => resourceKey(id))]);
}

/** Returns the one resource that fulfils the condition now. @throws ServiceError `precondition_failed` for several */
export async function findOne(
  db: Queryable,
  condition: SearchQuery,
  options: SearchOptions,
): Promise<StoredVersion | undefined> {
  const [found, another] = await findMatches(db, condition, options, 2);
  if (another === undefined) return found;
  const message = 'Several resources fulfil the condition: which one is meant is not clear';
  throw new ServiceError('precondition_failed', message, { issues: [{ message, code: 'multiple-matches' }] });
}

function textOf({ resourceType, understood }: SearchQuery): string {
  return [resourceType, ...understood.map(([name, value]) => `${name}=${value}`).sort()].join('&');
}
