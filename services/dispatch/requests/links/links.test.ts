// Links to the receipt page (docs/adr/0071). Each is new, and the one before it ends at once. They go by mail and as a
// QR code, are withdrawn, and are opened by two.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { auditedAbout } from '#test/support/audit-events.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { startMailServer } from '#test/support/mail.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { headingOf, PATIENT, pageVisits } from '../../testing/page-visits.ts';
import { type Answer, createSendingBench } from '../../testing/sending-bench.ts';

const server = await startMailServer({ after });
const bench = await createSendingBench({ after }, { sendMail: server.send });
const { call, clock, db, respond } = bench;
const { post } = pageVisits(bench);

interface Site {
  readonly id: string;
  readonly path: string;
}

async function pushed(options: object = {}): Promise<Site> {
  const { id } = await bench.request([newGuid()]);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options)).status, 202);
  const [match] = await bench.matches(id);
  return { id, path: `/api/v1/ServiceRequest/${id}/matches/${match?.matchGuid}/link` };
}

const make = (path: string, body?: object): Promise<Answer> => call('planner', 'POST', path, body);
const tokenOf = ({ body }: Answer): string => String(body.link).split('#')[1] ?? '';

test('a new link ends the one before it at once; a withdrawn one is 410 at the page and at the respond address', async () => {
  const { path } = await pushed();
  assert.deepEqual((await call('planner', 'GET', path)).body.state, 'none');
  const first = tokenOf(await make(path));
  assert.equal((await post({ token: first })).status, 200);
  const second = tokenOf(await make(path));
  assert.notEqual(second, first);
  const ended = await post({ token: first });
  assert.deepEqual([ended.status, headingOf(ended.text)], [410, 'Länken gäller inte längre']);
  assert.equal((await post({ token: second })).status, 200);
  assert.equal((await call('planner', 'GET', path)).body.state, 'works');
  for (let time = 0; time < 2; time += 1) assert.equal((await call('planner', 'DELETE', path)).status, 204);
  const state = await call('planner', 'GET', path);
  assert.deepEqual([state.body.state, state.body.ended_at], ['withdrawn', new Date(clock.time).toISOString()]);
  assert.ok(!JSON.stringify(state.body).includes(second));
  for (const token of [first, second]) {
    const page = await post({ token, decision: 'accepted', lang: 'en' });
    assert.deepEqual([page.status, headingOf(page.text)], [410, 'The link is no longer valid']);
    assert.doesNotMatch(page.text, PATIENT);
    assert.deepEqual([(await respond(token)).status, (await respond(token)).body.error], [410, 'expired']);
  }
  assert.equal((await post({ token: tokenOf(await make(path)) })).status, 200, 'renewed after the withdrawal');
});

test('of ten links made at once one works; only hashes are stored, and each making is recorded without the token', async () => {
  const { id, path } = await pushed();
  const tokens = (await atOnce(Array.from({ length: 10 }, () => () => make(path)))).map(tokenOf);
  const pages = await atOnce(tokens.map((token) => () => post({ token })));
  assert.deepEqual(pages.map(({ status }) => status).sort(), [200, ...Array(9).fill(410)]);
  const made = await auditedAbout(db, 'request.link', `ServiceRequest/${id}`);
  assert.equal(made.length, 10);
  const { rows: stored } = await db.query<{ row: string }>('SELECT row_to_json(l)::text AS row FROM receipt_link l');
  const kept = [JSON.stringify(made), ...stored.map(({ row }) => row), ...bench.logLines].join('\n');
  for (const token of tokens) assert.ok(!kept.includes(token));
});

