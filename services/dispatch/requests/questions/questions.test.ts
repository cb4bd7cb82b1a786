// Questions and answers over HTTP (decision D13): permissions, states, races, and how an answer reaches the provider.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { atOnce, fifty } from '#test/support/system/at-once.ts';
import { createSendingBench } from '../../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { app, call, clock, db, respond } = bench;

interface Pushed {
  readonly id: string;
  readonly patientGuid: string;
  readonly requests: readonly { readonly provider: string; readonly request: string; readonly token: string }[];
}

async function pushed(providers = 1, options: object = {}): Promise<Pushed> {
  const guids = Array.from({ length: providers }, () => newGuid());
  for (const guid of guids) bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  const { id, patientGuid } = await bench.request(guids);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options);
  const requests = [];
  for (const provider of guids) {
    const [item] = (await call(provider, 'GET', '/api/v1/requests')).body.requests;
    requests.push({ provider, request: String(item.request_guid), token: String(item.receipt_token) });
  }
  return { id, patientGuid, requests };
}

const ask = (caller: string | undefined, request: string, question = 'Vilken våning?') =>
  call(caller, 'POST', `/api/v1/requests/${request}/questions`, { question });
const read = (caller: string | undefined, request: string) =>
  call(caller, 'GET', `/api/v1/requests/${request}/questions`);
const answer = (caller: string | undefined, id: string, question: string, text = 'Tredje') =>
  call(caller, 'POST', `/api/v1/ServiceRequest/${id}/questions/${question}/answer`, { answer: text });
const asked = (caller: string | undefined, id: string, query = '') =>
  call(caller, 'GET', `/api/v1/ServiceRequest/${id}/questions${query}`);

test('a question reaches the requester, and its answer the provider, whose feed says that there is something new', async () => {
  const { id, requests } = await pushed(2);
  const { provider, request } = requests[0]!;
  const first = await ask(provider, request);
  assert.equal(first.status, 201, JSON.stringify(first.body));
  const question = first.body.question_guid;
  assert.deepEqual(first.body, {
    question_guid: question,
    request_guid: request,
    question: 'Vilken våning?',
    asked_at: '2026-06-15T12:00:00.000Z',
    answer: null,
    answered_at: null,
  });
  const list = await asked('planner', id);
  const [match] = (await bench.matches(id)).filter(({ requestGuid }) => requestGuid === request);
  assert.deepEqual(list.body, {
    data: [
      { ...first.body, match_guid: match?.matchGuid, provider_guid: provider, provider_name: match?.providerName },
    ],
    page: 1,
    per_page: 20,
    total: 1,
  });
  const { next_cursor: cursor } = (await call(provider, 'GET', '/api/v1/requests')).body;
  const { next_cursor: otherCursor } = (await call(requests[1]!.provider, 'GET', '/api/v1/requests')).body;
  const answered = await answer('planner', id, question);
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  assert.deepEqual(answered.body, { ...first.body, answer: 'Tredje', answered_at: '2026-06-15T12:00:00.000Z' });
  const news = (await call(provider, 'GET', `/api/v1/requests?cursor=${cursor}`)).body.requests;
  assert.deepEqual(
    news.map((item: { request_guid: string }) => item.request_guid),
    [request],
  );
  assert.deepEqual((await read(provider, request)).body, { questions: [answered.body] });
  const otherNews = await call(requests[1]!.provider, 'GET', `/api/v1/requests?cursor=${otherCursor}`);
  assert.deepEqual(otherNews.body.requests, [], 'it is no matter of the other provider');
  assert.deepEqual((await read(requests[1]!.provider, requests[1]!.request)).body, { questions: [] });
  assert.deepEqual((await asked('planner', id, '?answered=false')).body.total, 0);
  assert.deepEqual((await asked('planner', id, '?answered=true')).body.total, 1);
});

test('a provider asks about its own requests alone, planners answer, patients read; nobody learns what others have', async () => {
  const { id, requests } = await pushed(2);
  const { provider, request } = requests[0]!;
  const question = (await ask(provider, request)).body.question_guid;
  const stranger = requests[1]!.provider;
  assert.equal((await ask(stranger, request)).status, 404);
  assert.equal((await read(stranger, request)).status, 404);
  assert.equal((await ask(provider, newGuid())).status, 404);
  assert.equal((await ask(provider, 'none')).status, 404);
  assert.equal((await ask('admin', request)).status, 201);
  for (const caller of ['planner', 'patient', 'service'])
    assert.equal((await ask(caller, request)).status, 403, caller);
  assert.equal((await ask(undefined, request)).status, 401);
  for (const caller of [provider, 'patient']) assert.equal((await answer(caller, id, question)).status, 403, caller);
  bench.callers['elsewhere'] = makePrincipal(['clinician'], {
    organisationGuids: [newGuid()],
    phases: new Set(['planning']),
  });
  assert.equal((await answer('elsewhere', id, question)).status, 404);
  assert.equal((await asked('elsewhere', id)).status, 404);
  assert.equal((await answer('planner', id, newGuid())).status, 404);
  assert.equal((await answer('planner', id, 'none')).status, 404);
  const { id: another } = await pushed();
  assert.equal((await answer('planner', another, question)).status, 404);
});

