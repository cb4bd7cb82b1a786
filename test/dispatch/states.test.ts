// Every event in every state over HTTP, as decision D3 writes it (contract: dispatch, "States and transitions"). It
// moves as written, or is refused with the state in the message and changes nothing. Progress is held by
// contract/providers.test.ts, deliveries by services/dispatch/deliveries/.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PLAN } from '#services/dispatch/testing/samples.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { fifty } from '#test/support/system/at-once.ts';

const contract = await startDispatchContract({ after });
const { ask, clock, pushed, respond } = contract;
await contract.pushed();

type State = 'draft' | 'active' | 'on-hold' | 'revoked' | 'completed' | 'archived';
const STATES: readonly State[] = ['draft', 'active', 'on-hold', 'revoked', 'completed', 'archived'];

const move = async (id: string, operation: string) => {
  const answer = await ask(`POST /ServiceRequest/${id}/${operation}`);
  assert.equal(answer.status, 200, answer.text);
};
const report = (request: string, status: string) =>
  ask(`PUT /requests/${request}/status`, { as: 'provider', body: { status } });

async function requestIn(state: State): Promise<string> {
  switch (state) {
    case 'draft':
      return contract.draft();
    case 'completed': {
      const { id, request } = await pushed();
      await report(request, 'completed');
      return id;
    }
    case 'archived': {
      const id = await contract.draft();
      await move(id, 'archive');
      return id;
    }
    default: {
      const { id } = await contract.matched();
      if (state === 'on-hold') await move(id, 'hold');
      if (state === 'revoked') await move(id, 'revoke');
      return id;
    }
  }
}

/**
 * One cell for each of STATES: the status that the request has then, or `-` for a refusal. With one pending match where
 * it is active.
 */
const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  'PUT snapshot': ['draft', '-', '-', '-', '-', '-'],
  'POST forms/reorder': ['draft', '-', '-', '-', '-', '-'],
  'POST finalize': ['active', '-', '-', '-', '-', '-'],
  'POST match': ['-', 'active', '-', '-', '-', '-'],
  'POST push': ['-', 'active', '-', '-', '-', '-'],
  'POST hold': ['-', 'on-hold', '-', '-', '-', '-'],
  'POST resume': ['-', '-', 'active', '-', '-', '-'],
  'POST revoke': ['revoked', 'revoked', 'revoked', '-', '-', '-'],
  // A pending match keeps the active one open; what was archived is a draft still.
  'POST archive': ['draft', '-', '-', 'revoked', 'completed', 'draft'],
};
const BODIES: Readonly<Record<string, object>> = {
  'PUT snapshot': { plan_definition: PLAN },
  'POST forms/reorder': { ordered_guids: [] },
};

for (const [event, cells] of Object.entries(REQUESTS)) {
  test(`ServiceRequest: ${event} in every state`, async () => {
    for (const [index, state] of STATES.entries()) {
      const id = await requestIn(state);
      const before = await ask(`GET /ServiceRequest/${id}`);
      const [method, operation] = event.split(' ');
      const answer = await ask(`${method} /ServiceRequest/${id}/${operation}`, { body: BODIES[event] ?? {} });
      const now = await ask(`GET /ServiceRequest/${id}`);
      if (cells[index] === '-') {
        assert.equal(answer.status, 409, `${event} of ${state}: ${answer.text}`);
        assert.ok(answer.text.includes(state), answer.text);
        assert.equal(now.text, before.text, `${event} of ${state} changed it`);
      } else {
        assert.ok(answer.status === 200 || answer.status === 202, `${event} of ${state}: ${answer.text}`);
        assert.equal(now.body['status'], cells[index], `${event} of ${state}`);
      }
    }
  });
}

type MatchState = 'pending' | 'pushed' | 'accepted' | 'rejected' | 'withdrawn' | 'expired';
const MATCH_STATES: readonly MatchState[] = ['pending', 'pushed', 'accepted', 'rejected', 'withdrawn', 'expired'];

