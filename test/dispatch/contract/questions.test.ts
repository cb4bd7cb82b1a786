// The rows that decisions D2, D3, D4 and D13 add to the contract, each with what it answers and refuses. They are the
// snapshot and matches as they are read, hold and resume, questions and answers, and the link for a provider without a
// system. Who may is held by authorisation.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { INSTANT, PROVIDER, startDispatchContract, UNKNOWN } from '#test/support/dispatch/dispatch-contract.ts';
import { GUID, type Shape } from '#test/support/shape.ts';

const contract = await startDispatchContract({ after });
const { ask, clock, expect, expectFhir, expectPage, pushed, refuse } = contract;
const provider = { as: 'provider' };
const TEXTS = ['', ' \n', 'a\u0000', 'a'.repeat(2001), 1, null];

const question = (request: string): Record<string, Shape> => ({
  question_guid: GUID,
  request_guid: request,
  question: 'Which floor?',
  asked_at: INSTANT,
  answer: null,
  answered_at: null,
});

async function asked(request: string): Promise<string> {
  const { body } = await ask(`POST /requests/${request}/questions`, {
    ...provider,
    body: { question: 'Which floor?' },
  });
  return String(body['question_guid']);
}

/** Pushed, and no longer to be answered. */
async function overdue() {
  const one = await pushed({ respond_by: new Date(clock.now() + 1000).toISOString() });
  const open = await asked(one.request);
  clock.move(1000);
  return { ...one, open };
}

test('GET …/snapshot: 200 with its ETag, of a draft and afterwards; 404', async () => {
  const id = await contract.draft();
  const draft = await ask(`GET /ServiceRequest/${id}/snapshot`);
  assert.deepEqual([draft.status, draft.headers['etag']], [200, 'W/"1"']);
  assert.equal((draft.body['plan_definition'] as { resourceType: string }).resourceType, 'PlanDefinition');
  await expectFhir(`POST /ServiceRequest/${id}/finalize`, {}, 200, 'ServiceRequest');
  assert.deepEqual((await ask(`GET /ServiceRequest/${id}/snapshot`)).body, draft.body);
  for (const other of [UNKNOWN, 'none']) await refuse(`GET /ServiceRequest/${other}/snapshot`, {}, 404, 'not_found');
});

test('GET …/matches: a page in the order in which they were made; 400, 404', async () => {
  const { id, match } = await contract.matched();
  const shape = { match_guid: match, provider_guid: PROVIDER, provider_name: /./, contract_guid: /./, delivery: null };
  await expectPage(`GET /ServiceRequest/${id}/matches`, {}, { ...shape, status: 'pending', updated_at: INSTANT });
  await expect(`GET /ServiceRequest/${id}/matches?page=2`, {}, 200, { data: [], page: 2, per_page: 20, total: 1 });
  await refuse(`GET /ServiceRequest/${id}/matches?per_page=201`, {}, 400, 'validation_error');
  await refuse(`GET /ServiceRequest/${UNKNOWN}/matches`, {}, 404, 'not_found');
});

test('POST …/hold: 200, on hold, and nothing is pushed meanwhile; 400, 404, 409 unless active', async () => {
  const { id } = await contract.matched();
  const held = await expectFhir(`POST /ServiceRequest/${id}/hold`, {}, 200, 'ServiceRequest');
  assert.equal(held.body['status'], 'on-hold');
  for (const address of ['push', 'hold']) await refuse(`POST /ServiceRequest/${id}/${address}`, {}, 409, 'conflict');
  await refuse(`POST /ServiceRequest/${id}/hold`, { body: { more: 1 } }, 400, 'validation_error');
  await refuse(`POST /ServiceRequest/${await contract.draft()}/hold`, {}, 409, 'conflict');
  await refuse(`POST /ServiceRequest/${UNKNOWN}/hold`, {}, 404, 'not_found');
});

test('POST …/resume: 200, active again; 400, 404, 409 unless on hold', async () => {
  const id = await contract.active();
  await refuse(`POST /ServiceRequest/${id}/resume`, {}, 409, 'conflict');
  await ask(`POST /ServiceRequest/${id}/hold`);
  await refuse(`POST /ServiceRequest/${id}/resume`, { body: { more: 1 } }, 400, 'validation_error');
  const { body } = await expectFhir(`POST /ServiceRequest/${id}/resume`, {}, 200, 'ServiceRequest');
  assert.equal(body['status'], 'active');
  await refuse(`POST /ServiceRequest/${UNKNOWN}/resume`, {}, 404, 'not_found');
});

