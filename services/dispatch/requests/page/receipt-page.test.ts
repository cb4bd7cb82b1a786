// The receipt page for providers without a system over HTTP (decision D13; docs/adr/0030). There is a page for each
// state with the least data, and a token that only its forms have.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { atOnce, fifty } from '#test/support/system/at-once.ts';
import { headingOf, PATIENT, pageVisits } from '../../testing/page-visits.ts';
import { createSendingBench } from '../../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { app, call, clock, db } = bench;
const { linked, post } = pageVisits(bench);

async function withdrawn(id: string): Promise<void> {
  const serviceRequest = await bench.record(id);
  const actor = { principal: makePrincipal(['admin']), address: undefined, requestId: undefined };
  await db.transaction(async (transaction) => {
    const matches = await bench.matches(id);
    await bench.sending.withdrawMatches(transaction, { serviceRequest, matches, reason: 'revoked', actor });
  });
}

test('the link has the token in its fragment, which no server receives, and opens the form that sends it', async () => {
  const { links, tokens } = await linked(1);
  assert.match(String(links[0]), /^https:\/\/dispatch\.example\.org\/receipt#[\w-]{43}$/);
  const page = await app.inject('/receipt');
  assert.equal(page.statusCode, 200);
  assert.match(page.payload, /<form method="post" action="receipt"/);
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /default-src 'none'; .*script-src 'sha256-[^']+';.*form-action 'self'; frame-ancestors 'none'/);
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
  assert.equal(page.headers['cache-control'], 'no-store');
  // The token alone, or within its link.
  for (const typed of [links[0]!, ` ${tokens[0]!} `]) assert.equal((await post({ token: typed })).status, 200);
  const empty = await post({ token: ' ' });
  assert.deepEqual([empty.status, headingOf(empty.text)], [400, 'Öppna ett uppdrag']);
});

test('an open request shows what is asked for and nothing of who the patient is; accepted, it shows the patient', async () => {
  const { id, tokens } = await linked(1, { respond_by: '2026-06-16T12:00:00Z' });
  const [token = ''] = tokens;
  const open = await post({ token });
  assert.equal(open.status, 200);
  assert.match(String(headingOf(open.text)), /^Ett uppdrag till Provider/);
  assert.doesNotMatch(open.text, PATIENT);
  assert.match(open.text, /16 juni 2026/);
  assert.equal(open.headers['cache-control'], 'no-store');
  assert.equal(open.headers['referrer-policy'], 'no-referrer');
  const accepted = await post({ token, decision: 'accepted' });
  assert.deepEqual([accepted.status, headingOf(accepted.text)], [200, 'Ni har tackat ja']);
  assert.match(accepted.text, PATIENT);
  assert.equal((await bench.matches(id))[0]?.status, 'accepted');
  assert.equal((await post({ token, decision: 'accepted' })).status, 200, 'the same again');
  const opposite = await post({ token, decision: 'rejected' });
  assert.deepEqual([opposite.status, headingOf(opposite.text)], [409, 'Ni har tackat ja']);
  assert.match(opposite.text, /Ert svar kom inte med/);
});

test('a rejection keeps the reason, in either language; what cannot be stored comes back to be corrected', async () => {
  const { id, tokens } = await linked(1);
  const [token = ''] = tokens;
  const wrong = await post({ token, decision: 'rejected', reason: 'a\u0000<b>', lang: 'en' });
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /<html lang="en">.*aria-invalid="true"/s);
  assert.match(wrong.text, /&lt;b&gt;/);
  assert.equal((await bench.matches(id))[0]?.status, 'pushed');
  const rejected = await post({ token, decision: 'rejected', reason: 'Ingen tid' }, { 'accept-language': 'en-GB' });
  assert.deepEqual([rejected.status, headingOf(rejected.text)], [200, 'You have declined']);
  assert.doesNotMatch(rejected.text, PATIENT);
  const [match] = await bench.matches(id);
  assert.deepEqual([match?.status, match?.rejectedReason], ['rejected', 'Ingen tid']);
});

test('a text of several lines is as long as its writer sees it, whatever the form makes of its line breaks', async () => {
  const { id, tokens } = await linked(1);
  const [token = ''] = tokens;
  const lines = 'a\n'.repeat(1000);
  const sent = (text: string) => text.replaceAll('\n', '\r\n');
  assert.equal((await post({ token, action: 'ask', question: sent(`${lines}b`) })).status, 400);
  assert.equal((await post({ token, decision: 'rejected', reason: sent(lines) })).status, 200);
  assert.equal((await bench.matches(id))[0]?.rejectedReason, lines);
});

