// The provider feed (D10): in commit order, without gap or double during writes, and only with consent.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { createSendingBench } from '../../testing/sending-bench.ts';
import { readCursor, writeCursor } from './feed-cursor.ts';

const bench = await createSendingBench({ after });
const { call, clock } = bench;

function newProvider(): string {
  const guid = newGuid();
  bench.callers[guid] = makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid });
  return guid;
}

async function push(providers: readonly string[]): Promise<string> {
  const { id } = await bench.request(providers);
  assert.equal((await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`)).status, 202);
  return id;
}

interface Item {
  request_guid: string;
  service_request_id: string;
  status: string;
  receipt_token: string;
  bundle: { resourceType: string; entry: { resource: { id: string } }[] } | null;
}

const read = (provider: string, query = '') =>
  call(provider, 'GET', `/api/v1/requests?provider_guid=${provider}${query}`);

test('what was not answered in time is expired and without its bundle from then on, and comes again when that is recorded', async () => {
  const provider = newProvider();
  const { id } = await bench.request([provider]);
  const respondBy = new Date(clock.time + 1000).toISOString();
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, { respond_by: respondBy });
  const shown = async (query = '') => {
    const { body } = await read(provider, query);
    return [body.requests.map(({ status, bundle }: Item) => [status, bundle === null]), body.next_cursor];
  };
  clock.time += 999;
  assert.deepEqual((await shown())[0], [['pushed', false]]);
  clock.time += 1;
  const [items, cursor] = await shown();
  assert.deepEqual(items, [['expired', true]]);
  assert.equal((await bench.matches(id))[0]?.status, 'pushed', 'nobody has come by');
  await bench.sending.expireOverdue();
  assert.deepEqual((await shown(`&cursor=${cursor}`))[0], [['expired', true]]);
});

test('an item has the fields of decision D10, and the token answers the request', async () => {
  const provider = newProvider();
  const id = await push([provider]);
  const { status, body, headers } = await read(provider);
  assert.equal(status, 200);
  assert.equal(headers['cache-control'], 'private, no-store');
  assert.deepEqual(Object.keys(body), ['requests', 'next_cursor', 'has_more']);
  const [item] = body.requests;
  const fields = [
    'request_guid',
    'service_request_id',
    'status',
    'receipt_token',
    'bundle',
    'dispatched_at',
    'updated_at',
  ];
  assert.deepEqual(Object.keys(item), fields);
  assert.deepEqual([item.service_request_id, item.status], [id, 'pushed']);
  assert.equal(item.bundle.entry[0].resource.id, id);
  const url = `/api/v1/ServiceRequest/receipt/${item.receipt_token}/respond`;
  assert.equal((await call(undefined, 'POST', url, { decision: 'accepted' })).status, 200);
  const changed = await read(provider, `&cursor=${body.next_cursor}`);
  assert.deepEqual(
    changed.body.requests.map((entry: Item) => [entry.request_guid, entry.status]),
    [[item.request_guid, 'accepted']],
    'a request is at the place of its latest change',
  );
  assert.equal((await read(provider)).body.requests.length, 1);
});

test('pages follow each other by cursor; the last one’s cursor waits for what comes', async () => {
  const provider = newProvider();
  const ids = [];
  for (let count = 0; count < 5; count += 1) ids.push(await push([provider]));
  const seen: string[] = [];
  let query = '&limit=2';
  for (;;) {
    const { body } = await read(provider, query);
    seen.push(...body.requests.map((item: Item) => item.service_request_id));
    query = `&limit=2&cursor=${body.next_cursor}`;
    if (!body.has_more) break;
  }
  assert.deepEqual(seen, ids);
  assert.deepEqual((await read(provider, query)).body.requests, []);
  const later = await push([provider]);
  assert.deepEqual(
    (await read(provider, query)).body.requests.map((item: Item) => item.service_request_id),
    [later],
  );
});

test('since leaves out what has not changed since', async () => {
  const provider = newProvider();
  await push([provider]);
  clock.time += 60_000;
  const since = new Date(clock.time).toISOString();
  const second = await push([provider]);
  const { body } = await read(provider, `&since=${since}`);
  assert.deepEqual(
    body.requests.map((item: Item) => item.service_request_id),
    [second],
  );
});

test('a provider reads its own feed alone; administrators any; services none; a foreign cursor is refused', async () => {
  const [own, other] = [newProvider(), newProvider()];
  await push([own, other]);
  assert.equal((await call(own, 'GET', '/api/v1/requests')).body.requests.length, 1);
  const foreign = await call(own, 'GET', `/api/v1/requests?provider_guid=${other}`);
  assert.deepEqual([foreign.status, foreign.body.error], [403, 'forbidden']);
  assert.equal((await call('admin', 'GET', `/api/v1/requests?provider_guid=${other}`)).status, 200);
  assert.equal((await call('service', 'GET', `/api/v1/requests?provider_guid=${other}`)).status, 403);
  assert.equal((await call('admin', 'GET', '/api/v1/requests')).status, 400);
  assert.equal((await call('planner', 'GET', `/api/v1/requests?provider_guid=${other}`)).status, 403);
  assert.equal((await call(undefined, 'GET', '/api/v1/requests')).status, 401);
  const { body } = await read(other);
  for (const cursor of [body.next_cursor, 'nonsense', writeCursor(own, 1).slice(1)]) {
    assert.equal((await read(own, `&cursor=${cursor}`)).status, 400, cursor);
  }
  assert.equal((await read(own, '&limit=201')).status, 400);
  assert.equal((await read(own, '&since=yesterday')).status, 400);
});

test('a cursor reads back what was written', () => {
  assert.equal(readCursor('p.1', writeCursor('p.1', 7)), 7);
});

test('without consent the request is listed without its bundle; with consent it has one again', async () => {
  const provider = newProvider();
  const { id, patientGuid } = await bench.request([provider]);
  await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
  const denial = { resourceType: 'Consent', id: newGuid(), subject: { reference: `Patient/${patientGuid}` } };
  await bench.put({ ...denial, status: 'active', decision: 'deny' });
  const refused: Item = (await read(provider)).body.requests[0];
  assert.equal(refused.bundle, null);
  assert.ok(refused.receipt_token);
  await bench.put({ ...denial, status: 'inactive', decision: 'deny' });
  assert.ok((await read(provider)).body.requests[0].bundle);
});

test('a reader beside many writers reads every request once and in order', async () => {
  const provider = newProvider();
  const [others, expected] = [Array.from({ length: 4 }, newProvider), 60];
  const drafts: { id: string }[] = [];
  for (let count = 0; count < expected; count += 1) {
    drafts.push(await bench.request([provider, others[count % 4] ?? provider]));
  }
  let isWriting = true;
  const writers = Promise.all(
    [0, 1, 2, 3, 4, 5].map(async (writer) => {
      for (let index = writer; index < expected; index += 6) {
        const answer = await call('planner', 'POST', `/api/v1/ServiceRequest/${drafts[index]?.id}/push`);
        assert.equal(answer.status, 202);
      }
    }),
  ).finally(() => {
    isWriting = false;
  });
  const seen: string[] = [];
  let cursor = '';
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting;
    const { body } = await read(provider, `&limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...body.requests.map((item: Item) => item.service_request_id));
    cursor = body.next_cursor;
    isLast &&= !body.has_more;
  }
  await writers;
  assert.equal(seen.length, expected);
  assert.deepEqual([...seen].sort(), drafts.map(({ id }) => id).sort());
});

