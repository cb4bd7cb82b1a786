// Invariants of deliveries after any fault: the webhooks that receivers recorded agree with dispatch's requests,
// deliveries and attempts.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import type { FaultEnvironment } from './environment.ts';
import type { RecordedWebhook } from './webhook-recorder.ts';

const CALM_WITHIN_MS = 90_000;

interface DeliveryCounts {
  /** Requests that were pushed to the environment's providers. */
  readonly pushed: number;
  /** Webhooks that reached them, and how many of these were repeats. */
  readonly arrived: number;
  readonly repeated: number;
}

interface DeliveryRow {
  delivery_guid: string;
  request_guid: string;
  status: string;
  attempt: number;
  attempts: { attempt: number; outcome: string | null }[];
}

const DELIVERIES = `SELECT d.delivery_guid, d.request_guid, d.status, d.attempt,
    (SELECT json_agg(json_build_object('attempt', a.attempt, 'outcome', a.outcome) ORDER BY a.attempt)
     FROM every_attempt a WHERE a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL) AS attempts
  FROM delivery d WHERE d.provider_guid = ANY($1) AND d.type = 'request.dispatched'`;

/** Waits until nothing is due any more. */
export async function untilDelivered({ database }: Pick<FaultEnvironment, 'database'>): Promise<void> {
  await eventually(
    'every delivery had come to an end',
    async () => {
      const open = await database
        .query(`SELECT status FROM delivery WHERE status IN ('queued', 'waiting', 'sending') LIMIT 1`)
        .catch(() => undefined);
      return open?.rowCount === 0 ? true : undefined;
    },
    CALM_WITHIN_MS,
  );
}

/** Checks everything since the environment was started. `forbidden` are patients of whom nothing may have been sent. */
export async function checkDeliveries(
  environment: FaultEnvironment,
  forbidden: readonly string[],
): Promise<DeliveryCounts> {
  await untilDelivered(environment);
  const { database, recorder, providers } = environment;
  const dispatched = recorder.entries.filter(({ type }) => type === 'request.dispatched');
  for (const { isValid, id } of recorder.entries) assert.deepEqual(isValid, [true, true], `the signature of ${id}`);
  const sentOfForbidden = dispatched.filter(({ patients }) => patients.some((patient) => forbidden.includes(patient)));
  assert.deepEqual(sentOfForbidden, [], 'nothing is sent without consent');
  const arrivals = Map.groupBy(dispatched, ({ requestGuid }) => requestGuid);
  for (const [request, entries] of arrivals) onlyRepeats(request, entries);
  const { rows } = await database.query<DeliveryRow>(DELIVERIES, [providers]);
  const cancelled = new Set(rows.flatMap((row) => (row.status === 'cancelled' ? [row.request_guid] : [])));
  const pushed = await pushedRequests(environment);
  for (const request of pushed) {
    assert.ok(cancelled.has(request) || arrivals.has(request), `${request} was pushed and never seen`);
  }
  for (const request of arrivals.keys()) assert.ok(pushed.has(request), `${request} was seen and never pushed`);
  assert.deepEqual(new Set(rows.map((row) => row.request_guid)), pushed, 'every pushed request has its delivery');
  for (const row of rows) agrees(row, arrivals.get(row.request_guid) ?? []);
  return { pushed: pushed.size, arrived: dispatched.length, repeated: dispatched.length - arrivals.size };
}

function onlyRepeats(request: string, entries: readonly RecordedWebhook[]): void {
  for (const key of ['id', 'bodyHash', 'providerGuid'] as const) {
    assert.equal(new Set(entries.map((entry) => entry[key])).size, 1, `${request} was seen with more than one ${key}`);
  }
}

/** The requests that the matches name: those whose push was committed. */
async function pushedRequests({ database, providers }: FaultEnvironment): Promise<Set<string>> {
  const { rows } = await database.query<{ request_guid: string; feed: boolean }>(
    `SELECT m.request_guid, r.request_guid IS NOT NULL AS feed FROM match m LEFT JOIN receipt r USING (request_guid)
     WHERE m.provider_guid = ANY($1) AND m.request_guid IS NOT NULL`,
    [providers],
  );
  for (const { request_guid: request, feed } of rows) assert.ok(feed, `${request} stands in the feed`);
  return new Set(rows.map((row) => row.request_guid));
}

/** The state of a delivery, its log, and what its receiver saw agree. */
function agrees(row: DeliveryRow, arrivals: readonly RecordedWebhook[]): void {
  const attempts = row.attempts ?? [];
  const what = JSON.stringify({ ...row, arrivals: arrivals.length });
  assert.deepEqual(
    attempts.map(({ attempt }) => attempt),
    Array.from({ length: row.attempt }, (_, index) => index + 1),
    `attempts are numbered without a gap: ${what}`,
  );
  const isLoggedDelivered = attempts.some(({ outcome }) => outcome === 'delivered');
  assert.ok(['delivered', 'cancelled'].includes(row.status), `nothing is given up or left: ${what}`);
  if (row.status === 'delivered') assert.ok(isLoggedDelivered, `a delivered one has an attempt that was: ${what}`);
  if (isLoggedDelivered) assert.ok(arrivals.length > 0, `what the log calls delivered has arrived: ${what}`);
  assert.ok(arrivals.length <= attempts.length, `every arrival has its attempt: ${what}`);
  assert.ok(
    attempts.every(({ outcome }) => outcome !== null),
    `every attempt has come to an end: ${what}`,
  );
  for (const { id } of arrivals) assert.equal(id, row.delivery_guid);
}