test('withdrawn, taken, expired, completed and unknown have pages of their own, without data', async () => {
  const revoked = await linked(1);
  await withdrawn(revoked.id);
  const taken = await linked(2, { selection: 'first' });
  await post({ token: taken.tokens[0]!, decision: 'accepted' });
  const completed = await linked(1);
  const [{ requestGuid } = { requestGuid: '' }] = await bench.matches(completed.id);
  await call('admin', 'PUT', `/api/v1/requests/${requestGuid}/status`, { status: 'completed' });
  const late = await linked(1, { respond_by: new Date(clock.time + 1000).toISOString() });
  clock.time += 2000;
  const shown = async (token: string, decision?: string) => {
    const answer = await post({ token, ...(decision === undefined ? {} : { decision }) });
    return [answer.status, headingOf(answer.text), PATIENT.test(answer.text)];
  };
  assert.deepEqual(await shown(revoked.tokens[0]!), [410, 'Uppdraget är tillbakadraget', false]);
  assert.deepEqual(await shown(taken.tokens[1]!), [410, 'En annan utförare har tackat ja', false]);
  assert.deepEqual(await shown(taken.tokens[1]!, 'accepted'), [410, 'En annan utförare har tackat ja', false]);
  assert.deepEqual(await shown(completed.tokens[0]!), [200, 'Uppdraget är slutfört', true]);
  assert.deepEqual(await shown(late.tokens[0]!), [410, 'Svarstiden har gått ut', false]);
  assert.deepEqual(await shown(late.tokens[0]!, 'accepted'), [410, 'Svarstiden har gått ut', false]);
  assert.equal((await bench.matches(late.id))[0]?.status, 'expired');
  assert.deepEqual(await shown('A'.repeat(43)), [404, 'Det finns inget sådant uppdrag', false]);
  assert.deepEqual(await shown('A'.repeat(43), 'accepted'), [404, 'Det finns inget sådant uppdrag', false]);
});

test('without consent nothing is shown, the page offers to decline alone, and an acceptance shows no patient', async () => {
  const { patientGuid, tokens } = await linked(1);
  const subject = { reference: `Patient/${patientGuid}` };
  await bench.put({ resourceType: 'Consent', id: newGuid(), status: 'active', subject, decision: 'deny' });
  const page = await post({ token: tokens[0]! });
  assert.equal(page.status, 200);
  assert.match(page.text, /Uppgifterna visas inte/);
  assert.doesNotMatch(page.text, /<dl>|value="accepted"/);
  await post({ token: tokens[0]!, decision: 'accepted' });
  const accepted = await post({ token: tokens[0]! });
  assert.doesNotMatch(accepted.text, PATIENT);
});

test('of fifty concurrent acceptances by the page under first exactly one wins', async () => {
  const { id, tokens } = await linked(10, { selection: 'first' });
  const answers = await fifty((index) => post({ token: tokens[index % 10]!, decision: 'accepted' }));
  const matches = await bench.matches(id);
  assert.equal(matches.filter(({ status }) => status === 'accepted').length, 1);
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 410]);
  assert.equal(answers.filter(({ status }) => status === 200).length, 5, 'the five of the one');
});

test('of concurrent opposite responses one wins, and the page shows it to both', async () => {
  const { id, tokens } = await linked(1);
  const [token = ''] = tokens;
  const answers = await atOnce(
    ['accepted', 'rejected'].flatMap((decision) => Array.from({ length: 5 }, () => () => post({ token, decision }))),
  );
  const status = (await bench.matches(id))[0]?.status;
  const heading = status === 'accepted' ? 'Ni har tackat ja' : 'Ni har tackat nej';
  assert.ok(answers.every(({ text }) => headingOf(text) === heading));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [...Array(5).fill(200), ...Array(5).fill(409)]);
});

test('only planners get the link, only of a pushed match; every link and view is audited', async () => {
  const { id } = await bench.request([newGuid()]);
  const [match] = await bench.matches(id);
  const address = `/api/v1/ServiceRequest/${id}/matches/${match!.matchGuid}/link`;
  assert.equal((await call('planner', 'POST', address)).status, 409);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
  for (const caller of ['patient', 'service']) assert.equal((await call(caller, 'POST', address)).status, 403, caller);
  assert.equal((await call(undefined, 'POST', address)).status, 401);
  const elsewhere = address.replace(id, newGuid());
  assert.equal((await call('planner', 'POST', elsewhere)).status, 404);
  assert.equal((await call('planner', 'POST', address.replace(match!.matchGuid, 'none'))).status, 404);
  const answer = await call('planner', 'POST', address);
  assert.equal(answer.headers['cache-control'], 'no-store');
  await post({ token: answer.body.link });
  const { rows } = await db.query<{ resource: string }>('SELECT resource FROM audit_event WHERE resource LIKE $1', [
    `%ServiceRequest/${id}%`,
  ]);
  const events = rows.flatMap(({ resource }) => /request\.(?:link|look)/.exec(resource)?.[0] ?? []);
  assert.deepEqual(events.sort(), ['request.link', 'request.look']);
});

test('the token is in no log and no answer’s headers; guesses are limited with a page', async () => {
  const { tokens } = await linked(1);
  const [token = ''] = tokens;
  const answer = await post({ token });
  assert.ok(!JSON.stringify(answer.headers).includes(token));
  assert.ok(!bench.logLines.join('').includes(token));
  for (;;) {
    const guess = await post({ token: 'B'.repeat(43) });
    if (guess.status === 404) continue;
    assert.equal(guess.status, 429);
    assert.ok(Number(guess.headers['retry-after']) > 0);
    assert.match(guess.text, /Vänta en stund/);
    break;
  }
  assert.equal((await post({ token })).status, 200, 'who has a token is not held up by guesses');
  assert.equal((await app.inject(`/receipt/${token}`)).statusCode, 404, 'there is no address with a token');
});
