// Synchronisation with an external server (contract: engine, POST /synchronize; decision E11). The server is a second
// engine.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { eventually } from '#test/support/http.ts';

const far = await startTestEngine({ after });
const farUrl = `${await far.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
const near = await startTestEngine({ after }, { serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] } });
const { call, engine, database } = near;
await engine.start();

let made = 0;
/** Each test has a server of its own name, and types of its own: what is linked in one is not in another. */
async function register(): Promise<string> {
  made += 1;
  const server = { name: `far-${made}`, url: farUrl, auth: { type: 'bearer', token: 'admin' } };
  assert.equal((await call('admin', 'POST', '/servers', server)).status, 201);
  return server.name;
}

async function start(input: object): Promise<string> {
  const started = await call('admin', 'POST', '/synchronize', input);
  assert.equal(started.status, 202, started.text);
  assert.equal(started.headers['location'], `/api/v1/synchronize/${started.body.job_guid}`);
  return started.body.job_guid;
}

async function ended(guid: string) {
  return eventually('the synchronization ended', async () => {
    const { body } = await call('admin', 'GET', `/synchronize/${guid}`);
    return body.state === 'running' ? undefined : body;
  });
}

async function run(input: object) {
  const done = await ended(await start(input));
  assert.deepEqual([done.state, done.fault], ['done', null]);
  return done;
}
const NONE = { read: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0, conflicts: 0 };
const put = async (engineOf: typeof far, type: string, id: string, more: object) => {
  const answer = await engineOf.call('admin', 'PUT', `/${type}/${id}`, { resourceType: type, id, ...more });
  assert.ok(answer.status < 300, answer.text);
};
const textOf = async (engineOf: typeof far, address: string) => {
  const { body } = await engineOf.call('admin', 'GET', `/${address}`);
  const { meta: _, ...rest } = body;
  return JSON.stringify(rest);
};

test('pull brings what the server has, once; again changes nothing; a change there comes over', async () => {
  const server = await register();
  for (let n = 0; n < 5; n += 1) await put(far, 'Organization', `pull-${n}`, { name: `Enhet ${n}` });
  const first = await run({ server, resource_types: ['Organization'], direction: 'pull' });
  assert.deepEqual(
    [first.state, first.counts.pull, first.conflict_count],
    ['done', { ...NONE, read: 5, created: 5 }, 0],
  );
  assert.equal(await textOf(near, 'Organization/pull-3'), await textOf(far, 'Organization/pull-3'));
  await put(far, 'Organization', 'pull-3', { name: 'Ny enhet' });
  const second = await run({ server, resource_types: ['Organization'], direction: 'pull' });
  assert.deepEqual(second.counts.pull, { ...NONE, read: 5, updated: 1, unchanged: 4 });
  assert.equal((await call('admin', 'GET', '/Organization/pull-3')).body.meta.versionId, '2');
  assert.equal((await call('admin', 'GET', '/Organization/pull-2')).body.meta.versionId, '1');
  assert.deepEqual(second.progress, {
    types_done: 1,
    types_total: 1,
    resource_type: null,
    phase: null,
    seen: 0,
    total: null,
  });
});

test('push takes ours there, under the version that was compared, and again changes nothing', async () => {
  const server = await register();
  for (let n = 0; n < 5; n += 1) await put(near, 'Location', `push-${n}`, { name: `Plats ${n}` });
  const input = { server, resource_types: ['Location'], direction: 'push' };
  assert.deepEqual((await run(input)).counts.push, { ...NONE, read: 5, created: 5 });
  await put(near, 'Location', 'push-1', { name: 'Annan plats' });
  assert.deepEqual((await run(input)).counts.push, { ...NONE, read: 5, updated: 1, unchanged: 4 });
  assert.equal((await far.call('admin', 'GET', '/Location/push-1')).body.name, 'Annan plats');
  assert.equal((await far.call('admin', 'GET', '/Location/push-2')).body.meta.versionId, '1');
});

test('both directions carry the change of the one side, and name what both have changed', async () => {
  const server = await register();
  const type = 'Questionnaire';
  const of = (title: string) => ({ status: 'draft', title });
  for (const id of ['far-changes', 'near-changes', 'both-change', 'near-deletes', 'far-deletes'])
    await put(far, type, id, of('A'));
  await put(near, type, 'near-only', of('B'));
  await put(near, type, 'differs', of('C'));
  await put(far, type, 'differs', of('D'));
  const input = { server, resource_types: [type], direction: 'both' };
  const first = await run(input);
  assert.deepEqual(first.counts, {
    pull: { ...NONE, read: 6, created: 5, conflicts: 1 },
    push: { ...NONE, read: 7, created: 1, unchanged: 5, skipped: 1 },
  });
  assert.deepEqual(first.conflicts, [
    {
      resource_type: type,
      id: 'differs',
      kind: 'different',
      message: 'Both sides have it, with different content, and never had the same',
    },
  ]);
  await put(far, type, 'far-changes', of('far'));
  await put(near, type, 'near-changes', of('near'));
  await put(far, type, 'both-change', of('far'));
  await put(near, type, 'both-change', of('near'));
  await call('admin', 'DELETE', `/${type}/near-deletes`);
  await put(far, type, 'near-deletes', of('changed there'));
  await far.call('admin', 'DELETE', `/${type}/far-deletes`);
  await put(near, type, 'far-deletes', of('changed here'));
  const second = await run(input);
  assert.deepEqual(
    second.conflicts.map(({ id, kind }: { id: string; kind: string }) => `${id} ${kind}`),
    ['both-change both_changed', 'differs different', 'far-deletes deleted_there', 'near-deletes deleted_here'],
  );
  assert.deepEqual([second.counts.pull.updated, second.counts.push.updated], [1, 1]);
  assert.equal((await call('admin', 'GET', `/${type}/far-changes`)).body.title, 'far');
  assert.equal((await far.call('admin', 'GET', `/${type}/near-changes`)).body.title, 'near');
  assert.equal((await call('admin', 'GET', `/${type}/both-change`)).body.title, 'near');
  assert.equal((await far.call('admin', 'GET', `/${type}/both-change`)).body.title, 'far');
  assert.equal((await call('admin', 'GET', `/${type}/near-deletes`)).status, 410);
  assert.equal((await far.call('admin', 'GET', `/${type}/near-deletes`)).body.title, 'changed there');
  assert.equal((await far.call('admin', 'GET', `/${type}/far-deletes`)).status, 410);
  assert.equal((await call('admin', 'GET', `/${type}/far-deletes`)).body.title, 'changed here');
  const page = await call('admin', 'GET', `/synchronize/${second.job_guid}/conflicts?per_page=3&page=2`);
  assert.deepEqual([page.body.total, page.body.data.length, page.body.data[0].id], [4, 1, 'near-deletes']);
});

test('a deletion goes to the other side where that still has what both had, once; what is made again comes again', async () => {
  const server = await register();
  const type = 'Substance';
  const of = (description: string) => ({ instance: false, code: { concept: { text: 'Salt' } }, description });
  for (const id of ['gone-here', 'gone-there', 'gone-both', 'stays']) await put(far, type, id, of('A'));
  const input = { server, resource_types: [type], direction: 'both' };
  assert.equal((await run(input)).counts.pull.created, 4);
  const statusOf = async (engineOf: typeof far, id: string) =>
    (await engineOf.call('admin', 'GET', `/${type}/${id}`)).status;
  for (const id of ['gone-here', 'gone-both']) await call('admin', 'DELETE', `/${type}/${id}`);
  for (const id of ['gone-there', 'gone-both']) await far.call('admin', 'DELETE', `/${type}/${id}`);

  const dry = await run({ ...input, dry_run: true });
  assert.deepEqual([dry.counts.pull.deleted, dry.counts.push.deleted, dry.conflict_count], [1, 1, 0]);
  assert.deepEqual([await statusOf(near, 'gone-there'), await statusOf(far, 'gone-here')], [200, 200]);
  const pulled = await run({ ...input, direction: 'pull' });
  assert.deepEqual(pulled.counts.pull, { ...NONE, read: 4, deleted: 1, unchanged: 2, skipped: 1 });
  assert.deepEqual([await statusOf(near, 'gone-there'), await statusOf(far, 'gone-here')], [410, 200]);
  const pushed = await run({ ...input, direction: 'push' });
  assert.deepEqual(pushed.counts.push, { ...NONE, read: 2, deleted: 1, unchanged: 1 });
  for (const id of ['gone-here', 'gone-there', 'gone-both'])
    assert.deepEqual([await statusOf(near, id), await statusOf(far, id)], [410, 410], id);
  const again = await run(input);
  assert.deepEqual(again.counts, {
    pull: { ...NONE, read: 1, unchanged: 1 },
    push: { ...NONE, read: 1, unchanged: 1 },
  });
  assert.equal(
    (await call('admin', 'GET', `/${type}/gone-there/_history`)).body.entry.length,
    2,
    'it was deleted once',
  );

  await put(far, type, 'gone-here', of('B'));
  await put(near, type, 'gone-there', of('C'));
  const back = await run(input);
  assert.deepEqual([back.counts.pull.created, back.counts.push.created, back.conflict_count], [1, 1, 0]);
  assert.equal(await textOf(near, `${type}/gone-here`), await textOf(far, `${type}/gone-here`));
  assert.equal(await textOf(near, `${type}/gone-there`), await textOf(far, `${type}/gone-there`));
});

test('a dry run reports what would be done, and does nothing', async () => {
  const server = await register();
  await put(far, 'HealthcareService', 'dry-far', { name: 'F' });
  await put(near, 'HealthcareService', 'dry-near', { name: 'N' });
  const input = { server, resource_types: ['HealthcareService'], direction: 'both' };
  const dry = await run({ ...input, dry_run: true });
  assert.deepEqual(dry.counts, { pull: { ...NONE, read: 1, created: 1 }, push: { ...NONE, read: 1, created: 1 } });
  assert.equal((await call('admin', 'GET', '/HealthcareService/dry-far')).status, 404);
  assert.equal((await far.call('admin', 'GET', '/HealthcareService/dry-near')).status, 404);
  const real = await run(input);
  assert.deepEqual([real.counts.pull.created, real.counts.push.created], [1, 1]);
});

test('since leaves out what is older', async () => {
  const server = await register();
  await put(far, 'Practitioner', 'old', { active: true });
  await put(near, 'Practitioner', 'old-here', { active: true });
  far.clock.time += 3_600_000;
  near.clock.time = far.clock.time;
  await put(far, 'Practitioner', 'new', { active: true });
  await put(near, 'Practitioner', 'new-here', { active: true });
  const since = new Date(far.clock.time - 1000).toISOString();
  const done = await run({ server, resource_types: ['Practitioner'], direction: 'both', since });
  assert.deepEqual([done.counts.pull.read, done.counts.push.created, done.since], [1, 1, since]);
  assert.equal((await call('admin', 'GET', '/Practitioner/old')).status, 404);
  assert.equal((await far.call('admin', 'GET', '/Practitioner/old-here')).status, 404);
});

test('several types go in their order, records about persons are in the audit record', async () => {
  const server = await register();
  const patient = '01900000-0000-7000-8000-0000000000d1';
  await put(far, 'Patient', patient, { name: [{ family: 'Synk' }] });
  await put(far, 'Condition', 'c1', {
    subject: { reference: `Patient/${patient}` },
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    },
  });
  const done = await run({ server, resource_types: ['Patient', 'Condition'], direction: 'pull' });
  assert.deepEqual([done.state, done.counts.pull.created], ['done', 2], JSON.stringify(done));
  const { rows } = await database.query<{ event: string; patient: string }>(
    `SELECT event, resource::jsonb->'patient'->>'reference' AS patient FROM audit_event WHERE event LIKE 'synchronize.%'
     AND resource LIKE '%' || $1 || '%' ORDER BY event_guid`,
    [done.job_guid],
  );
  assert.deepEqual(
    rows.map(({ event, patient: of }) => [event, of]),
    [
      ['synchronize.start', null],
      ['synchronize.pull', `Patient/${patient}`],
      ['synchronize.pull', `Patient/${patient}`],
    ],
  );
});

test('what either side refuses is named with why, and the rest is carried over', async (t) => {
  const strict = await startTestEngine(t, { checksReferences: true });
  const url = `${await strict.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  await call('admin', 'POST', '/servers', { name: 'strict', url, auth: { type: 'bearer', token: 'admin' } });
  await put(near, 'Device', 'fine', { displayName: 'Våg' });
  await put(near, 'Device', 'dangling', { owner: { reference: 'Organization/nowhere' } });
  const done = await run({ server: 'strict', resource_types: ['Device'], direction: 'push' });
  assert.deepEqual(done.counts.push, { ...NONE, read: 2, created: 1, conflicts: 1 });
  assert.deepEqual([done.conflicts[0].id, done.conflicts[0].kind], ['dangling', 'refused_there']);
  assert.match(done.conflicts[0].message, /it answered 422; .*refers to a Organization that is not here/);
});

