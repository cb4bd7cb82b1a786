// Concurrent actions of providers, requesters and the clock on the same requests (decisions D3, D10, D11, D13). There
// is one outcome for all, and a feed that misses no committed change.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { type Answer, createSendingBench } from '../testing/sending-bench.ts';
import { requestStatus } from './status.ts';

const bench = await createSendingBench({ after });
const { call, clock, db, respond } = bench;

interface Item {
  readonly request_guid: string;
  readonly receipt_token: string;
  readonly status: string;
}

function newProvider(): string {
  const guid = newGuid();
  bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  return guid;
}

const feedOf = async (provider: string, cursor?: string): Promise<Answer['body']> =>
  (await call(provider, 'GET', `/api/v1/requests?limit=5${cursor === undefined ? '' : `&cursor=${cursor}`}`)).body;
const push = (id: string, options: object = {}) =>
  call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options);
const report = (provider: string, request: string, status: string) =>
  call(provider, 'PUT', `/api/v1/requests/${request}/status`, { status });

/** The status of a request that its provider should see. */
async function statusOf(id: string): Promise<string> {
  const [match] = await bench.matches(id);
  assert.ok(match !== undefined && match.status !== 'pending');
  return requestStatus(match.status, match.progress);
}

test('at the deadline a request is either accepted or expired, the same for all', async () => {
  for (let round = 0; round < 8; round += 1) {
    const provider = newProvider();
    const { id } = await bench.request([provider]);
    await push(id, { respond_by: new Date(clock.time + 1000).toISOString() });
    const { requests, next_cursor: cursor } = await feedOf(provider);
    const { receipt_token: token } = requests[0] as Item;
    // In every other round the first acceptance is sent before the deadline.
    const inTime = Array.from({ length: round % 2 }, () => respond(token, 'accepted'));
    const expiry = Promise.resolve().then(() => {
      clock.time += 1000;
      return Promise.all([bench.sending.expireOverdue(), bench.sending.expireOverdue()]);
    });
    const late = atOnce(Array.from({ length: 6 }, () => () => respond(token, 'accepted')));
    const answers = [...(await Promise.all(inTime)), ...(await late)];
    await expiry;
    const status = await statusOf(id);
    assert.ok(status === 'accepted' || status === 'expired');
    assert.ok(answers.every((answer) => answer.status === (status === 'accepted' ? 200 : 410)));
    const news = (await feedOf(provider, cursor)).requests;
    assert.deepEqual(
      news.map((item: Item) => item.status),
      [status],
      'it is reported once',
    );
    const { rows } = await db.query<{ n: number }>(
      `SELECT count(*) AS n FROM audit_event WHERE resource ~ 'request\\.(accept|expire)' AND resource LIKE $1`,
      [`%ServiceRequest/${id}%`],
    );
    assert.ok(Number(rows[0]?.n) <= 1, 'of acceptance and expiry one is on record');
  }
});

test('a reader of the feed beside concurrent changes has the final state in the end', async () => {
  const provider = newProvider();
  const drafts: string[] = [];
  for (let count = 0; count < 24; count += 1) drafts.push((await bench.request([provider])).id);
  let isWriting = true;
  const writers = Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      for (let index = writer; index < drafts.length; index += 4) await work(provider, drafts[index] ?? '', index);
    }),
  ).finally(() => {
    isWriting = false;
  });
  const readers = await Promise.all([0, 1, 2].map(() => follow(provider, () => isWriting)));
  await writers;
  const expected = new Map<string, string>();
  for (const id of drafts) {
    const [match] = await bench.matches(id);
    expected.set(String(match?.requestGuid), await statusOf(id));
  }
  assert.deepEqual([...new Set(expected.values())].sort(), ['accepted', 'completed', 'in_progress', 'rejected']);
  for (const seen of readers) assert.deepEqual([...seen].sort(), [...expected].sort());
});

/** Moves one request from its push to a state chosen by its index. */
async function work(provider: string, id: string, index: number): Promise<void> {
  assert.equal((await push(id)).status, 202);
  const [match] = await bench.matches(id);
  const request = String(match?.requestGuid);
  const asked = await call(provider, 'POST', `/api/v1/requests/${request}/questions`, { question: 'Which floor?' });
  const answer = `/api/v1/ServiceRequest/${id}/questions/${asked.body.question_guid}/answer`;
  const moves = [['accepted'], ['rejected'], ['in_progress'], ['acknowledged', 'completed']][index % 4] ?? [];
  const { body } = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/matches/${match?.matchGuid}/link`);
  const token = String(body.link).split('#')[1] ?? '';
  await Promise.all([
    call('planner', 'POST', answer, { answer: 'The third' }),
    (async () => {
      for (const status of moves) {
        const isAnswer = status === 'accepted' || status === 'rejected';
        const moved = isAnswer ? await respond(token, status) : await report(provider, request, status);
        assert.equal(moved.status, 200);
      }
    })(),
  ]);
}

/** Reads the feed during the writes; returns the last status of each request. */
async function follow(provider: string, isWriting: () => boolean): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  let cursor: string | undefined;
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting();
    const page = await feedOf(provider, cursor);
    for (const item of page.requests as Item[]) seen.set(item.request_guid, item.status);
    cursor = page.next_cursor;
    isLast &&= !page.has_more;
  }
  return seen;
}
