// The search of all types, and the explanation of how a search is executed, over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';

const TAG = 'urn:t|x';
const meta = { tag: [{ system: 'urn:t', code: 'x' }] };

async function begin(t: Parameters<typeof startTestEngine>[0]) {
  const started = await startTestEngine(t);
  const { call } = started;
  const put = async (resource: Readonly<Record<string, unknown>>) => {
    const { status, text } = await call('planner', 'PUT', `/${resource['resourceType']}/${resource['id']}`, resource);
    assert.equal(status, 201, text);
  };
  await put({ resourceType: 'Patient', id: PATIENT, meta, name: [{ family: 'Berg' }] });
  const subject = { reference: `Patient/${PATIENT}` };
  for (const id of ['c1', 'c2']) {
    await put({ resourceType: 'CarePlan', id, meta, status: 'active', intent: 'plan', subject });
  }
  await put({ resourceType: 'PlanDefinition', id: 'pd', meta, status: 'active', url: 'http://example.org/pd' });
  const ids = async (as: string, query: string) => {
    const { status, body } = await call(as, 'GET', query);
    assert.equal(status, 200, JSON.stringify(body));
    return (body.entry ?? []).map(
      ({ resource }: { resource: { resourceType: string; id: string } }) => `${resource.resourceType}/${resource.id}`,
    );
  };
  return { ...started, ids };
}

test('a system search finds what of all types fulfils it, sorted and paged as one', async (t) => {
  const { call, ids } = await begin(t);
  const all = ['CarePlan/c1', 'CarePlan/c2', `Patient/${PATIENT}`, 'PlanDefinition/pd'];
  assert.deepEqual((await ids('planner', `/?_tag=${TAG}`)).sort(), all);
  assert.deepEqual((await ids('planner', `/?_type=CarePlan,PlanDefinition&_tag=${TAG}`)).sort(), [
    all[0],
    all[1],
    all[3],
  ]);
  assert.deepEqual(await ids('planner', `/?_tag=${TAG}&_sort=-_id&_type=CarePlan,PlanDefinition`), [
    all[3],
    all[1],
    all[0],
  ]);
  assert.deepEqual(await ids('planner', `/?_type=CarePlan,Goal&subject=Patient/${PATIENT}&_sort=_id`), [
    all[0],
    all[1],
  ]);
  assert.deepEqual(await ids('planner', `/?_type=CarePlan&_id=c1&_include=CarePlan:subject`), [all[0], all[2]]);
  for (const sort of ['', '&_sort=_id', '&_sort=-_lastUpdated']) {
    const seen: string[] = [];
    let next: string | undefined = `/?_tag=${TAG}&_count=1${sort}`;
    while (next !== undefined && seen.length < 10) {
      const {
        body,
      }: { body: { total: number; entry: { resource: { id: string } }[]; link: { relation: string; url: string }[] } } =
        await call('planner', 'GET', next);
      assert.equal(body.total, 4);
      seen.push(...body.entry.map(({ resource }) => resource.id));
      next = body.link.find(({ relation }) => relation === 'next')?.url.replace(/^.*\/(?=\?)/, '/');
    }
    assert.deepEqual([...new Set(seen)].sort(), [PATIENT, 'c1', 'c2', 'pd'].sort(), sort);
    assert.equal(seen.length, 4);
  }
  assert.equal((await call('planner', 'GET', `/?_tag=${TAG}&_summary=count`)).body.total, 4);
});

test('a system search is by parameters that all its types have', async (t) => {
  const { app, call } = await begin(t);
  const lenient = await call('planner', 'GET', '/?_type=Patient,CarePlan&birthdate=1970');
  assert.equal(lenient.status, 200);
  assert.match(lenient.body.link[0].url, /\/\?_type=Patient%2CCarePlan$/);
  const headers = { authorization: 'Bearer planner', prefer: 'handling=strict' };
  const strict = await app.inject({ url: '/api/v1/?_type=Patient,CarePlan&birthdate=1970', headers });
  assert.equal(strict.statusCode, 400);
  assert.match(strict.body, /CarePlan has no search parameter birthdate/);
  assert.equal((await call('planner', 'GET', '/?_type=Nothing')).status, 400);
  assert.equal((await call('planner', 'GET', '/?_lastUpdated=x')).status, 400);
});

test('everybody finds only what they may see', async (t) => {
  const { ids } = await begin(t);
  assert.deepEqual((await ids('patient', `/?_tag=${TAG}`)).sort(), [
    'CarePlan/c1',
    'CarePlan/c2',
    `Patient/${PATIENT}`,
  ]);
  assert.deepEqual(await ids('stranger', `/?_tag=${TAG}`), ['PlanDefinition/pd']);
});

test('an admin sees how a search was carried out, and the access is recorded', async (t) => {
  const { call, engine } = await begin(t);
  assert.equal((await call('planner', 'GET', '/Patient?name=berg&_explain=true')).status, 403);
  assert.equal((await call('admin', 'GET', '/Patient?name=berg&_explain=maybe')).status, 400);
  const { status, body } = await call('admin', 'GET', '/Patient?name=berg&_explain=true');
  assert.equal(status, 200);
  assert.equal(body.resourceType, 'Parameters');
  const parts = body.parameter.map(({ part }: { part: { name: string; valueString: string }[] }) =>
    Object.fromEntries(part.map(({ name, valueString }) => [name, valueString])),
  );
  const page = parts.find(({ sql }: { sql: string }) => sql.includes('content'));
  assert.match(page.sql, /fhir_string/);
  assert.ok(JSON.parse(page.values).includes('berg'));
  assert.ok(JSON.parse(page.plan)[0]['Execution Time'] > 0);
  assert.equal((await call('planner', 'GET', `/?_tag=${TAG}&_explain=true`)).status, 403);
  const ofAll = await call('admin', 'GET', `/?_tag=${TAG}&_type=Patient,CarePlan&_explain=true`);
  assert.equal(ofAll.status, 200, ofAll.text);
  assert.match(ofAll.text, /fhir_token/);
  await engine.start();
  const found = async () => (await call('admin', 'GET', `/AuditEvent?patient=${PATIENT}&action=E`)).body.total;
  while ((await found()) === 0) await delay(20);
});

test('the capability statement says what can be searched by everywhere, and what can be included', async (t) => {
  const { call } = await startTestEngine(t);
  const { body } = await call(undefined, 'GET', '/metadata');
  const [rest] = body.rest;
  assert.ok(rest.interaction.some(({ code }: { code: string }) => code === 'search-system'));
  const common = rest.searchParam.map(({ name }: { name: string }) => name);
  for (const name of ['_id', '_lastUpdated', '_tag', '_source', '_text', '_content', '_list', '_in', '_filter']) {
    assert.ok(common.includes(name), name);
  }
  assert.ok(!common.includes('_query'));
  const patient = rest.resource.find(({ type }: { type: string }) => type === 'Patient');
  assert.ok(patient.searchInclude.includes('Patient:general-practitioner'));
  assert.ok(patient.searchRevInclude.includes('Observation:subject'));
  const names = patient.searchParam.map(({ name }: { name: string }) => name);
  assert.deepEqual([names.includes('_content'), names.includes('phonetic')], [true, false]);
});
