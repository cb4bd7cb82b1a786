// A sign-in is one statement: it stores everything or nothing, whatever has changed since the password was verified.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createAudit } from '#lib/audit/audit.ts';
import { emailKey } from '#lib/auth/email.ts';
import { newGuid } from '#lib/guid.ts';
import { ADMIN, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { createAccountThrottle } from './account-throttle.ts';
import type { SignInRecord } from './store.ts';

const clock = handClock();
const { database } = await startIdentity({ after }, { clock });
const throttle = createAccountThrottle({ database, clock });
const audit = createAudit({ database, clock, service: 'identity' });
const EVENT = 'user.sign-in-tested';

const [admin] = (
  await database.query<{ user_guid: string; password_hash: string; key_id: string }>(
    'SELECT user_guid, password_hash, key_id FROM app_user, signing_key WHERE email_key = $1',
    [emailKey(ADMIN.email)],
  )
).rows;
assert.ok(admin !== undefined);
const { user_guid: userGuid, password_hash: passwordHash, key_id: signer } = admin;

function recordOf(changed: { hash?: string; keyId?: string; hasSecondFactor?: boolean } = {}) {
  const { hash: verifiedHash = passwordHash, keyId = signer, hasSecondFactor = false } = changed;
  const at = new Date(clock.now());
  const times = { issuedAt: at, expiresAt: new Date(clock.now() + 60_000) };
  return {
    proof: { userGuid, verifiedHash, newHash: `${passwordHash}new`, hasSecondFactor, at },
    issued: { tokenId: newGuid(), userGuid, keyId, ...times, address: null, userAgent: null, tenant: null },
    audited: audit.valuesOf({ action: 'E', event: EVENT, principal: undefined, subjectGuid: userGuid }),
  } satisfies Omit<SignInRecord, 'account'>;
}

/** The number of tokens, events, outbox events and failure records, and the columns of the user's row. */
async function state(): Promise<unknown> {
  const { rows } = await database.query(
    `SELECT (SELECT count(*)::int FROM issued_token) AS tokens,
       (SELECT count(*)::int FROM audit_event WHERE event = $1) AS events,
       (SELECT count(*)::int FROM audit_outbox JOIN audit_event USING (event_guid) WHERE event = $1) AS shipped,
       (SELECT count(*)::int FROM login_failure) AS failures, password_hash, last_login_at
     FROM app_user WHERE user_guid = $2`,
    [EVENT, userGuid],
  );
  return rows[0];
}

const fail = (times: number) =>
  database.transaction(async (tx) => {
    for (let failure = 0; failure < times; failure += 1) await throttle.recordFailure(tx, ADMIN.email);
  });

beforeEach(() => database.query('DELETE FROM login_failure'));

test('nothing changes when the password, the second factor or the key has changed, or the account is locked', async () => {
  await fail(9);
  const before = await state();
  assert.equal(await throttle.recordSignIn(ADMIN.email, recordOf({ hash: 'another' })), false);
  assert.equal(await throttle.recordSignIn(ADMIN.email, recordOf({ hasSecondFactor: true })), false);
  await assert.rejects(throttle.recordSignIn(ADMIN.email, recordOf({ keyId: 'gone' })), { code: 'unavailable' });
  await fail(1);
  await assert.rejects(throttle.recordSignIn(ADMIN.email, recordOf()), { code: 'rate_limited' });
  await assert.rejects(throttle.find(ADMIN.email), { code: 'rate_limited' });
  assert.deepEqual(await state(), before);
});

test('a sign-in waits for a failure that is being counted, and the resulting lock applies', async () => {
  await fail(9);
  let signIn: Promise<boolean> | undefined;
  await database.transaction(async (tx) => {
    await throttle.recordFailure(tx, ADMIN.email);
    signIn = throttle.recordSignIn(ADMIN.email, recordOf());
    signIn.catch(() => undefined);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%login_failure%'`;
    while ((await database.query(waiting)).rowCount === 0);
  });
  await assert.rejects(signIn ?? Promise.resolve(), { code: 'rate_limited' });
});

test('a sign-in renews the hash, clears the failures, and stores a token and an event', async () => {
  await fail(3);
  const record = recordOf();
  assert.equal(await throttle.recordSignIn(ADMIN.email, record), true);
  const expected = { tokens: 1, events: 1, shipped: 1, failures: 0 };
  const { newHash, at } = record.proof;
  assert.deepEqual(await state(), { ...expected, password_hash: newHash, last_login_at: at });
  assert.equal((await throttle.find(ADMIN.email))?.passwordHash, newHash);
});
