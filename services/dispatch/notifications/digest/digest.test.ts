// The digest of notifications by mail: off at first, once an hour or a day, counts alone, and only for who may read
// them now.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { startMailServer } from '#test/support/mail.ts';
import { PATIENT } from '../../testing/page-visits.ts';
import { createSendingBench, ORGANISATION } from '../../testing/sending-bench.ts';
import type { Contact } from './digest-service.ts';
import { nextDigestAt } from './digest-time.ts';

const server = await startMailServer({ after });
const contacts = new Map<string, Contact>();
let isAway = false;
const bench = await createSendingBench(
  { after },
  {
    sendMail: server.send,
    readContact: async (id) => {
      if (isAway) throw new ServiceError('upstream_unavailable', 'away');
      return contacts.get(id);
    },
  },
);
const { call, callers, clock, db } = bench;
const SETTINGS = '/api/v1/notifications/settings';
const provider = newGuid();
callers[provider] = makePrincipal(['provider'], { id: newGuid(), kind: 'api_key', providerGuid: provider });

/** A planner whom identity knows. */
function newPlanner(name: string) {
  const principal = makePrincipal(['professional', 'clinician'], {
    id: newGuid(),
    organisationGuids: [ORGANISATION],
    phases: new Set(['planning']),
  });
  callers[name] = principal;
  contacts.set(principal.id, { principal, email: `${name}@example.org` });
  return principal;
}

/** An event of a request that is everyone's. */
async function event(): Promise<void> {
  const { id } = await bench.request([provider]);
  const { body } = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, {});
  const url = `/api/v1/requests/${body.pushed[0].request_guid}/status`;
  assert.equal((await call(provider, 'PUT', url, { status: 'acknowledged' })).status, 200);
}

/** Works until nothing is due; returns to whom mails went. */
async function round(): Promise<string[]> {
  const before = server.taken.length;
  await Promise.all([bench.sending.notifications.sendDigest(), bench.sending.notifications.sendDigest()]);
  while (await bench.sending.notifications.sendDigest());
  while (((await bench.mailer?.runOnce()) ?? 0) > 0);
  return server.taken.slice(before).flatMap(({ to }) => to);
}

test('a digest is off at first; when it is on, it counts what is unread, once an hour, when there is something new', async () => {
  newPlanner('anna');
  assert.deepEqual((await call('anna', 'GET', SETTINGS)).body, { digest: 'off', language: 'sv', is_available: true });
  const settings = { digest: 'hourly', language: 'en' };
  const put = await call('anna', 'PUT', SETTINGS, settings);
  assert.deepEqual([put.status, put.body], [200, { ...settings, is_available: true }]);
  assert.equal((await call('anna', 'PUT', SETTINGS, put.body)).status, 200, 'as it was read');
  clock.time += 60_000;
  await event();
  await event();
  assert.deepEqual(await round(), [], 'not before the full hour');
  clock.time += HOUR_MS;
  assert.deepEqual(await round(), ['anna@example.org']);
  const mail = await server.mailTo('anna@example.org');
  assert.match(mail.subject, /New notifications in Kedja: 2/);
  assert.match(mail.body, /- Reports: 2/);
  const signIn = 'https://dispatch.example.org/auth/login?lang=en';
  const links = mail.body.match(/^https:.*$/gm);
  assert.deepEqual(links, [signIn, `${signIn}&return_to=%2Faccount`], 'to the sign-in, and where it is turned off');
  assert.doesNotMatch(mail.raw, PATIENT);
  clock.time += HOUR_MS;
  assert.deepEqual(await round(), [], 'nothing new');
  await event();
  await call('anna', 'POST', '/api/v1/notifications/read-all');
  clock.time += HOUR_MS;
  assert.deepEqual(await round(), [], 'read meanwhile');
  await call('anna', 'PUT', SETTINGS, { digest: 'off' });
  await event();
  clock.time += HOUR_MS;
  assert.deepEqual(await round(), []);
});

test('who has lost the phase or the organisation gets none, who is gone no more; identity being away only delays', async () => {
  const [eva, ola, ulf, liv] = [newPlanner('eva'), newPlanner('ola'), newPlanner('ulf'), newPlanner('liv')];
  for (const name of ['eva', 'ola', 'ulf', 'liv']) await call(name, 'PUT', SETTINGS, { digest: 'hourly' });
  const change = (principal: typeof eva, changes: Partial<typeof eva>) =>
    contacts.set(principal.id, { principal: { ...principal, ...changes }, email: 'lost@example.org' });
  change(eva, { phases: new Set() });
  change(ola, { organisationGuids: [newGuid()] });
  contacts.delete(ulf.id);
  contacts.set(liv.id, { principal: liv, email: 'new-address@example.org' });
  await event();
  clock.time += HOUR_MS;
  isAway = true;
  for (let time = 0; time < 4; time += 1) {
    await assert.rejects(bench.sending.notifications.sendDigest(), { code: 'upstream_unavailable' });
  }
  isAway = false;
  assert.deepEqual(await round(), [], 'leased');
  clock.time += 61_000;
  assert.deepEqual(await round(), ['new-address@example.org']);
  const { rows } = await db.query('SELECT FROM notification_digest WHERE user_id = $1', [ulf.id]);
  assert.equal(rows.length, 0);
});

test('only users of identity get one, and only where mail is configured: 422', async () => {
  assert.equal((await call(provider, 'GET', SETTINGS)).body.is_available, false);
  assert.equal((await call(provider, 'PUT', SETTINGS, { digest: 'daily' })).status, 422);
  assert.equal((await call(provider, 'PUT', SETTINGS, { digest: 'off' })).status, 200);
  const wrong = await call('anna', 'PUT', SETTINGS, { digest: 'weekly', language: 'fi', more: 1 });
  assert.deepEqual([wrong.status, wrong.body.messages.length], [400, 3]);
});

test('a daily digest is due at seven in the zone’s morning, also across a change of the clock', () => {
  const at = (text: string, frequency: 'hourly' | 'daily') =>
    new Date(nextDigestAt(frequency, Date.parse(text), 'Europe/Stockholm')).toISOString();
  assert.equal(at('2026-06-15T12:00:00Z', 'daily'), '2026-06-16T05:00:00.000Z');
  assert.equal(at('2026-06-15T04:59:59Z', 'daily'), '2026-06-15T05:00:00.000Z');
  assert.equal(at('2026-06-15T05:00:00Z', 'daily'), '2026-06-16T05:00:00.000Z');
  assert.equal(at('2026-10-24T12:00:00Z', 'daily'), '2026-10-25T06:00:00.000Z');
  assert.equal(at('2026-06-15T12:00:00Z', 'hourly'), '2026-06-15T13:00:00.000Z');
});