test('text that says nothing, is too long or cannot be stored is refused by name', async () => {
  const { id, requests } = await pushed();
  const { provider, request } = requests[0]!;
  const question = (await ask(provider, request)).body.question_guid;
  for (const text of ['', ' \n', 'a\u0000', 'a'.repeat(2001)]) {
    const wrong = [await ask(provider, request, text), await answer('planner', id, question, text)];
    assert.deepEqual(
      wrong.map(({ status }) => status),
      [400, 400],
      JSON.stringify(text.slice(0, 3)),
    );
    assert.deepEqual(
      wrong.map(({ body }) => /'(\w+)'/.exec(body.message)?.[1]),
      ['question', 'answer'],
    );
  }
});

test('in each state a question and an answer are taken or refused as the state says', async () => {
  const outcomes: Record<string, unknown> = {};
  const states: Record<string, (pushedOne: Pushed) => Promise<unknown>> = {
    pushed: async () => undefined,
    acknowledged: ({ requests: [own] }) =>
      call(own!.provider, 'PUT', `/api/v1/requests/${own!.request}/status`, { status: 'acknowledged' }),
    accepted: ({ requests: [own] }) => respond(own!.token, 'accepted'),
    in_progress: ({ requests: [own] }) =>
      call(own!.provider, 'PUT', `/api/v1/requests/${own!.request}/status`, { status: 'in_progress' }),
    completed: ({ requests: [own] }) =>
      call(own!.provider, 'PUT', `/api/v1/requests/${own!.request}/status`, { status: 'completed' }),
    rejected: ({ requests: [own] }) => respond(own!.token, 'rejected'),
    taken: ({ requests: [, other] }) => respond(other!.token, 'accepted'),
    overdue: async () => {
      clock.time += 2000;
    },
  };
  for (const [state, reach] of Object.entries(states)) {
    const respondBy = new Date(clock.time + 1000).toISOString();
    const one = await pushed(2, { selection: 'first', ...(state === 'overdue' ? { respond_by: respondBy } : {}) });
    const { provider, request } = one.requests[0]!;
    const open = (await ask(provider, request)).body.question_guid;
    await reach(one);
    const shown = [await ask(provider, request), await read(provider, request), await answer('planner', one.id, open)];
    outcomes[state] = shown.map(({ status, body }) => (status < 300 ? status : `${status} ${body.error}`));
  }
  const open = [201, 200, 200];
  assert.deepEqual(outcomes, {
    pushed: open,
    acknowledged: open,
    accepted: open,
    in_progress: open,
    completed: ['409 conflict', 200, '409 conflict'],
    rejected: ['409 conflict', '409 conflict', '409 conflict'],
    taken: ['409 already_taken', '409 already_taken', '409 already_taken'],
    overdue: ['410 expired', '410 expired', '410 expired'],
  });
});

test('the requester answers no question of an overdue request, though nobody has recorded that it is', async () => {
  const respondBy = new Date(clock.time + 1000).toISOString();
  const { id, requests } = await pushed(1, { respond_by: respondBy });
  const { provider, request } = requests[0]!;
  const first = (await ask(provider, request)).body.question_guid;
  const second = (await ask(provider, request, 'And the door?')).body.question_guid;
  clock.time += 999;
  assert.equal((await answer('planner', id, first)).status, 200, 'until then');
  clock.time += 1;
  assert.equal((await bench.matches(id))[0]?.status, 'pushed', 'nobody has come by');
  const providers = await read(provider, request);
  assert.deepEqual([providers.status, providers.body.error], [410, 'expired'], 'nor does the provider read on');
  const late = await answer('planner', id, second);
  assert.deepEqual([late.status, late.body.error], [410, 'expired']);
  assert.equal((await bench.matches(id))[0]?.status, 'expired', 'which is recorded with the refusal');
  assert.equal((await answer('planner', id, first)).status, 200, 'the same answer again changes nothing');
  const { body } = await asked('planner', id);
  assert.deepEqual(
    body.data.map((each: { answer: string | null }) => each.answer === null),
    [false, true],
  );
});

