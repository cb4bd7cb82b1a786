// Invariants of dispatch's own state: matches, receipts, deliveries, the feed and the FHIR resources agree about each
// push (decisions D3, D6, D10).
import assert from 'node:assert/strict';
import { call } from '#test/support/http.ts';
import type { FaultEnvironment } from './environment.ts';

interface MatchRow {
  readonly request_id: string;
  readonly request_status: string;
  readonly status: string;
  readonly provider_guid: string;
  readonly request_guid: string | null;
  readonly receipt_provider: string | null;
  readonly webhooks: number;
}

const MATCHES = `SELECT s.id AS request_id, s.status AS request_status, m.status, m.provider_guid, m.request_guid,
    r.provider_guid AS receipt_provider,
    (SELECT count(*)::int FROM delivery d WHERE d.request_guid = m.request_guid AND d.type = 'request.dispatched') AS webhooks
  FROM match m JOIN service_request s ON s.id = m.service_request_id LEFT JOIN receipt r ON r.request_guid = m.request_guid
  WHERE m.provider_guid = ANY($1)`;

/** Deliveries whose state is not what their last attempt came to. */
const STRAYS = `SELECT d.delivery_guid, d.status, a.outcome FROM delivery d
    JOIN every_attempt a ON a.delivery_guid = d.delivery_guid AND a.attempt = d.attempt
  WHERE d.provider_guid = ANY($1) AND ((d.status = 'delivered') <> (a.outcome = 'delivered')) AND d.status <> 'cancelled'`;

/** Nothing may be under way. `forbidden` are patients of whom no feed shows data any more. */
export async function checkStates(environment: FaultEnvironment, forbidden: readonly string[]): Promise<void> {
  const { database, providers, addresses, accounts } = environment;
  const { rows: matches } = await database.query<MatchRow>(MATCHES, [providers]);
  for (const match of matches) {
    const isPushed = match.status !== 'pending';
    const found = [match.request_guid !== null, match.receipt_provider, match.webhooks];
    const expected = isPushed ? [true, match.provider_guid, 1] : [false, null, 0];
    assert.deepEqual(found, expected, `a match is pushed with all that belongs to it: ${JSON.stringify(match)}`);
  }
  assert.deepEqual((await database.query(STRAYS, [providers])).rows, [], 'a delivery is what its last attempt came to');
  const statuses = new Map(matches.map((match) => [match.request_id, match.request_status]));
  for (const [id, status] of statuses) {
    const { body } = await call(`${addresses.dispatch}/ServiceRequest/${id}`, { token: accounts.planner });
    assert.equal(body.status, status, `ServiceRequest ${id} is in FHIR what it is in its row`);
  }
  for (const provider of providers) await checkFeed(environment, { provider, forbidden });
}

interface Shown {
  readonly request_guid: string;
  readonly bundle?: unknown;
}

async function checkFeed(
  { database, addresses, accounts }: FaultEnvironment,
  { provider, forbidden }: { readonly provider: string; readonly forbidden: readonly string[] },
): Promise<void> {
  const { rows } = await database.query<{ request_guid: string; hidden: boolean }>(
    'SELECT request_guid, patient_guid = ANY($2) AS hidden FROM receipt WHERE provider_guid = $1 ORDER BY request_guid',
    [provider, forbidden],
  );
  const shown: Shown[] = [];
  for (let cursor = ''; ; ) {
    const query = `provider_guid=${provider}&limit=200${cursor}`;
    const { body } = await call(`${addresses.dispatch}/requests?${query}`, { token: accounts.admin });
    shown.push(...body.requests);
    if (!body.has_more) break;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  const found = shown.map(({ request_guid, bundle }) => ({ request_guid, hidden: (bundle ?? null) === null }));
  assert.deepEqual(
    found.toSorted((one, other) => (one.request_guid < other.request_guid ? -1 : 1)),
    rows,
    `the feed of ${provider} holds each request that was pushed to it, once, and data only by consent`,
  );
}