async function matchIn(state: MatchState) {
  if (state === 'pending') return { ...(await contract.matched()), token: 'none', request: 'none' };
  const deadline = { respond_by: new Date(clock.now() + 1000).toISOString() };
  const made = await pushed(state === 'expired' ? deadline : {});
  if (state === 'accepted' || state === 'rejected') await respond(made.token, state);
  if (state === 'withdrawn') await move(made.id, 'revoke');
  if (state === 'expired') {
    clock.move(2000);
    await respond(made.token, 'accepted');
  }
  return made;
}

/** One cell for each of MATCH_STATES: the state then, or the status of the refusal. */
const MATCHES: Readonly<Record<string, readonly (string | number)[]>> = {
  push: ['pushed', 409, 409, 409, 409, 409],
  accept: [404, 'accepted', 'accepted', 409, 410, 410],
  reject: [404, 'rejected', 409, 'rejected', 410, 410],
  revoke: ['withdrawn', 'withdrawn', 409, 'rejected', 409, 'expired'],
  acknowledged: [404, 'pushed', 'accepted', 409, 409, 409],
  in_progress: [404, 'accepted', 'accepted', 409, 409, 409],
};

for (const [event, cells] of Object.entries(MATCHES)) {
  test(`Match: ${event} in every state`, async () => {
    for (const [index, state] of MATCH_STATES.entries()) {
      const made = await matchIn(state);
      assert.equal(await stateOf(made.id), state);
      const answer = await perform(event, made);
      const cell = cells[index];
      const isRefused = typeof cell === 'number';
      if (isRefused) assert.equal(answer.status, cell, `${event} of ${state}: ${answer.text}`);
      else assert.ok(answer.status === 200 || answer.status === 202, `${event} of ${state}: ${answer.text}`);
      assert.equal(await stateOf(made.id), isRefused ? state : cell, `${event} of ${state}`);
    }
  });
}

async function stateOf(id: string): Promise<string> {
  const { body } = await ask(`GET /ServiceRequest/${id}/matches`);
  return String((body['data'] as { status: string }[])[0]?.status);
}

function perform(event: string, made: { id: string; match: string; token: string; request: string }) {
  switch (event) {
    case 'push':
      return ask(`POST /ServiceRequest/${made.id}/push/${made.match}`);
    case 'accept':
      return respond(made.token, 'accepted');
    case 'reject':
      return respond(made.token, 'rejected');
    case 'revoke':
      return ask(`POST /ServiceRequest/${made.id}/revoke`);
    default:
      return report(made.request, event);
  }
}

test('what a provider turns down is not sent to it any more, nor is work that it gave up', async () => {
  const endpoint = { url: 'http://127.0.0.1:8083/inbox', enabled: false };
  await ask('PUT /providers/provider-1/endpoint', { as: 'admin', body: endpoint });
  for (const turnDown of [
    async ({ token }: { token: string }) => respond(token, 'rejected'),
    async ({ request }: { request: string }) => report(request, 'rejected'),
    async ({ token, request }: { token: string; request: string }) => {
      await respond(token, 'accepted');
      return report(request, 'rejected');
    },
  ]) {
    const made = await pushed();
    assert.equal((await turnDown(made)).status, 200);
    const { body } = await ask(`GET /deliveries?request_guid=${made.request}`, { as: 'admin' });
    const found = (body['data'] as { status: string; cancelled_reason: string }[]).map((each) => [
      each.status,
      each.cancelled_reason,
    ]);
    assert.deepEqual(found, [['cancelled', 'rejected']]);
  }
  await ask('DELETE /providers/provider-1/endpoint', { as: 'admin' });
});

test('fifty finalize, push, hold, revoke and archive one request: each effect once, and one end', async () => {
  const id = await contract.draft();
  const events = ['finalize', 'match', 'push', 'hold', 'revoke', 'archive', 'resume'];
  const answers = await fifty((index) => ask(`POST /ServiceRequest/${id}/${events[index % events.length]}`));
  assert.ok(
    answers.every(({ status }) => [200, 202, 409].includes(status)),
    String(answers.map(({ status }) => status)),
  );
  const finalized = answers.filter(
    ({ status }, index) => status === 200 && events[index % events.length] === 'finalize',
  );
  assert.ok(finalized.length <= 1);
  const { body } = await ask(`GET /ServiceRequest/${id}`);
  assert.ok(['draft', 'active', 'on-hold', 'revoked'].includes(String(body['status'])));
});
