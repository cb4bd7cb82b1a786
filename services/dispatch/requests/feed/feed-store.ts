// SQL that reads receipts and the provider feed (decisions D10, D11). ../../deliveries/receipt-store.ts writes them.
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import type { MatchStatus, Progress } from '../../shared/match-lifecycle.ts';

export interface FeedEntry {
  readonly requestGuid: string;
  readonly serviceRequestId: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  readonly tokenKey: string;
  readonly matchStatus: Exclude<MatchStatus, 'pending'>;
  readonly progress: Progress;
  readonly respondBy: Date | undefined;
  readonly bundleGuid: string;
  readonly position: number;
  readonly dispatchedAt: Date;
  readonly updatedAt: Date;
}

interface FeedRow {
  request_guid: string;
  service_request_id: string;
  patient_guid: string;
  organisation_guid: string;
  token_key: string;
  status: Exclude<MatchStatus, 'pending'>;
  progress: Exclude<Progress, 'none'> | null;
  respond_by: Date | null;
  bundle_guid: string;
  fits: boolean;
  feed_position: number;
  dispatched_at: Date;
  updated_at: Date;
}

/** A page starts no further bundle above this size, as bundles may have megabytes. */
const PAGE_BYTES = 16 * 1024 * 1024;

/** Uses stored lengths, without reading the bundles. */
const READ_FEED = {
  name: 'feed-read',
  text: `SELECT r.request_guid, r.service_request_id, r.patient_guid, r.organisation_guid, r.token_key, m.status, m.progress, m.respond_by,
      r.bundle_guid, sum(octet_length(b.content)) OVER (ORDER BY r.feed_position) - octet_length(b.content) < $5 AS fits,
      r.feed_position, r.dispatched_at, r.updated_at
    FROM (
      SELECT * FROM receipt WHERE provider_guid = $1 AND feed_position > $2 AND ($3::timestamptz IS NULL OR updated_at >= $3)
      ORDER BY feed_position LIMIT $4
    ) r
    JOIN match m ON m.service_request_id = r.service_request_id AND m.request_guid = r.request_guid
    JOIN push_bundle b ON b.bundle_guid = r.bundle_guid
    ORDER BY r.feed_position`,
};

const READ_BUNDLES = {
  name: 'feed-bundles',
  text: 'SELECT bundle_guid, content FROM push_bundle WHERE bundle_guid = ANY($1::uuid[])',
};

export interface FeedQuery {
  readonly providerGuid: string;
  /** The last position that the reader has read. */
  readonly after: number;
  readonly since: Date | undefined;
  readonly limit: number;
}

export interface FeedSlice {
  readonly entries: readonly FeedEntry[];
  readonly hasMore: boolean;
}

/**
 * The provider's requests after a position, ordered by their latest changes. They are at most `limit`, and fewer when
 * their bundles are too large together, but at least one.
 */
export async function readFeed(db: Queryable, query: FeedQuery): Promise<FeedSlice> {
  const { providerGuid, after, since, limit } = query;
  const { rows } = await db.query<FeedRow>(READ_FEED, [providerGuid, after, since ?? null, limit + 1, PAGE_BYTES]);
  const entries = rows
    .slice(0, limit)
    .filter(({ fits }) => fits)
    .map(toEntry);
  return { entries, hasMore: rows.length > entries.length };
}

/** The bundles as JSON text, by guid. A bundle never changes after its push. */
export async function readBundles(db: Queryable, bundleGuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (bundleGuids.length === 0) return new Map();
  const { rows } = await db.query<{ bundle_guid: string; content: string }>(READ_BUNDLES, [bundleGuids]);
  return new Map(rows.map((row) => [row.bundle_guid, row.content]));
}

function toEntry(row: FeedRow): FeedEntry {
  return {
    requestGuid: row.request_guid,
    serviceRequestId: row.service_request_id,
    patientGuid: row.patient_guid,
    organisationGuid: row.organisation_guid,
    tokenKey: row.token_key,
    matchStatus: row.status,
    progress: row.progress ?? 'none',
    respondBy: row.respond_by ?? undefined,
    bundleGuid: row.bundle_guid,
    position: row.feed_position,
    dispatchedAt: row.dispatched_at,
    updatedAt: row.updated_at,
  };
}

export interface ReceiptRecord {
  readonly requestGuid: string;
  readonly serviceRequestId: string;
  readonly providerGuid: string;
  readonly patientGuid: string;
  /** The organisation for which consent is asked. */
  readonly organisationGuid: string;
}

interface ReceiptRow {
  request_guid: string;
  service_request_id: string;
  provider_guid: string;
  patient_guid: string;
  organisation_guid: string;
}

const RECEIPT = 'SELECT request_guid, service_request_id, provider_guid, patient_guid, organisation_guid FROM receipt';
/** The token of the webhook and the feed, or that of a link that works. */
const BY_TOKEN = {
  name: 'receipt-by-any-token',
  text: `${RECEIPT} WHERE token_hash = $1 UNION ALL ${RECEIPT} WHERE request_guid =
    (SELECT request_guid FROM receipt_link WHERE token_hash = $1 AND ended_at IS NULL)`,
};
const ENDED = {
  name: 'receipt-link-ended',
  text: 'SELECT FROM receipt_link WHERE token_hash = $1 AND ended_at IS NOT NULL',
};
const BY_DELIVERY = {
  name: 'receipt-by-delivery',
  text: `${RECEIPT} WHERE request_guid = (SELECT request_guid FROM delivery WHERE delivery_guid = $1)`,
};
const BY_REQUEST = { name: 'receipt-by-request', text: `${RECEIPT} WHERE request_guid = $1` };

/**
 * The receipt of a token, also of a link's.
 * @throws ServiceError `expired` for a link that was withdrawn or renewed, `not_found` for an unknown token
 */
export async function requireReceipt(db: Queryable, tokenHash: Buffer): Promise<ReceiptRecord> {
  const receipt = await findReceiptByToken(db, tokenHash);
  if (receipt !== undefined) return receipt;
  if (await isEndedLink(db, tokenHash)) throw new ServiceError('expired', 'The link has been withdrawn or renewed');
  throw notFound('Request');
}

/** The request that a delivery is of; undefined for a ping and for an unknown one. */
export async function findReceiptOfDelivery(db: Queryable, deliveryGuid: string): Promise<ReceiptRecord | undefined> {
  return findRow(db, BY_DELIVERY, [deliveryGuid], (row: ReceiptRow) => fromRow(row));
}

/** Whether the token is that of a link that was withdrawn or renewed. */
export async function isEndedLink(db: Queryable, tokenHash: Buffer): Promise<boolean> {
  return (await db.query(ENDED, [tokenHash])).rowCount > 0;
}

export async function findReceiptByToken(db: Queryable, tokenHash: Buffer): Promise<ReceiptRecord | undefined> {
  return findRow(db, BY_TOKEN, [tokenHash], (row: ReceiptRow) => fromRow(row));
}

export async function findReceipt(db: Queryable, requestGuid: string): Promise<ReceiptRecord | undefined> {
  return findRow(db, BY_REQUEST, [requestGuid], (row: ReceiptRow) => fromRow(row));
}
