// Reporting by the receipt page for providers without a system (decisions D3, D13; docs/adr/0036), in the states that
// allow it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { headingOf, PATIENT, pageVisits } from '../../testing/page-visits.ts';
import { createSendingBench } from '../../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, db } = bench;
const { linked, post } = pageVisits(bench);

const report = (token: string, progress: string, note = '') => post({ token, action: 'report', progress, note });
/** The reports that the page offers. */
const offered = (page: string) =>
  [...page.matchAll(/name="progress" type="radio" value="(\w+)"/g)].map(([, value]) => value);

async function accepted(): Promise<{ id: string; token: string; patientGuid: string }> {
  const { id, tokens, patientGuid } = await linked(1);
  const [token = ''] = tokens;
  await post({ token, decision: 'accepted' });
  return { id, token, patientGuid };
}

test('accepted work is begun and completed by the page, and with it the request of the planner', async () => {
  const { id, token } = await accepted();
  const page = await post({ token });
  assert.deepEqual(offered(page.text), ['in_progress', 'completed', 'rejected']);
  const begun = await report(token, 'in_progress', 'Vi kommer på måndag');
  assert.deepEqual([begun.status, headingOf(begun.text)], [200, 'Arbetet pågår']);
  assert.match(begun.text, PATIENT);
  assert.deepEqual(offered(begun.text), ['completed', 'rejected']);
  const [match] = await bench.matches(id);
  assert.deepEqual([match?.progress, match?.progressNote], ['in_progress', 'Vi kommer på måndag']);
  const done = await report(token, 'completed', 'Allt gick bra');
  assert.deepEqual([done.status, headingOf(done.text)], [200, 'Uppdraget är slutfört']);
  assert.deepEqual(offered(done.text), []);
  const [completed] = await bench.matches(id);
  assert.deepEqual([completed?.progress, completed?.progressNote], ['completed', 'Allt gick bra']);
  assert.equal((await bench.record(id)).status, 'completed');
});

test('work that cannot be done is given back, in either language, and shows no patient any more', async () => {
  const { id, token } = await accepted();
  const given = await post({ token, action: 'report', progress: 'rejected', note: 'Bilen', lang: 'en' });
  assert.deepEqual([given.status, headingOf(given.text)], [200, 'You have given the request back']);
  assert.doesNotMatch(given.text, PATIENT);
  const [match] = await bench.matches(id);
  assert.deepEqual([match?.status, match?.progress, match?.progressNote], ['accepted', 'rejected', 'Bilen']);
  assert.equal((await bench.record(id)).status, 'active', 'the requester decides');
  const late = await report(token, 'completed');
  assert.deepEqual([late.status, headingOf(late.text)], [409, 'Ni har lämnat tillbaka uppdraget']);
});

test('the same report again changes nothing; one that goes back is refused with the current state', async () => {
  const { id, token } = await accepted();
  await report(token, 'in_progress', 'first');
  assert.equal((await report(token, 'in_progress', 'second')).status, 200);
  assert.equal((await bench.matches(id))[0]?.progressNote, 'first');
  await report(token, 'completed');
  const back = await report(token, 'in_progress');
  assert.deepEqual([back.status, headingOf(back.text)], [409, 'Uppdraget är slutfört']);
  assert.match(back.text, /Ert svar kom inte med/);
});

test('only what is to be reported is taken: nothing chosen, another word, a long message come back to be corrected', async () => {
  const { id, token } = await accepted();
  for (const progress of ['', 'acknowledged', 'accepted', 'pushed']) {
    const answer = await report(token, progress, 'kvar <b>');
    assert.equal(answer.status, 400, progress);
    assert.match(answer.text, /aria-invalid="true".*Välj vad ni vill rapportera.*kvar &lt;b&gt;/s);
  }
  for (const note of ['a'.repeat(2001), 'a\u0000']) {
    const answer = await report(token, 'completed', note);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /value="completed" checked.*id="note-error"/s);
  }
  assert.equal((await bench.matches(id))[0]?.progress, 'none');
});

test('the page offers no report before the acceptance or after the end, and a withdrawn request takes none', async () => {
  const { tokens } = await linked(1);
  assert.deepEqual(offered((await post({ token: tokens[0]! })).text), []);
  const first = await linked(2, { selection: 'first' });
  await post({ token: first.tokens[0]!, decision: 'accepted' });
  const taken = await report(first.tokens[1]!, 'completed');
  assert.deepEqual([taken.status, headingOf(taken.text)], [410, 'En annan utförare har tackat ja']);
  assert.equal((await report('A'.repeat(43), 'completed')).status, 404);
});

test('without consent what was done is reported still, and shows nothing', async () => {
  const { id, token, patientGuid } = await accepted();
  const subject = { reference: `Patient/${patientGuid}` };
  await bench.put({ resourceType: 'Consent', id: newGuid(), status: 'active', subject, decision: 'deny' });
  const page = await post({ token });
  assert.match(page.text, /Uppgifterna visas inte/);
  assert.equal((await report(token, 'completed')).status, 200);
  assert.doesNotMatch((await post({ token })).text, PATIENT);
  assert.equal((await bench.matches(id))[0]?.progress, 'completed');
});

test('of a concurrent completion and rejection exactly one wins', async () => {
  const { id, token } = await accepted();
  const answers = await atOnce(
    ['completed', 'rejected'].flatMap((status) => Array.from({ length: 5 }, () => () => report(token, status))),
  );
  const heading =
    (await bench.matches(id))[0]?.progress === 'completed'
      ? 'Uppdraget är slutfört'
      : 'Ni har lämnat tillbaka uppdraget';
  assert.ok(answers.every(({ text }) => headingOf(text) === heading));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [...Array(5).fill(200), ...Array(5).fill(409)]);
});

test('each report is audited once, with its channel', async () => {
  const { id, token } = await accepted();
  await report(token, 'completed');
  await report(token, 'completed');
  const { rows } = await db.query<{ resource: string }>('SELECT resource FROM audit_event WHERE resource LIKE $1', [
    `%ServiceRequest/${id}%`,
  ]);
  const reports = rows.filter(({ resource }) => resource.includes('request.report'));
  assert.equal(reports.length, 1);
  assert.match(String(reports[0]?.resource), /completed, by receipt token, for provider/);
});

test('the address of the status callback takes no receipt token', async () => {
  const { id, token } = await accepted();
  const [match] = await bench.matches(id);
  const answer = await call(token, 'PUT', `/api/v1/requests/${match!.requestGuid}/status`, { status: 'completed' });
  assert.equal(answer.status, 401);
});
