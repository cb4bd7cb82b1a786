// SQL of the links to the receipt page (docs/adr/0071). Lock the service_request row before changing a link.
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';

export interface ReceiptLink {
  readonly createdAt: Date;
  readonly isMailed: boolean;
  readonly endedAt: Date | undefined;
  readonly endedReason: EndedReason | undefined;
}

export type EndedReason = 'renewed' | 'withdrawn';

/** The pushed request that a match is known by. */
export interface LinkTarget {
  readonly requestGuid: string;
  readonly providerName: string;
  readonly respondBy: Date | undefined;
}

interface Row {
  created_at: Date;
  is_mailed: boolean;
  ended_at: Date | null;
  ended_reason: EndedReason | null;
}

const TARGET = {
  name: 'receipt-link-target',
  text: `SELECT request_guid, provider_name, respond_by FROM match WHERE service_request_id = $1 AND match_guid = $2`,
};
const END = {
  name: 'receipt-link-end',
  text: 'UPDATE receipt_link SET ended_at = $2, ended_reason = $3 WHERE request_guid = $1 AND ended_at IS NULL',
};
const INSERT = {
  name: 'receipt-link-insert',
  text: `INSERT INTO receipt_link (link_guid, request_guid, token_hash, created_by, created_at, is_mailed)
    VALUES ($1, $2, $3, $4, $5, $6)`,
};
const LATEST = {
  name: 'receipt-link-latest',
  text: `SELECT created_at, is_mailed, ended_at, ended_reason FROM receipt_link
    WHERE request_guid = $1 ORDER BY link_guid DESC LIMIT 1`,
};

/** `pending` before the push, undefined for an unknown match. */
export async function findLinkTarget(
  db: Queryable,
  serviceRequestId: string,
  matchGuid: string,
): Promise<LinkTarget | 'pending' | undefined> {
  const { rows } = await db.query<{ request_guid: string | null; provider_name: string; respond_by: Date | null }>(
    TARGET,
    [serviceRequestId, matchGuid],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { requestGuid, ...rest } = fromRow(row);
  return requestGuid === undefined ? 'pending' : { requestGuid, ...rest };
}

/** Ends the link that works; returns whether there was one. */
export async function endLink(db: Queryable, requestGuid: string, reason: EndedReason, now: Date): Promise<boolean> {
  return (await db.query(END, [requestGuid, now, reason])).rowCount > 0;
}

export async function insertLink(
  db: Queryable,
  link: {
    readonly linkGuid: string;
    readonly requestGuid: string;
    readonly tokenHash: Buffer;
    readonly createdBy: string;
    readonly isMailed: boolean;
  },
  now: Date,
): Promise<void> {
  const { linkGuid, requestGuid, tokenHash, createdBy, isMailed } = link;
  await db.query(INSERT, [linkGuid, requestGuid, tokenHash, createdBy, now, isMailed]);
}

export async function findLatestLink(db: Queryable, requestGuid: string): Promise<ReceiptLink | undefined> {
  return findRow(db, LATEST, [requestGuid], (row: Row) => fromRow(row));
}