test('POST /synchronize names everything that is wrong', async () => {
  const server = await register();
  const cases: [input: object, status: number, pattern: RegExp][] = [
    [{}, 400, /'server'.*'resource_types'.*'direction'/],
    [{ server, resource_types: [], direction: 'away', more: 1 }, 400, /'more'.*/],
    [
      { server, resource_types: ['Nothing', 'AuditEvent'], direction: 'pull' },
      400,
      /resource_types\[0\].*resource_types\[1\]/,
    ],
    [{ server, resource_types: ['Patient', 'Patient'], direction: 'pull' }, 400, /duplicate/],
    [{ server, resource_types: ['Patient'], direction: 'pull', since: 'yesterday' }, 400, /'since'/],
    [{ server: 'nowhere', resource_types: ['Patient'], direction: 'pull' }, 404, /Server not found/],
  ];
  for (const [input, status, pattern] of cases) {
    const answer = await call('admin', 'POST', '/synchronize', input);
    assert.deepEqual([answer.status, pattern.test(answer.body.message)], [status, true], answer.text);
  }
});

const CALLERS = ['planner', 'service', 'patient', undefined] as const;
const JOB = '01900000-0000-7000-8000-00000000000f';
for (const [method, path] of [
  ['POST', ''],
  ['GET', ''],
  ['GET', `/${JOB}`],
  ['GET', `/${JOB}/conflicts`],
  ['POST', `/${JOB}/stop`],
  ['POST', `/${JOB}/resume`],
  ['DELETE', `/${JOB}`],
] as const) {
  test(`who may ${method} /synchronize${path}: administrators alone; a job that is not there is 404`, async () => {
    const body = method === 'POST' && path === '' ? {} : undefined;
    const answers = await Promise.all(CALLERS.map((caller) => call(caller, method, `/synchronize${path}`, body)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403, 401],
    );
    if (path === '') return;
    for (const address of [path, path.replace(JOB, 'no-guid')])
      assert.equal((await call('admin', method, `/synchronize${address}`)).status, 404);
  });
}
