// SQL that finds and claims due deliveries for the worker (decisions D3, D8).
import type { Queryable } from '#lib/db/database.ts';
import type { WebhookType } from './envelope.ts';
import { DELIVERY_TRANSITIONS } from './lifecycle.ts';
import type { DueOfProvider } from './prefetch.ts';

export interface DueDelivery {
  readonly deliveryGuid: string;
  readonly providerGuid: string;
  readonly type: WebhookType;
  readonly envelope: string;
  readonly bodySha256: Buffer;
  readonly attempt: number;
  readonly failures: number;
  /** When it was queued, or released from being held. */
  readonly queuedAt: Date;
  /** Deadline to respond, of a dispatch: no attempt begins after it. */
  readonly expiresAt: Date | undefined;
  readonly claimedAt: Date;
  /** The trace of the request that queued it (`readCarried` of lib/traces); undefined where none is recorded. */
  readonly trace: string | undefined;
  readonly endpoint: Endpoint;
  /** The receipt of the request that it is about; undefined for a ping. */
  readonly receipt: Receipt | undefined;
}

export interface Endpoint {
  readonly url: string;
  readonly enabled: boolean;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | undefined;
  readonly previousSecretUntil: Date | undefined;
}

export interface Receipt {
  readonly requestGuid: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  readonly tokenKey: string;
  /** JSON text; only for a dispatch. */
  readonly bundle: string | undefined;
}

interface Row {
  delivery_guid: string;
  provider_guid: string;
  type: WebhookType;
  envelope: string;
  body_sha256: Buffer;
  attempt: number;
  failures: number;
  next_at: Date;
  expires_at: Date | null;
  trace: string | null;
  url: string;
  enabled: boolean;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  request_guid: string | null;
  patient_guid: string | null;
  organisation_guid: string | null;
  token_key: string | null;
  bundle: string | null;
}

const WAITING = DELIVERY_TRANSITIONS.claim.from.map((status) => `'${status}'`).join(', ');

/** How many deliveries of one provider are read ahead, at least; several times that while there are few providers. */
const PER_PROVIDER = 32;
const IN_ALL = 2048;

/**
 * The first due deliveries of each provider, in order. It steps from provider to provider through the index, so its
 * cost does not grow with the length of a queue. Nothing goes to a disabled endpoint, whatever state an attempt left a
 * delivery in. The statement has no name, so it is planned each time: a plan cached while the tables were empty would
 * scan them whole later.
 */
const FIND_DUE = `WITH RECURSIVE provider AS (
      (SELECT provider_guid FROM delivery WHERE status IN (${WAITING}) ORDER BY provider_guid LIMIT 1)
      UNION ALL
      SELECT (SELECT d.provider_guid FROM delivery d WHERE d.status IN (${WAITING}) AND d.provider_guid > p.provider_guid
        ORDER BY d.provider_guid LIMIT 1)
      FROM provider p WHERE p.provider_guid IS NOT NULL
    ), bound AS MATERIALIZED (
      SELECT greatest($2::int, least(${PER_PROVIDER}, ${IN_ALL} / greatest(count(*), 1)))::int AS most FROM provider
    )
    SELECT p.provider_guid, found.guids, found.due_at, cardinality(found.guids) >= bound.most AS has_more
    FROM bound CROSS JOIN provider p
    JOIN provider_endpoint open ON open.provider_guid = p.provider_guid AND open.enabled
    CROSS JOIN LATERAL (
      SELECT array_agg(d.delivery_guid) AS guids, array_agg(extract(epoch FROM d.next_at)::float8 * 1000) AS due_at
      FROM (
        SELECT delivery_guid, next_at FROM delivery
        WHERE provider_guid = p.provider_guid AND status IN (${WAITING}) AND next_at <= $1
        ORDER BY next_at, delivery_guid LIMIT bound.most
      ) d
    ) found
    WHERE found.guids IS NOT NULL`;

/**
 * Leases the deliveries that are still due and not locked by another worker, and begins their attempts. An attempt is
 * in the delivery's row, and the one before it moves to delivery_attempt (docs/adr/0153). A claim raises the number of
 * the attempt, and a record names it. So an attempt whose lease ended cannot change a delivery that was claimed again.
 * Deliveries are found by key alone: the condition on the state is written so that no index matches it. By outdated
 * statistics the planner would choose the index of waiting deliveries and read all of it.
 */
