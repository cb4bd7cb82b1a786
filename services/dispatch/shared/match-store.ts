// SQL of the match table: a ServiceRequest paired with one provider's contract (D3, D4). Lock the service_request row
// (./service-request-store.ts) before changing a match.
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import { columnsOf, findRow } from '#lib/db/rows.ts';
import type { MatchStatus, Progress, ProgressStatus, WithdrawnReason } from './match-lifecycle.ts';

export interface Match {
  readonly serviceRequestId: string;
  readonly matchGuid: string;
  readonly providerGuid: string;
  readonly providerName: string;
  readonly contractGuid: string;
  readonly providerOrganisationGuid: string | undefined;
  readonly status: MatchStatus;
  readonly withdrawnReason: WithdrawnReason | undefined;
  readonly blockedReason: string | undefined;
  readonly rejectedReason: string | undefined;
  /** Set by the push: the id by which providers know the match. */
  readonly requestGuid: string | undefined;
  /** Accepted under selection "first" (D5). */
  readonly isExclusive: boolean;
  readonly respondBy: Date | undefined;
  readonly progress: Progress;
  readonly progressNote: string | undefined;
  readonly results: readonly string[];
  /** The provider's person who accepted, and who reported last; undefined for a key and a receipt token. */
  readonly acceptedByGuid: string | undefined;
  readonly acceptedByName: string | undefined;
  readonly reportedByGuid: string | undefined;
  readonly reportedByName: string | undefined;
  readonly pushedAt: Date | undefined;
  readonly respondedAt: Date | undefined;
  readonly progressAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of the match table. */
export interface MatchRow {
  service_request_id: string;
  match_guid: string;
  provider_guid: string;
  provider_name: string;
  contract_guid: string;
  provider_organisation_guid: string | null;
  status: MatchStatus;
  withdrawn_reason: WithdrawnReason | null;
  blocked_reason: string | null;
  rejected_reason: string | null;
  request_guid: string | null;
  is_exclusive: boolean;
  respond_by: Date | null;
  progress: ProgressStatus | null;
  progress_note: string | null;
  results: string[];
  accepted_by_guid: string | null;
  accepted_by_name: string | null;
  reported_by_guid: string | null;
  reported_by_name: string | null;
  pushed_at: Date | null;
  responded_at: Date | null;
  progress_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const INSERT = {
  name: 'match-insert',
  text: `INSERT INTO match (service_request_id, match_guid, provider_guid, provider_name, contract_guid,
      provider_organisation_guid, created_at, updated_at)
    SELECT $1, m.match_guid, m.provider_guid, m.provider_name, m.contract_guid, m.organisation_guid, $7, $7
    FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS m (match_guid, provider_guid, provider_name, contract_guid, organisation_guid)
    ON CONFLICT ON CONSTRAINT match_contract_once DO NOTHING`,
};
const LIST = {
  name: 'match-list',
  text: 'SELECT * FROM match WHERE service_request_id = $1 ORDER BY created_at, match_guid',
};
const FIND = { name: 'match-find', text: 'SELECT * FROM match WHERE match_guid = $1' };
const FIND_REQUEST = { name: 'match-find-request', text: 'SELECT * FROM match WHERE request_guid = $1' };
const UPDATE = {
  name: 'match-update',
  text: `UPDATE match SET status = $3, withdrawn_reason = $4, blocked_reason = $5, rejected_reason = $6, request_guid = $7,
      is_exclusive = $8, respond_by = $9, progress = $10, progress_note = $11, results = $12, pushed_at = $13,
      responded_at = $14, progress_at = $15, updated_at = $16, accepted_by_guid = $17, accepted_by_name = $18,
      reported_by_guid = $19, reported_by_name = $20
    WHERE service_request_id = $1 AND match_guid = $2`,
};

export interface NewMatch {
  readonly matchGuid: string;
  readonly providerGuid: string;
  readonly providerName: string;
  readonly contractGuid: string;
  readonly providerOrganisationGuid: string | undefined;
}

/** Adds a pending match for each contract that has none yet in this request. */
export async function insertMatches(
  transaction: Queryable,
  serviceRequestId: string,
  matches: readonly NewMatch[],
  now: Date,
): Promise<void> {
  if (matches.length === 0) return;
  await transaction.query(INSERT, [
    serviceRequestId,
    ...columnsOf(matches, 'matchGuid', 'providerGuid', 'providerName', 'contractGuid', 'providerOrganisationGuid'),
    now,
  ]);
}

/** All matches of a request, oldest first. Under the request's lock they cannot change meanwhile. */
export async function listMatches(db: Queryable, serviceRequestId: string): Promise<Match[]> {
  const { rows } = await db.query<MatchRow>(LIST, [serviceRequestId]);
  return rows.map((row) => toMatch(row));
}

export async function findMatch(db: Queryable, matchGuid: string): Promise<Match | undefined> {
  return findRow(db, FIND, [matchGuid], (row: MatchRow) => toMatch(row));
}

export async function findMatchOfRequest(db: Queryable, requestGuid: string): Promise<Match | undefined> {
  return findRow(db, FIND_REQUEST, [requestGuid], (row: MatchRow) => toMatch(row));
}

export type MatchChanges = Partial<
  Omit<
    Match,
    | 'serviceRequestId'
    | 'matchGuid'
    | 'providerGuid'
    | 'providerName'
    | 'contractGuid'
    | 'providerOrganisationGuid'
    | 'createdAt'
    | 'updatedAt'
  >
>;

/** Writes the changes to a match that was read under its request's lock; returns the new match. */
export async function updateMatch(
  transaction: Queryable,
  match: Match,
  changes: MatchChanges,
  now: Date,
): Promise<Match> {
  const next: Match = { ...match, ...changes, updatedAt: now };
  await transaction.query(UPDATE, [
    next.serviceRequestId,
    next.matchGuid,
    next.status,
    next.withdrawnReason ?? null,
    next.blockedReason ?? null,
    next.rejectedReason ?? null,
    next.requestGuid ?? null,
    next.isExclusive,
    next.respondBy ?? null,
    next.progress === 'none' ? null : next.progress,
    next.progressNote ?? null,
    next.results,
    next.pushedAt ?? null,
    next.respondedAt ?? null,
    next.progressAt ?? null,
    now,
    next.acceptedByGuid ?? null,
    next.acceptedByName ?? null,
    next.reportedByGuid ?? null,
    next.reportedByName ?? null,
  ]);
  return next;
}

/** Also of a row with the columns of a join. */
export function toMatch<Row extends MatchRow>(row: Row) {
  const match: Omit<FromRow<Row>, 'progress'> = fromRow(row);
  return { ...match, progress: row.progress ?? ('none' as const) };
}
