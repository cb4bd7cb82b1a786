// Published versions of plans and activities, black-box: no interaction changes a version in use (docs/adr/0021).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { endOfJob } from '#test/support/engine/bulk.ts';
import { type EngineResponse, startTestEngine } from '#test/support/engine/engine.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';
import { atOnce, fifty } from '#test/support/system/at-once.ts';

const engine = await startTestEngine({ after });
const { call, app } = engine;
const library = await makeLibrary(engine);
const as = 'planner';

let count = 0;
function nextUrl(): string {
  count += 1;
  return `https://example.org/plans/${count}`;
}
const planOf = (url: string, changes: object = {}) => ({
  resourceType: 'PlanDefinition',
  url,
  version: '1',
  status: 'active',
  title: 'Plan',
  ...changes,
});

async function stored(body: object): Promise<{ id: string; path: string; resource: Record<string, unknown> }> {
  const answer = await call(as, 'POST', '/PlanDefinition', body);
  assert.equal(answer.status, 201, answer.text);
  return { id: answer.body.id, path: `/PlanDefinition/${answer.body.id}`, resource: answer.body };
}

const textsOf = ({ body }: EngineResponse) =>
  body.issue.map((issue: { details: { text: string } }) => issue.details.text);
const patch = (path: string, operations: object[]) =>
  app.inject({
    method: 'PATCH',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json-patch+json' },
    payload: JSON.stringify(operations),
  });

test('what says something in a published version may not change, and each of it is named', async () => {
  const { id, path, resource } = await stored(planOf('https://example.org/plans/named'));
  const refused = await call(as, 'PUT', path, { ...resource, title: 'Other', description: 'New', status: 'draft' });
  assert.equal(refused.status, 409);
  assert.deepEqual(textsOf(refused), [
    `PlanDefinition/${id} is the published version 1 of https://example.org/plans/named and in use: status, title, description may not change. Publish what has changed as a new version, which is a resource of its own with another version`,
    "'status' of a published version may not be anything but active or retired",
    "'title' of a published version may not change",
    "'description' of a published version may not change",
  ]);
  assert.deepEqual(
    refused.body.issue.map((issue: { expression?: string[] }) => issue.expression?.[0]),
    [undefined, 'PlanDefinition.status', 'PlanDefinition.title', 'PlanDefinition.description'],
  );
  assert.equal((await patch(path, [{ op: 'replace', path: '/version', value: '2' }])).statusCode, 409);
  assert.deepEqual((await call(as, 'GET', path)).body, resource);
});

test('it may be retired, reactivated and reviewed, and deleted when it is retired', async () => {
  const { path, resource } = await stored(planOf(nextUrl()));
  assert.equal((await call(as, 'PUT', path, resource)).status, 200);
  const reviewed = { ...resource, lastReviewDate: '2026-03-01', meta: { tag: [{ system: 'urn:t', code: 'x' }] } };
  assert.equal((await call(as, 'PUT', path, reviewed)).status, 200);
  assert.equal((await call(as, 'DELETE', path)).status, 409);
  assert.equal((await patch(path, [{ op: 'replace', path: '/status', value: 'retired' }])).statusCode, 200);
  assert.equal((await patch(path, [{ op: 'replace', path: '/title', value: 'x' }])).statusCode, 409);
  assert.equal((await patch(path, [{ op: 'replace', path: '/status', value: 'active' }])).statusCode, 200);
  assert.equal((await patch(path, [{ op: 'replace', path: '/status', value: 'retired' }])).statusCode, 200);
  assert.equal((await call(as, 'DELETE', path)).status, 204);
});

test('drafts, and what has no version that others could mean, are changed as any resource', async () => {
  for (const changes of [{ status: 'draft' }, { version: undefined }, { url: undefined }]) {
    const { path, resource } = await stored(planOf(nextUrl(), changes));
    assert.equal((await call(as, 'PUT', path, { ...resource, title: 'Other' })).status, 200);
    assert.equal((await call(as, 'DELETE', path)).status, 204);
  }
  const { path, resource } = await stored(planOf(nextUrl(), { status: 'draft' }));
  assert.equal((await call(as, 'PUT', path, { ...resource, status: 'active', title: 'Done' })).status, 200);
  assert.equal((await call(as, 'PUT', path, { ...resource, title: 'Again' })).status, 409);
});

test('an ActivityDefinition is held in the same way; other definitions are not', async () => {
  const body = { url: nextUrl(), version: '1', status: 'active', title: 'Weighing' };
  const activity = await call(as, 'POST', '/ActivityDefinition', { resourceType: 'ActivityDefinition', ...body });
  const changed = await call(as, 'PUT', `/ActivityDefinition/${activity.body.id}`, { ...activity.body, title: 'x' });
  assert.equal(changed.status, 409);
  const form = await call(as, 'POST', '/Questionnaire', { resourceType: 'Questionnaire', ...body });
  const put = await call(as, 'PUT', `/Questionnaire/${form.body.id}`, { ...form.body, title: 'x' });
  assert.equal(put.status, 200, put.text);
});