const CLAIM_DUE = {
  name: 'delivery-claim',
  text: `WITH locked AS MATERIALIZED (
      SELECT d.delivery_guid, d.last_attempt, d.last_started_at, d.last_duration_ms, d.last_http_status, d.last_outcome, d.last_answer
      FROM delivery d JOIN provider_endpoint e ON e.provider_guid = d.provider_guid AND e.enabled
      WHERE d.delivery_guid = ANY($1::uuid[]) AND d.status || '' IN (${WAITING}) AND d.next_at <= $2
      FOR UPDATE OF d SKIP LOCKED
    ), claimed AS (
      UPDATE delivery d SET status = 'sending', attempt = attempt + 1, lease_until = $3, updated_at = $2,
        last_attempt = attempt + 1, last_started_at = $2, last_duration_ms = NULL, last_http_status = NULL, last_outcome = NULL,
        last_answer = NULL
      FROM locked WHERE d.delivery_guid = locked.delivery_guid RETURNING d.*
    ), kept AS (
      INSERT INTO delivery_attempt (delivery_guid, attempt, started_at, duration_ms, http_status, outcome, answer)
      SELECT * FROM locked WHERE last_attempt IS NOT NULL
    )
    SELECT d.delivery_guid, d.provider_guid, d.type, d.envelope, d.body_sha256, d.attempt, d.failures, d.next_at, d.expires_at, d.trace,
      e.url, e.enabled, e.secret, e.previous_secret, e.previous_secret_until,
      r.request_guid, r.patient_guid, r.organisation_guid, r.token_key, b.content AS bundle
    FROM claimed d
    JOIN provider_endpoint e ON e.provider_guid = d.provider_guid
    LEFT JOIN receipt r ON r.request_guid = d.request_guid
    LEFT JOIN push_bundle b ON b.bundle_guid = r.bundle_guid AND d.type = 'request.dispatched'`,
};

/**
 * A cached plan lives as long as its connection. It may be from a time of empty tables, when a sequential scan was
 * best.
 */
const BY_KEYS = 'SET LOCAL enable_seqscan = off';

interface FoundRow {
  provider_guid: string;
  guids: string[];
  due_at: number[];
  has_more: boolean;
}

/** Due deliveries, without locks; `perProvider` is the limit of attempts at once for one provider. */
export async function findDue(
  db: Queryable,
  { now, perProvider }: { readonly now: Date; readonly perProvider: number },
): Promise<DueOfProvider[]> {
  const { rows } = await db.query<FoundRow>(FIND_DUE, [now, perProvider]);
  return rows.map((row) => ({
    providerGuid: row.provider_guid,
    deliveryGuids: row.guids,
    dueAt: row.due_at,
    hasMore: row.has_more,
  }));
}

/** Claims those of the deliveries that are still due, in the given order, and leases them to the caller. */
export async function claimDue(
  transaction: Queryable,
  deliveryGuids: readonly string[],
  times: { readonly now: Date; readonly leaseUntil: Date },
): Promise<DueDelivery[]> {
  const [, { rows }] = await Promise.all([
    transaction.query(BY_KEYS),
    transaction.query<Row>(CLAIM_DUE, [deliveryGuids, times.now, times.leaseUntil]),
  ]);
  const byGuid = new Map(rows.map((row) => [row.delivery_guid, row]));
  return deliveryGuids.flatMap((guid) => {
    const row = byGuid.get(guid);
    return row === undefined ? [] : [toDue(row, times.now)];
  });
}

function toDue(row: Row, claimedAt: Date): DueDelivery {
  return {
    deliveryGuid: row.delivery_guid,
    providerGuid: row.provider_guid,
    type: row.type,
    envelope: row.envelope,
    bodySha256: row.body_sha256,
    attempt: row.attempt,
    failures: row.failures,
    queuedAt: row.next_at,
    expiresAt: row.expires_at ?? undefined,
    claimedAt,
    trace: row.trace ?? undefined,
    endpoint: {
      url: row.url,
      enabled: row.enabled,
      secret: row.secret,
      previousSecret: row.previous_secret ?? undefined,
      previousSecretUntil: row.previous_secret_until ?? undefined,
    },
    receipt: toReceipt(row),
  };
}

function toReceipt(row: Row): Receipt | undefined {
  const { request_guid, patient_guid, organisation_guid, token_key, bundle } = row;
  if (request_guid === null || patient_guid === null || organisation_guid === null || token_key === null)
    return undefined;
  return {
    requestGuid: request_guid,
    patientGuid: patient_guid,
    organisationGuid: organisation_guid,
    tokenKey: token_key,
    bundle: bundle ?? undefined,
  };
}
