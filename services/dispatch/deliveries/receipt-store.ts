// SQL that writes receipts and their positions in the provider feed (decision D10): a request has the position of its
// latest change. Positions are assigned under the lock of the provider_feed row, so they become visible in order and
// without gaps.
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';

export interface NewReceipt {
  readonly requestGuid: string;
  readonly serviceRequestId: string;
  readonly providerGuid: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  readonly bundleGuid: string;
  readonly tokenHash: Buffer;
  readonly tokenKey: string;
}

const INSERT_BUNDLE = {
  name: 'push-bundle-insert',
  text: 'INSERT INTO push_bundle (bundle_guid, service_request_id, content, created_at) VALUES ($1, $2, $3, $4)',
};
/** Locks rows in the order of their guids, so that two transactions cannot deadlock. */
const ADVANCE = {
  name: 'feed-advance',
  text: `INSERT INTO provider_feed (provider_guid, position)
    SELECT n.provider_guid, n.steps FROM unnest($1::text[], $2::bigint[]) AS n (provider_guid, steps) ORDER BY n.provider_guid
    ON CONFLICT (provider_guid) DO UPDATE SET position = provider_feed.position + excluded.position
    RETURNING provider_guid, position`,
};
const INSERT_RECEIPTS = {
  name: 'receipt-insert',
  text: `INSERT INTO receipt (request_guid, service_request_id, provider_guid, patient_guid, organisation_guid, bundle_guid, token_hash,
      token_key, feed_position, dispatched_at, updated_at)
    SELECT *, $10, $10 FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::bytea[], $8::text[],
      $9::bigint[])`,
};
const PROVIDERS_OF = {
  name: 'receipt-providers',
  text: 'SELECT request_guid, provider_guid FROM receipt WHERE request_guid = ANY($1::uuid[]) ORDER BY request_guid FOR UPDATE',
};
const MOVE = {
  name: 'receipt-move',
  text: `UPDATE receipt r SET feed_position = n.position, updated_at = $3
    FROM unnest($1::uuid[], $2::bigint[]) AS n (request_guid, position) WHERE r.request_guid = n.request_guid`,
};

const LOCK_FEEDS = {
  name: 'feed-lock',
  text: 'SELECT FROM provider_feed WHERE provider_guid = ANY($1::text[]) ORDER BY provider_guid FOR UPDATE',
};

/** Locks all feeds that a transaction will write to in several steps, in one order. */
export async function lockFeeds(transaction: Queryable, providerGuids: readonly string[]): Promise<void> {
  await transaction.query(LOCK_FEEDS, [providerGuids]);
}

export async function insertBundle(
  transaction: Queryable,
  bundle: { readonly bundleGuid: string; readonly serviceRequestId: string; readonly content: string },
  now: Date,
): Promise<void> {
  await transaction.query(INSERT_BUNDLE, [bundle.bundleGuid, bundle.serviceRequestId, bundle.content, now]);
}

export async function insertReceipts(
  transaction: Queryable,
  receipts: readonly NewReceipt[],
  now: Date,
): Promise<void> {
  if (receipts.length === 0) return;
  const positions = await takePositions(transaction, receipts);
  await transaction.query(INSERT_RECEIPTS, [
    ...columnsOf(
      receipts,
      'requestGuid',
      'serviceRequestId',
      'providerGuid',
      'patientGuid',
      'organisationGuid',
      'bundleGuid',
      'tokenHash',
      'tokenKey',
    ),
    positions,
    now,
  ]);
}

/** Moves the requests to the end of their providers' feeds, as this transaction changed them. */
export async function touchRequests(transaction: Queryable, requestGuids: readonly string[], now: Date): Promise<void> {
  if (requestGuids.length === 0) return;
  const { rows } = await transaction.query<{ request_guid: string; provider_guid: string }>(PROVIDERS_OF, [
    requestGuids,
  ]);
  const positions = await takePositions(
    transaction,
    rows.map((row) => ({ providerGuid: row.provider_guid })),
  );
  await transaction.query(MOVE, [rows.map((row) => row.request_guid), positions, now]);
}

/** Assigns one new position to each item, in order. The feeds stay locked until the transaction ends. */
async function takePositions(
  transaction: Queryable,
  items: readonly { readonly providerGuid: string }[],
): Promise<number[]> {
  const steps = new Map<string, number>();
  for (const { providerGuid } of items) steps.set(providerGuid, (steps.get(providerGuid) ?? 0) + 1);
  const { rows } = await transaction.query<{ provider_guid: string; position: number }>(ADVANCE, [
    [...steps.keys()],
    [...steps.values()],
  ]);
  const next = new Map(rows.map((row) => [row.provider_guid, row.position - (steps.get(row.provider_guid) ?? 0)]));
  return items.map(({ providerGuid }) => {
    const position = (next.get(providerGuid) ?? 0) + 1;
    next.set(providerGuid, position);
    return position;
  });
}
