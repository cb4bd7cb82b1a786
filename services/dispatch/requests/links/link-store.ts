// SQL of the links to the receipt page (docs/adr/0071). Lock the service_request row before changing a link.
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import {
  LINK_MAIL_COLUMNS,
  LINK_MAIL_JOIN,
  type LinkMail,
  type LinkMailRow,
  linkMailOf,
} from '../../shared/link-mail.ts';

export interface ReceiptLink {
  readonly createdAt: Date;
  readonly isMailed: boolean;
  readonly endedAt: Date | undefined;
  readonly endedReason: EndedReason | undefined;
  readonly mail: LinkMail | undefined;
}

export type EndedReason = 'renewed' | 'withdrawn';

/** The pushed request that a match is known by. */
export interface LinkTarget {
  readonly requestGuid: string;
  readonly providerName: string;
  readonly respondBy: Date | undefined;
}

interface Row extends LinkMailRow {
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
  text: `UPDATE receipt_link SET ended_at = $2, ended_reason = $3 WHERE request_guid = $1 AND ended_at IS NULL
    RETURNING mail_guid`,
};
const INSERT = {
  name: 'receipt-link-insert',
  text: `INSERT INTO receipt_link (link_guid, request_guid, token_hash, created_by, created_at, is_mailed, mail_guid)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
};
const LATEST = {
  name: 'receipt-link-latest',
  text: `SELECT l.created_at, l.is_mailed, l.ended_at, l.ended_reason, ${LINK_MAIL_COLUMNS} FROM receipt_link l ${LINK_MAIL_JOIN}
    WHERE l.request_guid = $1 ORDER BY l.link_guid DESC LIMIT 1`,
};
const MAILED = {
  name: 'receipt-link-mailed',
  text: `SELECT m.service_request_id, m.request_guid FROM receipt_link l JOIN match m ON m.request_guid = l.request_guid
    WHERE l.mail_guid = $1`,
};
const MAIL_DEAD = {
  name: 'receipt-link-mail-dead',
  text: `UPDATE receipt_link SET mail_dead_at = $2, mail_error = $3 WHERE mail_guid = $1 RETURNING ended_at IS NULL AS works`,
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

/** Ends the link that works and returns its mail; undefined when there was no such link. */
export async function endLink(
  db: Queryable,
  requestGuid: string,
  reason: EndedReason,
  now: Date,
): Promise<{ readonly mailGuid: string | undefined } | undefined> {
  return findRow(db, END, [requestGuid, now, reason], (row: { mail_guid: string | null }) => fromRow(row));
}

/** The request whose link was in the mail. */
export async function findMailedRequest(
  db: Queryable,
  mailGuid: string,
): Promise<{ readonly serviceRequestId: string; readonly requestGuid: string } | undefined> {
  return findRow(db, MAILED, [mailGuid], (row: { service_request_id: string; request_guid: string }) => fromRow(row));
}

/** Keeps that the mail was given up; returns whether its link still works. */
export async function markMailDead(
  db: Queryable,
  { mailGuid, error, at }: { readonly mailGuid: string; readonly error: string; readonly at: Date },
): Promise<boolean> {
  const { rows } = await db.query<{ works: boolean }>(MAIL_DEAD, [mailGuid, at, error]);
  return rows[0]?.works === true;
}

export async function insertLink(
  db: Queryable,
  link: {
    readonly linkGuid: string;
    readonly requestGuid: string;
    readonly tokenHash: Buffer;
    readonly createdBy: string;
    readonly mailGuid: string | undefined;
  },
  now: Date,
): Promise<void> {
  const { linkGuid, requestGuid, tokenHash, createdBy, mailGuid = null } = link;
  await db.query(INSERT, [linkGuid, requestGuid, tokenHash, createdBy, now, mailGuid !== null, mailGuid]);
}

export async function findLatestLink(db: Queryable, requestGuid: string): Promise<ReceiptLink | undefined> {
  return findRow(db, LATEST, [requestGuid], (row: Row) => ({
    createdAt: row.created_at,
    isMailed: row.is_mailed,
    endedAt: row.ended_at ?? undefined,
    endedReason: row.ended_reason ?? undefined,
    mail: linkMailOf(row),
  }));
}
