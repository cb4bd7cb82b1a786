// Exports and imports must not return resources that the caller may no longer read, nor filter by data that the caller
// cannot read. They must not replace whole resources by parts of them.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { endOfJob } from '#test/support/engine/bulk.ts';
import { ORGANISATION, OTHER_ORGANISATION, startTestEngine, type TestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const id = '01900000-0000-7000-8000-0000000000d1';
const phases = new Set(['planning']);
const staff = (organisationGuids: string[]) =>
  makePrincipal(['professional', 'clinician'], { id, organisationGuids, phases });
const callers = {
  both: staff([ORGANISATION, OTHER_ORGANISATION]),
  one: staff([ORGANISATION]),
};

interface Sent {
  readonly caller: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly payload?: string;
}

function send({ app }: TestEngine, url: string, { caller, method = 'GET', payload }: Sent) {
  const type = payload === undefined ? {} : { 'content-type': 'application/fhir+ndjson' };
  return app.inject({
    method,
    url: url.replace('http://engine.test', '').replace(/^\/(?!api)/, '/api/v1/'),
    headers: { authorization: `Bearer ${caller}`, prefer: 'respond-async', ...type },
    ...(payload === undefined ? {} : { payload }),
  });
}

/** The answer when the job is done. */
const finished = (engine: TestEngine, address: string, caller: string) =>
  endOfJob(engine, () => send(engine, address, { caller }));

async function started(engine: TestEngine, url: string, sent: Sent): Promise<string> {
  const answer = await send(engine, url, sent);
  assert.equal(answer.statusCode, 202, answer.payload);
  return String(answer.headers['content-location']);
}

/** The lines of all files of an export. */
async function exported(engine: TestEngine, caller: string, query: string): Promise<string[]> {
  const done = await finished(engine, await started(engine, `/$export?${query}`, { caller }), caller);
  assert.equal(done.statusCode, 200, done.payload);
  const lines: string[] = [];
  for (const { url } of done.json().output) {
    lines.push(...(await send(engine, url, { caller })).payload.split('\n').filter((line: string) => line !== ''));
  }
  return lines;
}

/** An observation and a list that names it, of each of two organisations. */
async function startFilled(): Promise<TestEngine> {
  const engine = await startTestEngine(lastFirst({ after }), { callers });
  for (const [caller, name] of [
    ['planner', 'ours'],
    ['stranger', 'theirs'],
  ] as const) {
    const status = name === 'ours' ? 'final' : 'amended';
    const code = { coding: [{ system: 'http://loinc.org', code: '29463-7' }], text: name };
    const observation = { resourceType: 'Observation', id: name, status, code };
    const entry = [{ item: { reference: `Observation/${name}` } }];
    const list = { resourceType: 'List', id: name, status: 'current', mode: 'working', entry };
    for (const record of [observation, list]) {
      assert.equal((await engine.call(caller, 'PUT', `/${record.resourceType}/${name}`, record)).status, 201);
    }
  }
  return engine;
}

test('_typeFilter asks by value sets, lists and words, and by none that the caller cannot see', async () => {
  const engine = await startFilled();
  const idsOf = async (filter: string, caller = 'admin') => {
    const lines = await exported(engine, caller, `_type=Observation&_typeFilter=${encodeURIComponent(filter)}`);
    return lines.map((line) => JSON.parse(line).id).sort();
  };
  const valueSet = 'http://hl7.org/fhir/ValueSet/observation-status';
  assert.deepEqual(await idsOf('Observation?_list=ours'), ['ours']);
  assert.deepEqual(await idsOf('Observation?_list=ours', 'planner'), ['ours']);
  assert.deepEqual(await idsOf(`Observation?status:in=${valueSet}`), ['ours', 'theirs']);
  assert.deepEqual(await idsOf(`Observation?status:not-in=${valueSet}`), []);
  assert.deepEqual(await idsOf(`Observation?_filter=status in ${valueSet} and status eq final`), ['ours']);
  assert.deepEqual(await idsOf('Observation?_content=theirs'), ['theirs']);
  assert.deepEqual(await idsOf('Observation?_content=theirs', 'planner'), []);
  for (const [filter, caller] of [
    ['Observation?_list=theirs', 'planner'],
    ['Observation?_list=nowhere', 'admin'],
    ['Observation?code:in=http://example.org/none', 'admin'],
  ] as const) {
    const url = `/$export?_type=Observation&_typeFilter=${encodeURIComponent(filter)}`;
    const refused = await send(engine, url, { caller });
    assert.equal(refused.statusCode, 400, refused.payload);
  }
});

test('a caller who has lost rights since the start gets no file, and may delete the export', async () => {
  const engine = await startFilled();
  const address = await started(engine, '/$export?_type=Observation', { caller: 'both' });
  const done = await finished(engine, address, 'both');
  const [{ url, count }] = done.json().output;
  assert.equal(count, 2);
  assert.equal((await send(engine, url, { caller: 'both' })).statusCode, 200);
  assert.equal((await send(engine, url, { caller: 'one' })).statusCode, 403);
  assert.equal((await send(engine, address, { caller: 'one' })).statusCode, 403);
  assert.equal((await send(engine, address, { caller: 'one', method: 'DELETE' })).statusCode, 202);
  assert.equal((await send(engine, url, { caller: 'both' })).statusCode, 404);
  const own = await started(engine, '/$export?_type=Observation', { caller: 'one' });
  assert.equal((await finished(engine, own, 'both')).json().output[0].count, 1);
});

test('an export of some elements does not replace whole resources', async () => {
  const engine = await startFilled();
  const lines = await exported(engine, 'admin', '_type=Observation&_elements=status');
  assert.equal(lines.length, 2);
  const address = await started(engine, '/$import', { caller: 'admin', method: 'POST', payload: lines.join('\n') });
  const done = (await finished(engine, address, 'admin')).json();
  assert.deepEqual(done.extension.counts, { created: 0, updated: 0, unchanged: 0, faults: 2 });
  assert.match((await send(engine, done.error[0].url, { caller: 'admin' })).payload, /SUBSETTED/);
  assert.equal((await engine.call('planner', 'GET', '/Observation/ours')).body.code.text, 'ours');
});

test('an upload during which a node was killed does not block later ones', async () => {
  const engine = await startFilled();
  // Sends one line, and no more until the test lets go.
  const held = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const uploads = held.map(({ promise }) => {
    const payload = Readable.from(
      (async function* () {
        yield '{"resourceType":"Basic"}\n';
        await promise;
      })(),
    );
    const headers = {
      authorization: 'Bearer admin',
      prefer: 'respond-async',
      'content-type': 'application/fhir+ndjson',
    };
    return engine.app.inject({ method: 'POST', url: '/api/v1/$import', headers, payload });
  });
  const receiving = "SELECT FROM bulk_job WHERE state = 'receiving'";
  await eventually('three imports are received', async () => {
    const { rowCount } = await engine.database.query(receiving);
    return rowCount === 3 ? true : undefined;
  });
  const next = () => send(engine, '/$import', { caller: 'admin', method: 'POST', payload: '{}' });
  assert.equal((await next()).statusCode, 429);
  await engine.database.query("UPDATE bulk_job SET leased_until = clock_timestamp() - interval '1 second'");
  assert.equal((await next()).statusCode, 202);
  for (const { resolve } of held) resolve();
  for (const { statusCode } of await Promise.all(uploads)) assert.equal(statusCode, 202);
});