test('POST /requests/{request_guid}/questions: 201; 400, 404, 409 after the end and beyond twenty, 410 when overdue', async () => {
  const { request } = await pushed();
  const address = `POST /requests/${request}/questions`;
  const body = { question: 'Which floor?' };
  await expect(address, { ...provider, body }, 201, question(request));
  for (const text of TEXTS) await refuse(address, { ...provider, body: { question: text } }, 400, 'validation_error');
  for (const other of [UNKNOWN, 'none']) {
    await refuse(`POST /requests/${other}/questions`, { ...provider, body }, 404, 'not_found');
  }
  await refuse(address, { as: 'otherProvider', body }, 404, 'not_found');
  for (let left = 19; left > 0; left -= 1) await ask(address, { ...provider, body });
  await refuse(address, { ...provider, body }, 409, 'conflict');
  const done = await pushed();
  await ask(`PUT /requests/${done.request}/status`, { ...provider, body: { status: 'completed' } });
  await refuse(`POST /requests/${done.request}/questions`, { ...provider, body }, 409, 'conflict');
  await refuse(`POST /requests/${(await overdue()).request}/questions`, { ...provider, body }, 410, 'expired');
});

test('GET /requests/{request_guid}/questions: what was asked, with the answers; 403 without consent, 404, 410 when overdue', async () => {
  const { request } = await pushed();
  await expect(`GET /requests/${request}/questions`, provider, 200, { questions: [] });
  await asked(request);
  const { headers } = await expect(`GET /requests/${request}/questions`, provider, 200, {
    questions: [question(request)],
  });
  assert.equal(headers['cache-control'], 'private, no-store');
  await refuse(`GET /requests/${UNKNOWN}/questions`, provider, 404, 'not_found');
  await refuse(`GET /requests/${request}/questions`, { as: 'otherProvider' }, 404, 'not_found');
  await refuse(`GET /requests/${(await overdue()).request}/questions`, provider, 410, 'expired');
  const consent = { resourceType: 'Consent', id: 'consent-1', status: 'active', subject: { reference: 'Patient/p1' } };
  await ask('PUT /Consent/consent-1', { body: { ...consent, decision: 'deny' } });
  await refuse(`GET /requests/${request}/questions`, provider, 403, 'consent_required');
});

test('GET /ServiceRequest/{id}/questions: a page with who asks, answered or not; 400, 404', async () => {
  const { id, match, request } = await pushed();
  await asked(request);
  const who = { match_guid: match, provider_guid: PROVIDER, provider_name: 'Hemvården' };
  await expectPage(`GET /ServiceRequest/${id}/questions?answered=false`, {}, { ...question(request), ...who });
  const none = { data: [], page: 1, per_page: 20, total: 0 };
  await expect(`GET /ServiceRequest/${id}/questions?answered=true`, {}, 200, none);
  await refuse(`GET /ServiceRequest/${id}/questions?answered=perhaps`, {}, 400, 'validation_error');
  await refuse(`GET /ServiceRequest/${UNKNOWN}/questions`, {}, 404, 'not_found');
});

test('POST …/questions/{question_guid}/answer: 200 and again 200; 400, 404, 409 for another answer, 410 when overdue', async () => {
  const { id, request } = await pushed();
  const address = `POST /ServiceRequest/${id}/questions/${await asked(request)}/answer`;
  for (const text of TEXTS) await refuse(address, { body: { answer: text } }, 400, 'validation_error');
  const answered = { ...question(request), answer: 'The third', answered_at: INSTANT };
  for (const _ of [1, 2]) await expect(address, { body: { answer: 'The third' } }, 200, answered);
  await refuse(address, { body: { answer: 'The fourth' } }, 409, 'conflict');
  for (const other of [UNKNOWN, 'none']) {
    await refuse(`POST /ServiceRequest/${id}/questions/${other}/answer`, { body: { answer: 'x' } }, 404, 'not_found');
  }
  const late = await overdue();
  await refuse(
    `POST /ServiceRequest/${late.id}/questions/${late.open}/answer`,
    { body: { answer: 'x' } },
    410,
    'expired',
  );
});

test('POST …/matches/{match_guid}/link: 200 with the token in its fragment; 400, 404, 409 before the push', async () => {
  const pending = await contract.matched();
  await refuse(`POST /ServiceRequest/${pending.id}/matches/${pending.match}/link`, {}, 409, 'conflict');
  const { id, match, token } = await pushed();
  const { body } = await expect(`POST /ServiceRequest/${id}/matches/${match}/link`, {}, 200, {
    link: /\/receipt#[\w-]{43}$/,
    is_mailed: false,
  });
  assert.notEqual(String(body['link']).split('#')[1], token, 'the token of the feed stays the provider’s');
  await refuse(`POST /ServiceRequest/${id}/matches/${match}/link`, { body: { more: 1 } }, 400, 'validation_error');
  const mailed = { body: { email: 'a@example.org' } };
  await refuse(`POST /ServiceRequest/${id}/matches/${match}/link`, mailed, 422, 'unprocessable');
  for (const other of [UNKNOWN, 'none']) {
    await refuse(`POST /ServiceRequest/${id}/matches/${other}/link`, {}, 404, 'not_found');
  }
});