test('large bundles make shorter pages, and the reader still reaches the end', async () => {
  const provider = newProvider();
  const pushed: string[] = [];
  for (let count = 0; count < 4; count += 1) pushed.push(await push([provider]));
  await bench.db.query(
    `UPDATE push_bundle SET content = content || repeat(' ', 7 * 1024 * 1024) WHERE service_request_id = ANY($1::uuid[])`,
    [pushed],
  );
  const seen: string[] = [];
  const sizes: number[] = [];
  let query = '&limit=200';
  for (let isMore = true; isMore; ) {
    const { body } = await read(provider, query);
    sizes.push(body.requests.length);
    seen.push(...body.requests.map((item: Item) => item.service_request_id));
    query = `&limit=200&cursor=${body.next_cursor}`;
    isMore = body.has_more;
  }
  assert.deepEqual([seen, sizes], [pushed, [3, 1]]);
});

test('an invalid cursor, time and limit are reported together', async () => {
  const provider = newProvider();
  const { status, body } = await read(provider, '&cursor=x&since=0001-01-01T00:00:00Z&limit=0');
  assert.equal(status, 400);
  const shown = body.messages.join('\n');
  for (const field of ["'cursor'", "'since'", "'limit'"]) assert.ok(shown.includes(field), shown);
  const others = await call(provider, 'GET', `/api/v1/requests?provider_guid=${newProvider()}&cursor=x`);
  assert.equal(others.status, 403, "nothing of another's feed is shown");
});

test('an invalid occurred_at is reported together with all other errors of a report', async () => {
  const provider = newProvider();
  for (const occurredAt of ['0001-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
    const body = { status: 'done', occurred_at: occurredAt, by: 'me' };
    const answer = await call(provider, 'PUT', `/api/v1/requests/${newGuid()}/status`, body);
    assert.equal(answer.status, 400);
    const shown = answer.body.messages.join('\n');
    for (const field of ["'status'", "'occurred_at'", "'by'"]) assert.ok(shown.includes(field), shown);
  }
});