test('of fifty answers at once one counts, the same again is 200, another 409', async () => {
  const { id, requests } = await pushed();
  const { provider, request } = requests[0]!;
  const question = (await ask(provider, request)).body.question_guid;
  const answers = await fifty((index) => answer('planner', id, question, `Våning ${index % 5}`));
  const [shown] = (await read(provider, request)).body.questions;
  assert.match(shown.answer, /^Våning [0-4]$/);
  assert.equal(answers.filter(({ status }) => status === 200).length, 10, 'those that say the same');
  assert.equal(answers.filter(({ status, body }) => status === 409 && body.error === 'conflict').length, 40);
  assert.ok(answers.every(({ status, body }) => status !== 200 || body.answer === shown.answer));
  const { rows } = await db.query<{ n: number }>(
    `SELECT count(*) AS n FROM audit_event WHERE resource LIKE '%request.answer-question%' AND resource LIKE $1`,
    [`%${request}%`],
  );
  assert.equal(Number(rows[0]?.n), 1, 'one of them did something');
});

test('of fifty questions at once twenty are taken', async () => {
  const { requests } = await pushed();
  const { provider, request } = requests[0]!;
  const answers = await fifty((index) => ask(provider, request, `Fråga ${index}`));
  assert.deepEqual(
    [201, 409].map((code) => answers.filter(({ status }) => status === code).length),
    [20, 30],
  );
  assert.equal((await read(provider, request)).body.questions.length, 20);
});

test('questions and answers that race with the choice of another provider are taken before it or refused after it', async () => {
  const { id, requests } = await pushed(2, { selection: 'first' });
  const [own, other] = requests;
  const question = (await ask(own!.provider, own!.request)).body.question_guid;
  const [taken, ...answers] = await atOnce([
    () => respond(other!.token, 'accepted'),
    ...Array.from({ length: 10 }, (_, index) => () => ask(own!.provider, own!.request, `Fråga ${index}`)),
    ...Array.from({ length: 10 }, () => () => answer('planner', id, question)),
  ]);
  assert.equal(taken?.status, 200);
  assert.ok(answers.every(({ status, body }) => status < 300 || body.error === 'already_taken'));
  const { rows } = await db.query<{ n: number }>('SELECT count(*) AS n FROM request_question WHERE request_guid = $1', [
    own!.request,
  ]);
  assert.equal(Number(rows[0]?.n), 1 + answers.filter(({ status }) => status === 201).length);
});

test('without consent the provider reads no answers; given again it reads them', async () => {
  const { id, patientGuid, requests } = await pushed();
  const { provider, request } = requests[0]!;
  await answer('planner', id, (await ask(provider, request)).body.question_guid);
  const denial = {
    resourceType: 'Consent',
    id: newGuid(),
    status: 'active',
    subject: { reference: `Patient/${patientGuid}` },
    decision: 'deny',
  };
  await bench.put(denial);
  const refused = await read(provider, request);
  assert.deepEqual([refused.status, refused.body.error], [403, 'consent_required']);
  await bench.put({ ...denial, status: 'inactive' });
  assert.equal((await read(provider, request)).body.questions[0].answer, 'Tredje');
});

test('a provider without a system asks and reads the answer at its page', async () => {
  const { id, requests } = await pushed();
  const { token, request } = requests[0]!;
  const post = async (fields: Readonly<Record<string, string>>) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const payload = new URLSearchParams({ token, ...fields }).toString();
    const page = await app.inject({ method: 'POST', url: '/receipt', headers, payload });
    return { status: page.statusCode, text: page.payload };
  };
  const empty = await post({ action: 'ask', question: ' ' });
  assert.equal(empty.status, 400);
  assert.match(empty.text, /id="question-error">Skriv er fråga\./);
  assert.match(empty.text, /autofocus.*<a href="#question">Skriv er fråga\.<\/a>.*<h1>/s, 'at the top, too');
  const sent = await post({ action: 'ask', question: 'Finns <hiss>?' });
  assert.equal(sent.status, 200);
  assert.match(sent.text, /<dt>Finns &lt;hiss&gt;\?<\/dt><dd>Inte besvarad än\.<\/dd>/);
  assert.match(sent.text, /role="status">Frågan är skickad\..*<h1>/s);
  assert.doesNotMatch((await post({})).text, /Frågan är skickad/);
  const again = await post({ action: 'ask', question: 'Finns <hiss>?' });
  assert.equal(again.status, 200);
  assert.equal((await read('admin', request)).body.questions.length, 1, 'a page that is sent again asks once');
  const [question] = (await read('admin', request)).body.questions;
  await answer('planner', id, question.question_guid, 'Ja');
  assert.match((await post({})).text, /<dt>Finns &lt;hiss&gt;\?<\/dt><dd>Ja<\/dd>/);
  await respond(token, 'rejected');
  const late = await post({ action: 'ask', question: 'Och nu?' });
  assert.equal(late.status, 409);
  assert.doesNotMatch(late.text, /hiss/);
});
