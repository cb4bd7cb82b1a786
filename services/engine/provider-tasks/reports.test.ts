// What a provider has reported of a task is read afterwards by it and its staff, and by nobody else.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { auditedAbout } from '#test/support/audit-events.ts';
import { startTestInbox } from '#test/support/engine/engine-inbox.ts';

const { call, database, push, send, clock } = await startTestInbox({ after });
const at = (guid: string, rest = '') => `/provider-tasks/${guid}${rest}`;
const weight = (value: number) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'https://example.org/codes', code: 'weight' }] },
  valueQuantity: { value, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
});

async function accepted() {
  const pushed = await push();
  assert.equal((await call('nurse', 'POST', at(pushed.requestGuid, '/accept'))).status, 200);
  return pushed;
}

async function report(caller: string | undefined, address: string, body: object): Promise<void> {
  const { status, text } = await call(caller, 'POST', at(address, '/report'), body);
  assert.equal(status, 200, text);
  clock.time += 60_000;
}

interface ReportsPage {
  readonly data: ReadonlyArray<{ readonly report_guid: string; readonly observations: readonly unknown[] }>;
  readonly next_cursor: string | null;
}

/** All pages, from one link to the next. */
async function listed(guid: string, perPage: number): Promise<ReportsPage[]> {
  const pages: ReportsPage[] = [];
  for (let path: string | undefined = at(guid, `/reports?per_page=${perPage}`); path !== undefined; ) {
    const { status, body, headers, text }: Awaited<ReturnType<typeof call>> = await call('nurse', 'GET', path);
    assert.equal(status, 200, text);
    pages.push(body);
    path = /^<\/api\/v1(.*)>; rel="next"$/.exec(String(headers['link']))?.[1];
    assert.equal(path === undefined, body.next_cursor === null);
  }
  return pages;
}

test('each report with its time, person, message and resources, the newest first; also for a colleague', async () => {
  const { requestGuid, token } = await accepted();
  const list = (query = '') => call('colleague', 'GET', at(requestGuid, `/reports${query}`));
  assert.deepEqual((await list()).body, { data: [], per_page: 5, next_cursor: null });
  const first = new Date(clock.time).toISOString();
  await report('nurse', requestGuid, { status: 'partial', note: 'Begun' });
  await report('colleague', requestGuid, { status: 'partial', observations: [weight(80.5), weight(81)] });
  await report(undefined, token, { status: 'final', observations: [weight(82)] });
  const { body, text, headers } = await list();
  const [last, middle, begun] = body.data;
  assert.deepEqual([last.status, last.reported_by, last.note], ['final', undefined, null], 'by the token');
  assert.deepEqual([middle.status, middle.reported_by.name], ['partial', 'Bo Dahl']);
  const values = middle.observations.map(({ valueQuantity: { value, unit } }: never) => `${value} ${unit}`);
  assert.deepEqual(values, ['80.5 kg', '81 kg']);
  assert.deepEqual([begun.note, begun.reported_by.name, begun.reported_at], ['Begun', 'Sara Ek', first]);
  assert.deepEqual([begun.observations, begun.questionnaire_responses], [[], []]);
  assert.ok(!text.includes('Provenance'));
  assert.deepEqual([body.next_cursor, headers['link']], [null, undefined]);
  assert.equal(headers['cache-control'], 'private, no-store');
  const shown = (await listed(requestGuid, 1)).map(({ data }) => data.map(({ report_guid: guid }) => guid));
  assert.deepEqual(shown, [[last.report_guid], [middle.report_guid], [begun.report_guid]]);
  const byToken = await call(undefined, 'GET', at(token, '/reports'));
  assert.deepEqual(byToken.body, body);
  const [entry] = await auditedAbout(database, 'provider-task.reports', requestGuid);
  assert.ok(entry.entity.length > 0);
});

test('a value that an administrator has deleted is left out', async () => {
  const { requestGuid } = await accepted();
  await report('nurse', requestGuid, { status: 'partial', observations: [weight(80.5), weight(81)] });
  const { body: listed } = await call('nurse', 'GET', at(requestGuid, '/reports'));
  const [one, two] = listed.data[0].observations;
  assert.equal((await call('admin', 'DELETE', `/Observation/${one.id}`)).status, 204);
  const left = (await call('nurse', 'GET', at(requestGuid, '/reports'))).body.data[0].observations;
  assert.deepEqual(
    left.map(({ id }: { id: string }) => id),
    [two.id],
  );
});

test('nobody else reads them, and of a task that is not accepted, given back or withdrawn nobody does', async () => {
  const { requestGuid, message } = await push();
  assert.equal((await call('nurse', 'GET', at(requestGuid, '/reports'))).status, 409, 'not accepted');
  await call('nurse', 'POST', at(requestGuid, '/accept'));
  await report('nurse', requestGuid, { status: 'partial', note: 'Begun' });
  for (const [caller, status] of [
    ['otherNurse', 404],
    ['otherProvider', 404],
    ['planner', 404],
    ['patient', 404],
    [undefined, 404],
  ] as const)
    assert.equal((await call(caller, 'GET', at(requestGuid, '/reports'))).status, status, `${caller}`);
  for (const query of ['per_page=11', 'cursor=unknown', 'page=1'])
    assert.equal((await call('nurse', 'GET', at(requestGuid, `/reports?${query}`))).status, 400, query);
  await send({ type: 'request.withdrawn', data: { ...message.data, request_guid: requestGuid, reason: 'taken' } });
  assert.equal((await call('nurse', 'GET', at(requestGuid, '/reports'))).status, 409, 'withdrawn');
});

test('a refused report is not among them, and one that is sent twice is there once', async () => {
  const { requestGuid } = await accepted();
  const wrong = { status: 'partial', observations: [{ resourceType: 'Observation', status: 'odd', code: {} }] };
  assert.equal((await call('nurse', 'POST', at(requestGuid, '/report'), wrong)).status, 400);
  const sent = await Promise.all(
    [1, 2, 3].map(() => call('nurse', 'POST', at(requestGuid, '/report'), { status: 'final', note: 'Done' })),
  );
  assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 409, 409]);
  assert.equal((await call('nurse', 'GET', at(requestGuid, '/reports'))).body.data.length, 1);
});

test('a page of large reports ends early', async () => {
  const { requestGuid } = await accepted();
  // Of six megabytes each: one is on a page of ten.
  const long = { ...weight(80), note: Array.from({ length: 60 }, () => ({ text: 'x'.repeat(100_000) })) };
  for (let made = 0; made < 2; made += 1)
    await report('nurse', requestGuid, { status: 'partial', observations: [long] });
  await report('nurse', requestGuid, { status: 'final', observations: [weight(81), weight(82)] });
  const pages = await listed(requestGuid, 10);
  assert.deepEqual(
    pages.map(({ data }) => data.map(({ observations }) => observations.length)),
    [[2, 1], [1]],
  );
  assert.equal(new Set(pages.flatMap(({ data }) => data.map(({ report_guid: guid }) => guid))).size, 3, 'each once');
});
