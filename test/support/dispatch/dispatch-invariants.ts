// Checks the invariants of a ServiceRequest, its matches and its deliveries, however operations race (decisions D3, D5,
// D7, D8). It reads the database and has its own table of decision D3.
import assert from 'node:assert/strict';
import type { Database } from '#lib/db/database.ts';
import { listMatches, type Match } from '#services/dispatch/shared/match-store.ts';
import { findServiceRequest } from '#services/dispatch/shared/service-request-store.ts';
import { assertValid, type Site } from '#services/dispatch/testing/site.ts';

/** An item of a provider's feed. */
export interface RecordedRequest {
  readonly request_guid: string;
  readonly service_request_id: string;
  readonly status: string;
  readonly receipt_token: string;
}

/** The allowed transitions of a status (decision D3). Archiving changes none. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  draft: ['active', 'revoked'],
  active: ['on-hold', 'revoked', 'completed'],
  'on-hold': ['active', 'revoked'],
  revoked: [],
  completed: [],
};

/** Every status that the request has had, in order. */
export async function statusesOf(database: Database, id: string): Promise<string[]> {
  const { rows } = await database.query<{ content: string }>(
    `SELECT content FROM (
       SELECT version, content FROM fhir_history WHERE rid = $1
       UNION SELECT version, content FROM fhir_resource WHERE rid = $1) v
     ORDER BY version`,
    [id],
  );
  return rows.map(({ content }) => String(JSON.parse(content).status));
}

/** The number of attempts of the deliveries in this status. */
export async function attemptsOf(database: Database, status: string): Promise<Map<string, number>> {
  const { rows } = await database.query<{ delivery_guid: string; attempts: number }>(
    `SELECT d.delivery_guid, (SELECT count(*) FROM every_attempt a WHERE a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL) AS attempts
     FROM delivery d WHERE d.status = $1`,
    [status],
  );
  return new Map(rows.map((row) => [row.delivery_guid, row.attempts]));
}

export async function assertPossible(site: Site, id: string): Promise<void> {
  const record = await findServiceRequest(site.database, id);
  assert.ok(record);
  const matches = await listMatches(site.database, id);
  const at = (text: string) => `${text} in ${JSON.stringify({ status: record.status, matches })}`;
  const statuses = await statusesOf(site.database, id);
  for (const [index, status] of statuses.entries()) {
    const before = statuses[index - 1] ?? status;
    assert.ok(before === status || MOVES[before]?.includes(status), at(`${before} → ${status}`));
  }
  assertMatches(matches, at);
  const open = matches.filter(isOpen);
  if (record.status === 'revoked') assert.ok(!matches.some(isAccepted), at('an acceptance of what is revoked'));
  if (record.status === 'revoked' || record.status === 'completed') {
    assert.ok(!matches.some(({ status }) => status === 'pending'), at('a match still pending'));
    assert.equal(open.length, 0, at('something open at the end'));
  }
  const isDone = matches.some((match) => isAccepted(match) && match.progress === 'completed') && open.length === 0;
  const isHeld = record.status === 'on-hold';
  assert.equal(record.status === 'completed', isDone && !isHeld, at('completion'));
  if (record.archivedAt !== undefined) assert.equal(open.length, 0, at('something open in the archive'));
  const { body } = await site.call('GET', `ServiceRequest/${id}`);
  assertValid(body);
  assert.equal(body['status'], record.status, at('another status in FHIR'));
  await assertDeliveries(site.database, matches);
}

const isAccepted = ({ status }: Match) => status === 'accepted';

/** Unanswered, or accepted with work that is neither done nor given up. */
function isOpen({ status, progress }: Match): boolean {
  return status === 'pushed' || (status === 'accepted' && progress !== 'completed' && progress !== 'rejected');
}

function assertMatches(matches: readonly Match[], at: (text: string) => string): void {
  assert.ok(
    matches.filter((match) => isAccepted(match) && match.isExclusive).length <= 1,
    at('two exclusive acceptances'),
  );
  for (const exclusive of matches.filter((match) => isAccepted(match) && match.isExclusive)) {
    const others = matches.filter(({ matchGuid }) => matchGuid !== exclusive.matchGuid);
    const before = (time: Date | undefined) => time !== undefined && time < (exclusive.respondedAt ?? time);
    const isTaken = (match: Match) => isAccepted(match) && match.progress !== 'rejected' && before(match.respondedAt);
    assert.ok(!others.some(isTaken), at('an exclusive acceptance of what was taken'));
    const isLeft = (match: Match) => match.status === 'pushed' && before(match.pushedAt);
    assert.ok(!others.some(isLeft), at('one who is still asked after an exclusive acceptance'));
  }
  assert.equal(new Set(matches.map(({ contractGuid }) => contractGuid)).size, matches.length, at('a contract twice'));
  for (const match of matches) {
    const isPushed = match.requestGuid !== undefined;
    if (match.status === 'pending') assert.ok(!isPushed, at('pending, and pushed'));
    if (['pushed', 'accepted', 'rejected', 'expired'].includes(match.status))
      assert.ok(isPushed, at('answered, never pushed'));
    if (match.progress === 'in_progress' || match.progress === 'completed')
      assert.ok(isAccepted(match), at('work of none'));
    const { respondBy, respondedAt } = match;
    const isLate = respondBy !== undefined && respondedAt !== undefined && respondedAt >= respondBy;
    if (isAccepted(match)) assert.ok(!isLate, at('an acceptance after the time to respond'));
  }
}

/**
 * Each request has at most one delivery of its dispatch. That of a closed request is delivered or cancelled. Each
 * attempt has a recorded decision that permits it, and began before the deadline.
 */
async function assertDeliveries(database: Database, matches: readonly Match[]): Promise<void> {
  for (const { requestGuid, status, progress, respondBy } of matches) {
    if (requestGuid === undefined) continue;
    const { rows } = await database.query<{ status: string; attempts: number; late: number; permitted: number }>(
      `SELECT d.status, (SELECT count(*) FROM every_attempt a WHERE a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL) AS attempts,
         (SELECT count(*) FROM every_attempt a WHERE a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL AND a.started_at >= $2) AS late,
         (SELECT count(*) FROM audit_event e WHERE e.resource LIKE '%ids/request","value":"' || $1 || '"%'
            AND e.resource LIKE '%attempt: permitted%') AS permitted
       FROM delivery d WHERE d.request_guid = $1::uuid AND d.type = 'request.dispatched'`,
      [requestGuid, respondBy ?? null],
    );
    assert.ok(rows.length <= 1, 'a request that is dispatched twice');
    const [delivery] = rows;
    if (delivery === undefined) continue;
    assert.ok(delivery.permitted >= delivery.attempts, 'an attempt that no decision permitted');
    assert.equal(delivery.late, 0, 'an attempt after the time to respond');
    const isClosed = ['withdrawn', 'expired', 'rejected'].includes(status) || progress === 'rejected';
    if (isClosed) assert.ok(['cancelled', 'delivered'].includes(delivery.status), `${delivery.status} of ${status}`);
  }
}
