// Who is invited to be a proxy, or set as a guardian, gets a mail, which says nothing of the patient. Who has no
// account gets none.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '#lib/clock.ts';
import { recordStatements } from '#test/support/database/recorded-statements.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { handClock, type Identity, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import {
  makePatient,
  nextEmail,
  nextPersonnummer,
  PASSWORD,
  personnummerOf,
} from '#test/support/identity/identity-people.ts';
import { atTenant, TENANTS } from '#test/support/identity/identity-tenants.ts';
import { startMailServer } from '#test/support/mail.ts';

const hooks = lastFirst({ after });
const mails = await startMailServer(hooks);
const clock = handClock();
const identity = await startIdentity(hooks, { clock, sendMail: mails.send, tenants: TENANTS });
const { app, database } = identity;
const SUBJECT = /ombud i Kedja \/ You are invited to be a proxy/;
type Patient = Awaited<ReturnType<typeof makePatient>>;

async function invite(
  patient: Patient,
  whom: { email: string } | { personnummer: string },
  at: Identity = identity,
): Promise<string> {
  const until = new Date(clock.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  const payload = { ...whom, may: 'read', until };
  const headers = await at.signIn(patient.email, patient.password);
  const answer = await at.app.inject({ method: 'POST', url: '/api/patient/proxies', headers, payload });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json().proxy_guid;
}

/** How many mails of the kind there are at a node whose mails stay in the outbox, as their server is away. */
async function countIn({ database: held }: Identity, kind = 'proxy-invitation'): Promise<number> {
  await eventually('no mail is still to be made', async () =>
    (await held.query('SELECT FROM patient_proxy WHERE mail_due')).rowCount === 0 ? true : undefined,
  );
  return (await held.query('SELECT FROM mail_outbox WHERE kind = $1', [kind])).rowCount;
}

const startHeld = () =>
  startIdentity(hooks, { clock, sendMail: async () => ({ kind: 'failed', error: 'unreachable' }) });

test('by address and by number: a neutral text in both languages, with the link to the invitation', async () => {
  for (const whomOf of [({ email }: Patient) => ({ email }), ({ personnummer }: Patient) => ({ personnummer })]) {
    const [patient, proxy] = [await makePatient(identity), await makePatient(identity)];
    await invite(patient, whomOf(proxy));
    const { raw, body } = await mails.mailTo(proxy.email, SUBJECT);
    for (const language of ['sv', 'en'])
      assert.ok(
        body.includes(`\nhttps://kedja.example.org/auth/login?lang=${language}&return_to=%2Fmy%2Fproxies\n`),
        body,
      );
    for (const text of [patient.email, patient.personnummer, proxy.personnummer, patient.answer.patient_guid])
      assert.ok(!`${raw}${body}`.includes(text), text);
  }
});

test('a member of a tenant is led to its page of proxies', async () => {
  const [patient, proxy] = [await makePatient(identity), await makePatient(identity)];
  for (const tenant of ['default', 'west'])
    await database.query('INSERT INTO tenant_member (user_guid, tenant, added_at) VALUES ($1, $2, now())', [
      proxy.answer.user_guid,
      tenant,
    ]);
  const { headers } = patient;
  const until = new Date(clock.now() + DAY_MS).toISOString().slice(0, 10);
  const payload = { email: proxy.email, may: 'act', until };
  await atTenant('west', () => app.inject({ method: 'POST', url: '/api/patient/proxies', headers, payload }));
  const { body } = await mails.mailTo(proxy.email, SUBJECT);
  assert.match(body, /\nhttps:\/\/kedja\.example\.org\/identity\/t\/west\/proxies\?lang=en\n/);
});

async function withdraw({ app: site, signIn }: Identity, patient: Patient, guid: string): Promise<void> {
  const headers = await signIn(patient.email, patient.password);
  const answer = await site.inject({ method: 'DELETE', url: `/api/patient/proxies/${guid}`, headers });
  assert.equal(answer.statusCode, 200, answer.body);
}

test('whoever invites again and again causes one mail a day', async () => {
  const [patient, proxy] = [await makePatient(identity), await makePatient(identity)];
  const again = async () => {
    const guid = await invite(patient, { email: proxy.email });
    await countIn(identity);
    await eventually('no mail waits', async () =>
      (await database.query('SELECT FROM mail_outbox')).rowCount === 0 ? true : undefined,
    );
    await withdraw(identity, patient, guid);
    return mails.taken.filter(({ to, subject }) => to.includes(proxy.email) && SUBJECT.test(subject)).length;
  };
  for (let times = 0; times < 3; times += 1) assert.equal(await again(), 1);
  clock.advance(DAY_MS + HOUR_MS);
  assert.equal(await again(), 2);
});

test('what is withdrawn while its mail waits for the server is not mailed, and the next one is', async () => {
  const held = await startHeld();
  const [patient, proxy] = [await makePatient(held), await makePatient(held)];
  for (let times = 0; times < 2; times += 1) {
    const guid = await invite(patient, { email: proxy.email }, held);
    assert.equal(await countIn(held), 1);
    await eventually('the server was asked in vain', async () => {
      const failed = `SELECT FROM mail_outbox WHERE kind = 'proxy-invitation' AND last_error IS NOT NULL AND NOT is_sending`;
      return (await held.database.query(failed)).rowCount === 1 ? true : undefined;
    });
    await withdraw(held, patient, guid);
    assert.equal(await countIn(held), 0);
  }
});

test('a mail that is being sent when its invitation is withdrawn counts as the one of the day', async () => {
  const sending = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const at = await startIdentity(hooks, {
    clock,
    sendMail: async ({ subject }) => {
      if (!SUBJECT.test(subject)) return { kind: 'sent' };
      sending.resolve();
      await end.promise;
      return { kind: 'sent' };
    },
  });
  const [patient, proxy] = [await makePatient(at), await makePatient(at)];
  const guid = await invite(patient, { email: proxy.email }, at);
  await sending.promise;
  await withdraw(at, patient, guid);
  end.resolve();
  await invite(patient, { email: proxy.email }, at);
  assert.equal(await countIn(at), 0);
});

test('who has accepted gets no mail any more, nor who was a guardian', async () => {
  const held = await startHeld();
  const [patient, proxy] = [await makePatient(held), await makePatient(held)];
  const guid = await invite(patient, { email: proxy.email }, held);
  assert.equal(await countIn(held), 1);
  const headers = await held.signIn(proxy.email, proxy.password);
  const accepted = await held.app.inject({ method: 'POST', url: `/api/patient/proxies/${guid}/accept`, headers });
  assert.equal(accepted.statusCode, 200, accepted.body);
  assert.equal(await countIn(held), 0);
  const child = await makeChild(held, proxy);
  const right = await setGuardian(held, child, proxy);
  assert.equal(await countIn(held, 'guardian-set'), 1);
  const url = `/api/admin/patients/${child}/guardians/${right}`;
  const ended = await held.app.inject({ method: 'DELETE', url, headers: await held.asAdmin() });
  assert.equal(ended.statusCode, 200, ended.body);
  assert.equal(await countIn(held, 'guardian-set'), 0);
});

test('an unknown address, and a blocked account, get none', async () => {
  const held = await startHeld();
  const [patient, blocked] = [await makePatient(held), await makePatient(held)];
  await held.database.query('UPDATE app_user SET blocked_at = now() WHERE user_guid = $1', [blocked.answer.user_guid]);
  for (const email of [nextEmail(), blocked.email]) await invite(patient, { email }, held);
  assert.equal(await countIn(held), 0);
});

const GUARDIAN_SUBJECT = /agera för någon i Kedja \/ You may act for somebody/;
let children = 0;

/** A child of eight years. */
async function makeChild({ app: site }: Identity, { organisation_guid }: Patient): Promise<string> {
  const days = Math.floor((clock.now() - 8 * 365 * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS);
  children += 1;
  const personnummer = personnummerOf(days * 1000 + children);
  const payload = { email: nextEmail(), password: PASSWORD, personnummer, organisation_guid };
  const answer = await site.inject({ method: 'POST', url: '/api/patient/register', payload });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json().patient_guid;
}

async function setGuardian(at: Identity, child: string, { answer }: Patient, expected = 201): Promise<string> {
  const url = `/api/admin/patients/${child}/guardians`;
  const payload = { guardian_patient_guid: answer.patient_guid };
  const set = await at.app.inject({ method: 'POST', url, headers: await at.asAdmin(), payload });
  assert.equal(set.statusCode, expected, set.body);
  return set.json().proxy_guid;
}

test('a guardian whom an administrator sets: a neutral text in both languages, with the link to the right', async () => {
  const guardian = await makePatient(identity);
  const child = await makeChild(identity, guardian);
  const proxy = await setGuardian(identity, child, guardian);
  const { raw, body } = await mails.mailTo(guardian.email, GUARDIAN_SUBJECT);
  for (const language of ['sv', 'en'])
    assert.ok(
      body.includes(`\nhttps://kedja.example.org/auth/login?lang=${language}&return_to=%2Fmy%2Fproxies\n`),
      body,
    );
  for (const text of [child, proxy, guardian.personnummer]) assert.ok(!`${raw}${body}`.includes(text), text);
});

test('a guardian is mailed once for one right, once a day, and not for a right that was refused', async () => {
  const held = await startHeld();
  const [guardian, blocked] = [await makePatient(held), await makePatient(held)];
  const child = await makeChild(held, guardian);
  const count = () => countIn(held, 'guardian-set');
  const both = await Promise.all([setGuardian(held, child, guardian), setGuardian(held, child, guardian)]);
  assert.equal(new Set(both).size, 1, 'pressed twice');
  assert.equal(await count(), 1);
  await held.app.inject({
    method: 'DELETE',
    url: `/api/admin/patients/${child}/guardians/${both[0]}`,
    headers: await held.asAdmin(),
  });
  await setGuardian(held, child, guardian);
  assert.equal(await count(), 1, 'set again within the day');
  await setGuardian(held, guardian.answer.patient_guid, blocked, 422);
  await held.database.query('UPDATE app_user SET blocked_at = now() WHERE user_guid = $1', [blocked.answer.user_guid]);
  await setGuardian(held, child, blocked);
  assert.equal(await count(), 1, 'who is blocked cannot sign in');
});

test('without a mail server an invitation is made, too', async () => {
  const silent = await startIdentity(hooks, { clock });
  const [patient, proxy] = [await makePatient(silent), await makePatient(silent)];
  const until = new Date(clock.now() + DAY_MS).toISOString().slice(0, 10);
  const payload = { email: proxy.email, may: 'read', until };
  const headers = patient.headers;
  const answer = await silent.app.inject({ method: 'POST', url: '/api/patient/proxies', headers, payload });
  assert.equal(answer.statusCode, 201, answer.body);
  assert.equal((await silent.database.query('SELECT FROM mail_outbox')).rowCount, 0);
});

test('what is withdrawn before its mail was made causes none, and does not hold up the next one', async () => {
  const held = await startHeld();
  const [patient, proxy] = [await makePatient(held), await makePatient(held)];
  await invite(patient, { email: proxy.email }, held);
  await countIn(held);
  await held.database.query(`DELETE FROM mail_outbox`);
  await held.database.query(`UPDATE patient_proxy SET status = 'ended', mail_due = true, mailed_at = NULL`);
  await invite(patient, { email: proxy.email }, held);
  assert.equal(await countIn(held), 1);
});

test('to invite, and to withdraw, is the same work whether the person has an account or not', async () => {
  const recorded = recordStatements(await identityDatabase(hooks));
  const at = await startIdentity(hooks, { clock, sendMail: mails.send, on: recorded.on });
  const [patient, known] = [await makePatient(at), await makePatient(at)];
  const headers = await at.signIn(patient.email, patient.password);
  const until = new Date(clock.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  const post = { method: 'POST', url: '/api/patient/proxies', headers } as const;
  /** What the database was asked for, in order. */
  const workOf = async (whom: { email: string } | { personnummer: string }) => {
    const invited = await recorded.during(() => at.app.inject({ ...post, payload: { ...whom, may: 'read', until } }));
    assert.equal(invited.result.statusCode, 201, invited.result.body);
    const url = `${post.url}/${invited.result.json().proxy_guid}`;
    const ended = await recorded.during(() => at.app.inject({ method: 'DELETE', url, headers }));
    assert.equal(ended.result.statusCode, 200, ended.result.body);
    return [invited.statements, ended.statements];
  };
  await workOf({ email: nextEmail() });
  const byEmail = await workOf({ email: nextEmail() });
  assert.ok(byEmail.flat().some((text) => text.includes('INSERT INTO patient_proxy')));
  assert.deepEqual(await workOf({ email: known.email }), byEmail);
  const byNumber = await workOf({ personnummer: nextPersonnummer() });
  assert.deepEqual(await workOf({ personnummer: known.personnummer }), byNumber);
  // Those above were withdrawn, maybe before the worker came to them.
  await invite(patient, { email: known.email }, at);
  await mails.mailTo(known.email, SUBJECT);
});
