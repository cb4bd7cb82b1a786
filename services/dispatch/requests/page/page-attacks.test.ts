// Attacks on the receipt page (decisions D13, L8). They are hostile texts of either side, forms of another kind or
// size, fields that no page has, and another request's form. The tests also check what caches and frames may do with
// it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { atOnce } from '#test/support/system/at-once.ts';

const contract = await startDispatchContract({ after });
const { app, ask } = contract;
const HOSTILE = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}`;
type Fields = Readonly<Record<string, string>>;

async function post(fields: Fields | string, headers: Fields = {}) {
  const answer = await app.inject({
    method: 'POST',
    url: '/receipt',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
    payload: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
}

function assertHarmless({ status, headers, text }: Awaited<ReturnType<typeof post>>, what: string): void {
  assert.ok(status < 500, `${what}: ${status} ${text.slice(-300)}`);
  assert.doesNotMatch(text, /<script>alert|<img src=x/, what);
  assert.match(String(headers['cache-control']), /no-store/, what);
  assert.match(String(headers['referrer-policy']), /^no-referrer$/, what);
  assert.equal(headers['set-cookie'], undefined, what);
  assert.equal(headers['location'], undefined, what);
  const policy = String(headers['content-security-policy']);
  for (const directive of [/default-src 'none'/, /frame-ancestors 'none'/, /base-uri 'none'/])
    assert.match(policy, directive, `${what}: ${policy}`);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval/, what);
}

/** An accepted request, and the form that its page offers. */
async function accepted() {
  const pushed = await contract.pushed();
  const page = await post({ token: pushed.token, decision: 'accepted' });
  assertHarmless(page, 'accepted');
  return { ...pushed, form: /name="form" value="([0-9a-f-]{36})"/.exec(page.text)?.[1] ?? '' };
}

test('what a caregiver, the requester and the patient’s record say is text for every reader', async () => {
  await ask('PUT /Patient/p1', {
    body: { resourceType: 'Patient', id: 'p1', name: [{ family: HOSTILE, given: [HOSTILE] }] },
  });
  const { token, id, request } = await accepted();
  const steps: readonly Fields[] = [
    { token, action: 'report', progress: 'in_progress', note: HOSTILE },
    { token, action: 'ask', question: HOSTILE },
    { token, action: 'report', progress: HOSTILE, note: HOSTILE },
    { token, action: HOSTILE, decision: HOSTILE, form: HOSTILE, go: HOSTILE, lang: HOSTILE },
    { token, lang: 'en\r\nset-cookie: a=b' },
    { token: HOSTILE },
    { token: `${token}\u0000`, note: '\u0000' },
  ];
  for (const fields of steps) assertHarmless(await post(fields), JSON.stringify(fields));
  const asked = await ask(`POST /requests/${request}/questions`, { as: 'provider', body: { question: HOSTILE } });
  if (asked.status === 201) {
    const answer = { body: { answer: HOSTILE } };
    await ask(`POST /ServiceRequest/${id}/questions/${asked.body['question_guid']}/answer`, answer);
  }
  assertHarmless(await post({ token }), 'after all of it');
});

test('a body of another type, another size or no form at all is refused without a word of the request', async () => {
  const { token } = await accepted();
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'text/html'])
    assert.equal((await post(`token=${token}`, { 'content-type': type })).status, 415, type);
  const large = await post(`token=${token}&note=${'a'.repeat(70_000)}`);
  assert.equal(large.status, 413);
  for (const body of [
    '',
    '%',
    '%ff=%00',
    `token=${token}&token=x&__proto__=1&constructor=1`,
    `token[]=${token}`,
    'a=1&'.repeat(9_000),
  ])
    assertHarmless(await post(body), body.slice(0, 40));
  const query = await app.inject({ url: `/receipt?token=${token}&lang=en`, headers: { accept: 'text/html' } });
  assert.doesNotMatch(query.payload, new RegExp(token), 'a token in an address is read by nobody');
});

test('a form by link takes the fields of its own request and version, and shows what was typed as text', async () => {
  const [mine, other] = [await accepted(), await accepted()];
  assert.notEqual(mine.form, '', 'the page has a form');
  const opened = await post({ token: mine.token, action: 'form', form: mine.form, go: 'open' });
  assert.equal(opened.status, 200);
  assertHarmless(opened, 'opened');
  const names = [...opened.text.matchAll(/<(?:input|textarea|select)[^>]* name="([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  const own = Object.fromEntries(
    [...opened.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
  const hostile = Object.fromEntries(names.filter((name) => own[name] === undefined).map((name) => [name, HOSTILE]));
  for (const go of ['save', 'check', 'send', 'next', HOSTILE])
    assertHarmless(await post({ ...own, ...hostile, token: mine.token, go }), go);
  for (const fields of [
    { ...own, ...hostile, token: other.token, form: newGuid(), go: 'save' },
    { ...own, token: mine.token, form: 'patients', go: 'open' },
    { ...own, token: mine.token, form: `${mine.form}'--`, go: 'send' },
    { ...own, token: mine.token, version: '-1', go: 'save' },
    { ...own, token: mine.token, version: '99999999999999999999', go: 'save' },
  ])
    assertHarmless(await post(fields), JSON.stringify(fields).slice(0, 120));
  const drafts = await contract.database.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM receipt_draft WHERE request_guid = $1',
    [other.request],
  );
  assert.equal(drafts.rows[0]?.n, 0, 'nothing of it is at another request');
});

test('of fifty clicks at once on each button of the page one counts', async () => {
  const { token, request } = await contract.pushed();
  const click = (fields: Fields) => atOnce(Array.from({ length: 50 }, () => () => post({ token, ...fields })));
  for (const fields of [
    { decision: 'accepted' },
    { action: 'report', progress: 'in_progress' },
    { action: 'report', progress: 'completed' },
  ]) {
    for (const answer of await click(fields)) assert.ok([200, 410].includes(answer.status), String(answer.status));
  }
  const { rows } = await contract.database.query<{ event: string; n: number }>(
    `SELECT event, count(*)::int AS n FROM audit_event
     WHERE resource LIKE $1 AND resource LIKE '%"code":"success"%' AND event ~ 'respond|report|accept' GROUP BY 1 ORDER BY 1`,
    [`%${request}%`],
  );
  assert.deepEqual(rows, [
    { event: 'request.accept', n: 1 },
    { event: 'request.report', n: 2 },
  ]);
});
