// The database is cut in the middle of a request, at every packet that the request sends. The answer is 503 with
// Retry-After, all or nothing written, and the next request served (operations: a lost database; decision G2).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createDatabase } from '#lib/db/pool.ts';
import { startDatabaseProxy } from '#test/support/database/database-proxy.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import {
  accessRequestBody,
  makeOrganisation,
  nextEmail,
  PASSWORD,
  registration,
} from '#test/support/identity/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity/identity-records.ts';
import { assertShape } from '#test/support/shape.ts';

const MOST_PACKETS = 60;
const hooks = lastFirst({ after });
const shared = await identityDatabase(hooks);
const direct = shared.database('identity');
const line = await startDatabaseProxy(hooks, shared.url);
const pooled = createDatabase({ url: line.url, schema: 'identity' });
hooks.after(() => pooled.close());
const identity = await startIdentity(hooks, { on: { url: line.url, database: () => pooled } });
const records = createIdentityRecords(direct);
const su = await identity.asAdmin();

/** More than the pool has connections. */
const AT_ONCE = 20;

async function isWell(): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    // So many at once that every connection of the pool is used: one that was cut serves the next request with 503.
    const answers = await Promise.all([
      identity.app.inject('/readyz'),
      ...Array.from({ length: AT_ONCE }, () => identity.app.inject({ url: '/api/auth/me', headers: su })),
    ]);
    if (answers.every(({ statusCode }) => statusCode === 200)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('Identity did not recover');
}

interface Attempt {
  readonly address: string;
  readonly payload?: object;
  readonly headers?: Record<string, string>;
  /** What is written: 'all', 'nothing', or whatever is half. */
  readonly written: () => Promise<string>;
}

/** Repeats the attempt with a cut after one packet, two, three … until it is served before the cut comes. */
async function cutEverywhere(prepare: () => Promise<Attempt>): Promise<void> {
  for (let packets = 1; packets <= MOST_PACKETS; packets += 1) {
    const { address, payload, headers = {}, written } = await prepare();
    const [method = '', url = ''] = address.split(' ');
    line.cutAfter(packets);
    const answer = await identity.app.inject({
      method: method as 'POST',
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
    const wasCut = line.restore();
    const state = await written();
    if (answer.statusCode < 300) {
      assert.equal(state, 'all');
      if (!wasCut) return assert.ok(packets > 1, 'the cut came at least once');
    } else {
      assert.equal(answer.statusCode, 503, `cut at packet ${packets}: ${answer.body}`);
      assertShape(answer.json(), { error: 'unavailable', message: /./ });
      assert.ok(Number(answer.headers['retry-after']) >= 1);
      // Who is cut off between the commit and its answer cannot know; but never is it half.
      assert.ok(state === 'nothing' || state === 'all', `cut at packet ${packets}: ${state}`);
    }
    await isWell();
  }
  assert.fail(`still cut after ${MOST_PACKETS} packets`);
}

/** 'all' when every count is one, 'nothing' when every count is zero, else the counts. */
async function countsOf(text: string, values: readonly unknown[]): Promise<string> {
  const counts = Object.values((await direct.query<Record<string, number>>(text, values)).rows[0] ?? {});
  if (counts.every((count) => count === 1)) return 'all';
  return counts.every((count) => count === 0) ? 'nothing' : counts.join();
}

test('a patient’s registration', async () => {
  const organisation_guid = await makeOrganisation(identity);
  await cutEverywhere(async () => {
    const payload = registration(organisation_guid);
    return {
      address: 'POST /api/patient/register',
      payload,
      written: () =>
        countsOf(
          `SELECT count(u) AS users, count(p) AS patients,
             (SELECT count(*) FROM audit_event e JOIN patient x ON e.resource LIKE '%"patient.register"%' || x.patient_guid || '%'
                JOIN app_user y ON y.user_guid = x.user_guid WHERE y.email_key = $1) AS events
           FROM app_user u LEFT JOIN patient p USING (user_guid) WHERE u.email_key = $1`,
          [payload.email],
        ),
    };
  });
});

test('an access request’s approval', async () => {
  await cutEverywhere(async () => {
    const body = await accessRequestBody(identity, ['planning']);
    const asked = await identity.app.inject({ method: 'POST', url: '/api/public/access-request', payload: body });
    const { access_request_guid } = asked.json();
    return {
      address: 'POST /api/admin/access-requests',
      headers: su,
      payload: { access_request_guid, decision: 'approved' },
      written: () =>
        countsOf(
          `SELECT (SELECT count(*) FROM app_user WHERE email_key = $1) AS users,
             (SELECT count(*) FROM professional JOIN app_user USING (user_guid) WHERE email_key = $1) AS professionals,
             (SELECT count(*) FROM professional_organisation JOIN app_user USING (user_guid) WHERE email_key = $1) AS links,
             (SELECT count(*) FROM membership m JOIN app_user u ON u.user_guid = m.user_guid WHERE email_key = $1) AS memberships,
             (SELECT count(*) FROM access_request WHERE access_request_guid = $2 AND status = 'approved') AS decided`,
          [body.email, access_request_guid],
        ),
    };
  });
});

test('a membership’s decision', async () => {
  const group = await records.group();
  await cutEverywhere(async () => {
    const membership_guid = await records.membership({ group });
    return {
      address: 'POST /api/groups/admin/decide',
      headers: su,
      payload: { membership_guid, decision: 'approved' },
      written: () =>
        countsOf(
          `SELECT count(*) FILTER (WHERE status = 'approved') AS approved, count(decided_by_guid) AS deciders, count(decided_at) AS times
           FROM membership WHERE membership_guid = $1`,
          [membership_guid],
        ),
    };
  });
});

test('a group’s removal', async () => {
  await cutEverywhere(async () => {
    const group = await records.group();
    await records.membership({ group });
    await records.leaderRequest(group);
    return {
      address: `DELETE /api/admin/groups/${group}`,
      headers: su,
      written: () =>
        countsOf(
          `SELECT 1 - (SELECT count(*) FROM care_group WHERE group_guid = $1) AS groups,
             1 - (SELECT count(*) FROM membership WHERE group_guid = $1) AS memberships,
             1 - (SELECT count(*) FROM leader_request WHERE group_guid = $1) AS requests,
             (SELECT count(*) FROM audit_event WHERE resource LIKE '%"group.delete"%' || $1 || '%') AS events`,
          [group],
        ),
    };
  });
});

test('while the database is away everything that needs it is 503, health says so, and it heals', async () => {
  line.cut();
  const health = await identity.app.inject('/api/health');
  assert.deepEqual([health.statusCode, health.json().database], [200, 'unreachable']);
  for (const [method, url, payload] of [
    ['GET', '/api/groups'],
    ['GET', '/api/admin/users'],
    ['GET', '/api/public/groups'],
    ['POST', '/api/auth/login', { email: nextEmail(), password: PASSWORD }],
    ['POST', '/api/admin/organisations', { name: nextEmail() }],
    ['POST', '/api/auth/logout'],
  ] as const) {
    const answer = await identity.app.inject({
      method,
      url,
      headers: su,
      ...(payload === undefined ? {} : { payload }),
    });
    assert.deepEqual(
      [answer.statusCode, answer.json().error],
      [503, 'unavailable'],
      `${method} ${url}: ${answer.body}`,
    );
    assert.ok(Number(answer.headers['retry-after']) >= 1);
  }
  line.restore();
  await isWell();
});