test('bundles and conditional updates are held to it', async () => {
  const url = nextUrl();
  const { path, resource } = await stored(planOf(url));
  const entry = (method: string, body?: object) => ({ resource: body, request: { method, url: path.slice(1) } });
  const bundle = (type: string, entries: object[]) => ({ resourceType: 'Bundle', type, entry: entries });
  const other = { ...resource, title: 'Other' };
  const transaction = bundle('transaction', [
    entry('PUT', other),
    { resource: planOf(nextUrl()), request: { method: 'POST', url: 'PlanDefinition' } },
  ]);
  assert.equal((await call(as, 'POST', '/$transaction', transaction)).status, 409);
  assert.equal((await call(as, 'POST', '/$transaction', bundle('transaction', [entry('DELETE')]))).status, 409);
  const batch = await call(as, 'POST', '/$batch', bundle('batch', [entry('PUT', other), entry('DELETE')]));
  const statuses = batch.body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  assert.deepEqual(statuses, ['409', '409']);
  const conditional = await call(as, 'PUT', `/PlanDefinition?url=${url}`, other);
  assert.equal(conditional.status, 409);
  const added = planOf(nextUrl());
  const twice = bundle(
    'transaction',
    [added, added].map((each) => ({ resource: each, request: { method: 'POST', url: 'PlanDefinition' } })),
  );
  assert.equal((await call(as, 'POST', '/$transaction', twice)).status, 409);
});

test('an import is held to it, line by line', async () => {
  await engine.engine.start();
  const { id, resource } = await stored(planOf(nextUrl()));
  const lines = [{ ...resource, title: 'Other' }, planOf(nextUrl()), resource].map((each) => JSON.stringify(each));
  const headers = { authorization: 'Bearer admin', prefer: 'respond-async', 'content-type': 'application/fhir+ndjson' };
  const started = await app.inject({ method: 'POST', url: '/api/v1/$import', headers, payload: lines.join('\n') });
  const url = new URL(String(started.headers['content-location'])).pathname;
  const done = await endOfJob(engine, () => app.inject({ url, headers: { authorization: 'Bearer admin' } }));
  assert.deepEqual(done.json().extension.counts, { created: 1, updated: 1, unchanged: 0, faults: 1 }, done.body);
  assert.deepEqual((await call(as, 'GET', `/PlanDefinition/${id}`)).body.title, 'Plan');
});

test('of 50 who publish one version at once, by POST, PUT and as a draft made active, one does', async () => {
  const url = 'https://example.org/plans/a,b$c';
  const drafts = await Promise.all(
    Array.from({ length: 10 }, () => stored(planOf(url, { status: 'draft', version: '7' }))),
  );
  const answers = await atOnce([
    ...Array.from({ length: 20 }, () => () => call(as, 'POST', '/PlanDefinition', planOf(url, { version: '7' }))),
    ...Array.from({ length: 20 }, (_, index) => () => {
      const id = `put-${index}`;
      return call(as, 'PUT', `/PlanDefinition/${id}`, planOf(url, { version: '7', id }));
    }),
    ...drafts.map(
      ({ path, resource }) =>
        () =>
          call(as, 'PUT', path, { ...resource, status: 'active' }),
    ),
  ]);
  const done = answers.filter(({ status }) => status < 300);
  assert.equal(done.length, 1);
  for (const { status, body } of answers.filter((answer) => answer.status >= 300)) {
    assert.equal(status, 409);
    assert.match(body.issue[0].details.text, /is the published version 7 of .*give this one another version/);
  }
});

test('of 50 who make or change one address at once no published version is overwritten', async () => {
  const [id, url] = ['contended', nextUrl()];
  const answers = await fifty((index) =>
    call(as, 'PUT', `/PlanDefinition/${id}`, planOf(url, { id, title: `By ${index}` })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(49).fill(409)]);
  const won = answers.find(({ status }) => status === 201);
  assert.deepEqual((await call(as, 'GET', `/PlanDefinition/${id}`)).body, won?.body);
});

test('publishing passes over versions that were stored by FHIR, raced by those who store them', async () => {
  const url = nextUrl();
  await stored(planOf(url, { version: '1' }));
  await stored(planOf(url, { version: '2', status: 'draft' }));
  await stored(planOf(url, { version: '4' }));
  const body = { title: 'Heart failure', activities: [library.weighing], url };
  const first = await call(as, 'POST', '/plan-definitions', body);
  assert.equal(first.body.version, '3', first.text);
  const answers = await atOnce([
    ...Array.from({ length: 25 }, () => () => call(as, 'POST', '/plan-definitions', body)),
    ...Array.from(
      { length: 25 },
      (_, index) => () => call(as, 'POST', '/PlanDefinition', planOf(url, { version: String(index + 5) })),
    ),
  ]);
  assert.deepEqual(
    answers.slice(0, 25).map(({ status }) => status),
    Array(25).fill(201),
  );
  const found = await call(as, 'GET', `/PlanDefinition?url=${url}&_count=200`);
  const versions = found.body.entry.map(({ resource }: { resource: { version: string } }) => resource.version);
  assert.equal(new Set(versions).size, versions.length, 'no version is there twice');
});