test('two people with one link both see the request, and one answer counts', async () => {
  const { path } = await pushed();
  const token = tokenOf(await make(path));
  const answers = await Promise.all([post({ token, decision: 'accepted' }), post({ token, decision: 'rejected' })]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  assert.equal(new Set(answers.map(({ text }) => headingOf(text))).size, 1);
  await call('planner', 'DELETE', path);
  assert.equal((await post({ token })).status, 410, 'also after the answer');
});

test('the mail holds the link and nothing of the patient; a server that is away delays nobody', async () => {
  const { path } = await pushed({ respond_by: new Date(clock.time + 3_600_000).toISOString() });
  server.reply = { recipient: 451 };
  const made = await make(path, { email: 'hemvard@example.org', language: 'en' });
  assert.deepEqual([made.status, made.body.is_mailed], [200, true]);
  assert.equal((await call('planner', 'GET', path)).body.is_mailed, true);
  assert.equal(await bench.mailer?.runOnce(), 1);
  assert.equal(server.taken.length, 0);
  server.reply = {};
  clock.time += 10_000;
  await bench.mailer?.runOnce();
  const mail = await server.mailTo('hemvard@example.org');
  assert.match(mail.subject, /^A request to Provider/);
  assert.ok(mail.body.includes(made.body.link));
  assert.doesNotMatch(mail.raw, PATIENT);
  assert.equal((await post({ token: tokenOf(made) })).status, 200);
  const late = await pushed({ respond_by: new Date(clock.time + 1000).toISOString() });
  await make(late.path, { email: 'late@example.org' });
  clock.time += 1000;
  await bench.mailer?.runOnce();
  assert.ok(!server.taken.some(({ to }) => to.includes('late@example.org')), 'not after the time to respond');
});

test('a mail that is given up is seen at the link and the match with its cause, and the requester is notified', async () => {
  const deadNotices = async (id: string) =>
    (await call('planner', 'GET', `/api/v1/notifications?kind=delivery_dead&service_request_id=${id}`)).body.total;
  const failed = { last_error: 'address_refused', next_at: null };
  const { id, path } = await pushed();
  const mailOf = async () => (await call('planner', 'GET', path)).body.mail;
  assert.equal(await mailOf(), null);
  await make(path, { email: 'nobody@example.org' });
  assert.deepEqual(await mailOf(), { state: 'queued', last_error: null, next_at: null });
  server.reply = { recipient: 451 };
  await bench.mailer?.runOnce();
  const waiting = await mailOf();
  assert.deepEqual([waiting.state, waiting.last_error], ['retrying', 'deferred']);
  assert.ok(Date.parse(waiting.next_at) > clock.time);
  server.reply = { recipient: 550 };
  clock.time += 10_000;
  assert.equal(await deadNotices(id), 0);
  await bench.mailer?.runOnce();
  assert.deepEqual(await mailOf(), { ...failed, state: 'dead' });
  assert.equal(await deadNotices(id), 1);

  // What was handed over otherwise meanwhile, or is answered, needs nobody.
  const renewed = await pushed();
  await make(renewed.path, { email: 'nobody@example.org' });
  await make(renewed.path);
  assert.equal((await call('planner', 'GET', renewed.path)).body.mail, null);
  const answered = await pushed();
  const { body } = await make(answered.path, { email: 'nobody@example.org' });
  assert.equal((await post({ token: String(body.link).split('#')[1] ?? '', decision: 'accepted' })).status, 200);
  assert.equal(await bench.mailer?.runOnce(), 1, 'the mail of the link that has ended was taken back');
  assert.deepEqual([await deadNotices(renewed.id), await deadNotices(answered.id)], [0, 0]);

  // Another mail is the way out.
  server.reply = {};
  await make(path, { email: 'hemvard@example.org' });
  await bench.mailer?.runOnce();
  assert.deepEqual(await mailOf(), { state: 'sent', last_error: null, next_at: null });
});

test('a QR code is the link; an address that is none is 400; others and unknown matches get nothing', async () => {
  const { id, path } = await pushed();
  const { body } = await make(path, { qr: true });
  assert.match(body.qr_svg, /^<svg [\s\S]*<\/svg>$/);
  assert.equal((await make(path, { email: 'nobody' })).status, 400);
  assert.equal((await make(path, { email: 'a@example.org\r\nBcc: b@example.org' })).status, 400);
  for (const method of ['GET', 'DELETE', 'POST'] as const) {
    assert.equal((await call('planner', method, path.replace(id, newGuid()))).status, 404, method);
    assert.equal((await call('planner', method, path.replace(/matches\/[^/]+/, `matches/${newGuid()}`))).status, 404);
    assert.equal((await call('patient', method, path)).status, 403);
  }
});

test('a caller sends at most thirty mails with links an hour: 429', async () => {
  const { path } = await pushed();
  bench.callers['eager'] = makePrincipal(['admin'], { id: newGuid() });
  const statuses: number[] = [];
  for (let sent = 0; sent < 31; sent += 1)
    statuses.push((await call('eager', 'POST', path, { email: 'hemvard@example.org' })).status);
  assert.deepEqual(statuses, [...Array(30).fill(200), 429]);
  assert.equal((await call('eager', 'POST', path)).status, 200, 'without a mail there is another limit');
});
