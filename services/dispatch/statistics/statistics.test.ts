// Statistics. Every request is counted once in each step that it came to. Numbers agree with the worklist, others'
// requests do not count, and the cost is bounded by an index.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { makeActive, makeDraft } from '../testing/samples.ts';
import { makeSite, ORGANISATION } from '../testing/site.ts';
import { registerStatisticsMetrics } from './metrics.ts';
import { createStatistics } from './service.ts';
import { statisticsStatement } from './store.ts';

const site = await makeSite({ after });
const { call, world, database, clock } = site;
world.contracts = [1, 2].map((number) => ({
  contract_guid: `contract-${number}`,
  provider_guid: `provider-${number}`,
  provider_name: `Hemvården ${number}`,
}));

type Body = Record<string, unknown>;

async function statistics(query = '', as = 'anna'): Promise<Body> {
  const { status, body, text } = await call('GET', `statistics${query}`, { as });
  assert.equal(status, 200, text);
  return body;
}

interface Answered {
  readonly status: string;
  readonly hours?: number;
}

/** A request whose matches are as if they had been pushed and answered. */
async function request(...answers: readonly Answered[]): Promise<string> {
  const id = await makeActive(site);
  const { body } = await call('POST', `ServiceRequest/${id}/match`);
  for (const [index, { match_guid: guid }] of (body['matches'] as Body[]).entries()) {
    const { status, hours } = answers[index] ?? { status: 'pending' };
    if (status === 'pending') continue;
    const pushedAt = new Date(clock.now() - (hours ?? 1) * 3_600_000);
    await database.query(
      `UPDATE match SET status = $3, request_guid = $4, pushed_at = $5, responded_at = $6,
         withdrawn_reason = CASE WHEN $3 = 'withdrawn' THEN 'taken' END
       WHERE service_request_id = $1 AND match_guid = $2`,
      [id, guid, status, newGuid(), pushedAt, status === 'pushed' ? null : new Date(clock.now())],
    );
  }
  return id;
}

test('a request counts in each step that it came to, and in one exit', async () => {
  await makeDraft(site);
  const revoked = await makeDraft(site);
  assert.equal((await call('POST', `ServiceRequest/${revoked}/revoke`)).status, 200);
  await request();
  await request({ status: 'pushed', hours: 2 }, { status: 'pushed', hours: 30 });
  await request({ status: 'rejected', hours: 3 }, { status: 'rejected', hours: 5 });
  await request({ status: 'expired', hours: 200 });
  const done = await request({ status: 'accepted', hours: 4 }, { status: 'withdrawn' });
  await database.query(`UPDATE service_request SET status = 'completed' WHERE id = $1`, [done]);
  const found = await statistics();
  assert.deepEqual(found['steps'], {
    ...{ made: 7, finalized: 5, matched: 5, pushed: 4, answered: 2, accepted: 1, completed: 1 },
  });
  assert.deepEqual(found['exits'], { revoked: 1, rejected: 1, expired: 1 });
  assert.deepEqual(found['waiting'], [
    { up_to_hours: 4, count: 1 },
    { up_to_hours: 24, count: 0 },
    { up_to_hours: 72, count: 1 },
    { up_to_hours: 168, count: 0 },
    { up_to_hours: null, count: 0 },
  ]);
  const answers = found['answers'] as Body[];
  assert.deepEqual(
    answers.map(({ provider_guid: guid }) => guid),
    [...new Set(answers.map(({ provider_guid: guid }) => guid))]
      .sort()
      .flatMap((guid) => answers.filter((each) => each['provider_guid'] === guid).map(() => guid)),
  );
  assert.equal(
    answers.reduce((sum, { count }) => sum + Number(count), 0),
    3,
  );
});

test('attempts are counted by what came of them, with the median and the 95th percentile', async () => {
  const [row] = (
    await database.query<{ request_guid: string }>(
      'SELECT request_guid FROM match WHERE request_guid IS NOT NULL LIMIT 1',
      [],
    )
  ).rows;
  const delivery = newGuid();
  const now = new Date(clock.now());
  await database.query('ALTER TABLE delivery DROP CONSTRAINT delivery_request_guid_fkey', []);
  await database.query(
    `INSERT INTO delivery (delivery_guid, provider_guid, request_guid, type, status, envelope, body_sha256, next_at, created_at, updated_at)
     VALUES ($1, 'provider-1', $2, 'request.dispatched', 'delivered', '{}', '', $3, $3, $3)`,
    [delivery, row?.request_guid, now],
  );
  await database.query(
    `INSERT INTO delivery_attempt (delivery_guid, attempt, started_at, duration_ms, outcome)
     SELECT $1, n, $2, n * 10, CASE WHEN n <= 20 THEN 'timeout' ELSE 'delivered' END FROM generate_series(1, 21) n`,
    [delivery, now],
  );
  assert.deepEqual((await statistics())['attempts'], [
    { outcome: 'timeout', count: 20, p50_ms: 100, p95_ms: 190 },
    { outcome: 'delivered', count: 1, p50_ms: 210, p95_ms: 210 },
  ]);
});

test('others see none of it, and who neither plans nor follows up is refused; too long a time is refused', async () => {
  assert.equal(((await statistics('', 'bo'))['steps'] as Body)['made'], 0);
  assert.equal(((await statistics('', 'admin'))['steps'] as Body)['made'], 7);
  for (const as of ['patient', 'provider']) assert.equal((await call('GET', 'statistics', { as })).status, 403);
  assert.equal(((await statistics('', 'reader'))['steps'] as Body)['made'], 7);
  const made = async (query: string) => ((await statistics(query))['steps'] as Body)['made'];
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  assert.deepEqual([await made(`?from=${today}&to=${today}`), await made('?from=2000-01-01&to=2000-03-01')], [7, 0]);
  for (const query of ['?from=2026-02-01&to=2026-01-01', '?from=2026-01-01&to=2026-12-31', '?from=x'])
    assert.equal((await call('GET', `statistics${query}`)).status, 400, query);
});

test('the metrics are the same numbers, read once a minute', async () => {
  const metrics = createMetrics('dispatch');
  registerStatisticsMetrics(metrics, createStatistics({ database, clock, timeZone: 'Europe/Stockholm' }), clock);
  const text = await metrics.text();
  for (const line of [/month_requests_made\S* 7\n/, /month_requests_rejected\S* 1\n/, /month_requests_waiting\S* 2\n/])
    assert.match(text, line);
});

test('it reads by the time in which requests were made, and their matches and deliveries by their keys', async () => {
  for (const isOfAll of [false, true]) {
    const now = new Date(clock.now());
    const values = [isOfAll ? null : [ORGANISATION], now, now, now, 'Europe/Stockholm'];
    const plan = await database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL enable_seqscan = off');
      const { text } = statisticsStatement(isOfAll);
      const { rows } = await transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    assert.match(plan, /service_request_created/);
    assert.doesNotMatch(plan, /Seq Scan/);
  }
});
