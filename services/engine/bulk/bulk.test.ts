// $export and $import, black-box: whole jobs, and refused requests.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { endOfJob } from '#test/support/engine/bulk.ts';
import {
  ORGANISATION,
  OTHER_ORGANISATION,
  PATIENT,
  startTestEngine,
  type TestEngine,
} from '#test/support/engine/engine.ts';
import { RECORDED_EVENTS } from '#test/support/engine/recorded-events.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal } from '#test/support/http-app.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { SETTLE_MS } from './export-job.ts';

const hooks = lastFirst({ after });
const guid = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`;

const key = (id: string, scopes: string[]) => makePrincipal(['api_key'], { kind: 'api_key', id, scopes });
const callers = {
  reader: key(guid(900_001), ['system/*.rs']),
  importer: key(guid(900_002), ['system/*.cruds']),
  limited: key(guid(900_003), ['system/Patient.rs']),
  ownAdmin: makePrincipal(['professional', 'clinician', 'admin'], { organisationGuids: [ORGANISATION] }),
};

interface Sent {
  readonly caller: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
}

function send({ app }: TestEngine, url: string, { caller, method = 'GET', headers = {}, payload }: Sent) {
  return app.inject({
    method,
    url: url.replace('http://engine.test', '').replace(/^\/(?!api)/, '/api/v1/'),
    headers: { authorization: `Bearer ${caller}`, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
}

const async_ = { prefer: 'respond-async' };

/** Asks until the job is done, moving the clock on as it waits. */
const finished = (engine: TestEngine, address: string, caller: string) =>
  endOfJob(
    engine,
    () => send(engine, address, { caller }),
    ({ headers }) => {
      assert.match(String(headers['x-progress']), /^\d+ %/);
      assert.equal(headers['retry-after'], '2');
    },
  );

async function exported(engine: TestEngine, caller: string, path = '/$export') {
  const started = await send(engine, path, { caller, headers: async_ });
  assert.equal(started.statusCode, 202, started.payload);
  const address = String(started.headers['content-location']);
  const status = await finished(engine, address, caller);
  assert.equal(status.statusCode, 200, status.payload);
  return { address, manifest: status.json() };
}

async function linesOf(engine: TestEngine, caller: string, files: { url: string }[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { url } of files) {
    const file = await send(engine, url, { caller });
    assert.equal(file.statusCode, 200, file.payload);
    assert.match(String(file.headers['content-type']), /^application\/fhir\+ndjson/);
    lines.push(...file.payload.trimEnd().split('\n'));
  }
  return lines;
}

async function imported(engine: TestEngine, caller: string, lines: readonly string[]) {
  const headers = { ...async_, 'content-type': 'application/fhir+ndjson' };
  const payload = `${lines.join('\n')}\n`;
  const started = await send(engine, '/$import', { caller, method: 'POST', headers, payload });
  assert.equal(started.statusCode, 202, started.payload);
  const status = await finished(engine, String(started.headers['content-location']), caller);
  assert.equal(status.statusCode, 200, status.payload);
  return status.json();
}

const patient = (id: string, more: object = {}) => ({ resourceType: 'Patient', id, ...more });
const observation = (id: string, of: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: 'Weight' },
  subject: { reference: `Patient/${of}` },
  ...more,
});

const withoutMeta = (line: string) => line.replace(/"meta":\{"versionId":"\d+","lastUpdated":"[^"]+"(,)?/, '"meta":{');

async function put(engine: TestEngine, resource: { resourceType: string; id: string }, caller = 'admin') {
  const { status, text } = await engine.call(caller, 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
  assert.ok(status === 200 || status === 201, text);
}

test('an export can be imported into an empty system, with the same content except meta', async () => {
  const [from, to] = [await startTestEngine(hooks, { callers }), await startTestEngine(hooks, { callers })];
  for (const each of [from, to]) await each.engine.start();
  const resources = Array.from({ length: 40 }, (_, index) => [
    patient(guid(index), {
      name: [{ family: `Öberg "${index}"\\n` }],
      meta: { tag: [{ system: 'http://a', code: 'b' }] },
    }),
    observation(`obs-${index}`, guid(index), { valueQuantity: { value: 1.5 + index, unit: 'kg' } }),
  ]).flat();
  for (const resource of resources) await put(from, resource);
  await put(from, { ...observation('gone', guid(1)) });
  await from.call('admin', 'DELETE', '/Observation/gone');
  const { manifest } = await exported(from, 'admin', '/$export?_type=Patient,Observation');
  assert.deepEqual([manifest.requiresAccessToken, manifest.deleted, manifest.error], [true, [], []]);
  assert.equal(manifest.request, 'http://engine.test/api/v1/$export?_type=Patient,Observation');
  assert.deepEqual(
    manifest.output.map(({ type, count }: { type: string; count: number }) => [type, count]),
    [
      ['Observation', 40],
      ['Patient', 40],
    ],
  );
  const lines = await linesOf(from, 'admin', manifest.output);
  const result = await imported(to, 'admin', lines);
  assert.deepEqual(result.extension.counts, { created: 80, updated: 0, unchanged: 0, faults: 0 });
  const again = await exported(to, 'admin', '/$export?_type=Patient,Observation');
  const back = await linesOf(to, 'admin', again.manifest.output);
  assert.deepEqual(back.map(withoutMeta), lines.map(withoutMeta));
  const found = await to.call('admin', 'GET', `/Observation?subject=Patient/${guid(3)}`);
  assert.equal(found.body.entry[0].resource.id, 'obs-3');
  assert.deepEqual((await imported(to, 'admin', lines)).extension.counts, {
    created: 0,
    updated: 0,
    unchanged: 80,
    faults: 0,
  });
});

test('an export contains the state at its start, whatever happens meanwhile', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await put(engine, patient(guid(1), { active: true }));
  await put(engine, patient(guid(2), { active: true }));
  await put(engine, patient(guid(3), { active: true }));
  engine.clock.time += 1;
  const started = await send(engine, '/$export?_type=Patient', { caller: 'admin', headers: async_ });
  engine.clock.time += 1;
  await put(engine, patient(guid(1), { active: false }));
  await put(engine, patient(guid(1), { gender: 'other' }));
  await engine.call('admin', 'DELETE', `/Patient/${guid(2)}`);
  await put(engine, patient(guid(4), { active: true }));
  await engine.engine.start();
  const address = String(started.headers['content-location']);
  const { output, transactionTime } = (await finished(engine, address, 'admin')).json();
  const lines = (await linesOf(engine, 'admin', output)).map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ id, active }) => [id, active]),
    [1, 2, 3].map((index) => [guid(index), true]),
  );
  // The next one, from there on, lists what has changed and what is gone.
  engine.clock.time += SETTLE_MS;
  const next = await exported(engine, 'admin', `/$export?_type=Patient&_since=${transactionTime}`);
  const changed = (await linesOf(engine, 'admin', next.manifest.output)).map((line) => JSON.parse(line).id);
  assert.deepEqual(changed, [guid(1), guid(4)]);
  const gone = (await linesOf(engine, 'admin', next.manifest.deleted)).map((line) => JSON.parse(line));
  assert.deepEqual(
    gone.map(({ type, entry }) => [type, entry[0].request]),
    [['transaction', { method: 'DELETE', url: `Patient/${guid(2)}` }]],
  );
});

test('everyone exports what they see, patients and groups what is with them', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await engine.engine.start();
  const organisation = (id: string) => ({ managingOrganization: { reference: `Organization/${id}` } });
  await put(engine, patient(PATIENT, organisation(ORGANISATION)), 'planner');
  await put(engine, patient(guid(5), organisation(OTHER_ORGANISATION)), 'stranger');
  await put(engine, observation('ours', PATIENT), 'planner');
  await put(engine, observation('theirs', guid(5)), 'stranger');
  await put(engine, { resourceType: 'Practitioner', id: 'someone' });
  const group = { resourceType: 'Group', id: 'few', membership: 'enumerated', type: 'person' };
  const member = [
    { entity: { reference: `Patient/${guid(5)}` } },
    { entity: { reference: `Patient/${PATIENT}` }, inactive: true },
  ];
  await put(engine, { ...group, member } as { resourceType: string; id: string });
  const ids = async (caller: string, path: string) => {
    const { manifest } = await exported(engine, caller, path);
    return (await linesOf(engine, caller, manifest.output)).map((line) => JSON.parse(line).id);
  };
  assert.deepEqual(await ids('planner', '/$export?_type=Patient,Observation'), ['ours', PATIENT]);
  assert.deepEqual(await ids('stranger', '/$export?_type=Patient,Observation'), ['theirs', guid(5)]);
  // A group is with its members.
  assert.deepEqual((await ids('admin', '/Patient/$export')).sort(), [PATIENT, guid(5), 'few', 'ours', 'theirs']);
  assert.deepEqual(await ids('admin', '/Group/few/$export'), ['few', 'theirs', guid(5)]);
  assert.deepEqual(await ids('admin', `/Patient/$export?patient=Patient/${PATIENT}&_type=Patient`), [PATIENT]);
  assert.deepEqual(
    await ids('admin', `/$export?_type=Observation&_typeFilter=Observation%3Fpatient%3DPatient/${guid(5)}`),
    ['theirs'],
  );
  assert.deepEqual(await ids('planner', '/$export?_type=Practitioner'), ['someone']);
  assert.equal((await send(engine, '/Group/few/$export', { caller: 'stranger', headers: async_ })).statusCode, 404);
  assert.equal((await send(engine, '/$export', { caller: 'patient', headers: async_ })).statusCode, 403);
  const limited = await send(engine, '/$export?_type=Observation', { caller: 'limited', headers: async_ });
  assert.equal(limited.statusCode, 403);
});

test('files are for the requester and for admins, as ranges too, until the job is deleted', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await engine.engine.start();
  await put(
    engine,
    patient(PATIENT, { managingOrganization: { reference: `Organization/${ORGANISATION}` } }),
    'planner',
  );
  const { address, manifest } = await exported(engine, 'planner', '/$export?_type=Patient&_elements=active');
  const [{ url }] = manifest.output;
  // It may hold protected Patients (docs/adr/0076), which no administrator of elsewhere sees.
  assert.equal((await send(engine, url, { caller: 'admin' })).statusCode, 403);
  const whole = await send(engine, url, { caller: 'ownAdmin' });
  assert.match(whole.payload, /SUBSETTED/);
  const piece = await send(engine, url, { caller: 'planner', headers: { range: 'bytes=10-' } });
  assert.deepEqual([piece.statusCode, piece.payload], [206, whole.payload.slice(10)]);
  assert.equal(piece.headers['content-range'], `bytes 10-${whole.payload.length - 1}/${whole.payload.length}`);
  const beyond = await send(engine, url, { caller: 'planner', headers: { range: 'bytes=100000-' } });
  assert.equal(beyond.statusCode, 416);
  for (const path of [url, address]) assert.equal((await send(engine, path, { caller: 'reader' })).statusCode, 404);
  assert.equal((await send(engine, address, { caller: 'planner', method: 'DELETE' })).statusCode, 202);
  for (const path of [url, address]) assert.equal((await send(engine, path, { caller: 'planner' })).statusCode, 404);
});

test('the audit record has the job, and each person in it once', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await engine.engine.start();
  await imported(engine, 'importer', [JSON.stringify(patient(PATIENT)), JSON.stringify(observation('a', PATIENT))]);
  await exported(engine, 'reader');
  const read = async () => {
    engine.engine.wake();
    const { rows } = await engine.database.query<{ event: string; patient: string | null }>(
      `SELECT event, resource::jsonb->'patient'->>'reference' AS patient FROM ${RECORDED_EVENTS} WHERE event LIKE 'bulk%' ORDER BY 1, 2 NULLS FIRST`,
    );
    return rows.length < 4 ? undefined : rows.map(({ event, patient: of }) => [event, of]);
  };
  // The people are noted with what was done, and their events made of the notes afterwards.
  const events = await eventually('the notes are events', read);
  const { rowCount } = await engine.database.query('SELECT FROM audit_look');
  assert.equal(rowCount, 0);
  assert.deepEqual(events, [
    ['bulk.export', null],
    ['bulk.export', `Patient/${PATIENT}`],
    ['bulk.import', null],
    ['bulk.import', `Patient/${PATIENT}`],
  ]);
});

test('lines with errors are named, the others imported', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await engine.engine.start();
  await put(engine, patient(guid(7)), 'planner');
  const result = await imported(engine, 'importer', [
    JSON.stringify(patient(guid(1))),
    '{"resourceType":"Patient",',
    '',
    JSON.stringify(patient(guid(2), { gender: 'unheard-of' })),
    JSON.stringify({ resourceType: 'AuditEvent' }),
    JSON.stringify(patient(guid(7))),
    JSON.stringify(patient(guid(8), { name: [{ family: 'a\u0000b' }] })),
    JSON.stringify(patient('not/an/id')),
    JSON.stringify(patient(guid(1), { active: true })),
    JSON.stringify(patient(guid(9), { multipleBirthInteger: 1 })).replace(':1}', ':1.0}'),
  ]);
  assert.deepEqual(result.extension.counts, { created: 1, updated: 1, unchanged: 0, faults: 7 });
  const outcomes = (await linesOf(engine, 'importer', result.error)).map((line) => JSON.parse(line));
  const texts = outcomes.map(({ issue }) => issue[0].details.text);
  assert.deepEqual(
    texts.map((text: string) => /^line (\d+)/.exec(text)?.[1]),
    ['2', '4', '5', '6', '7', '8', '10'],
  );
  assert.match(texts[6], /multipleBirth must be written as a whole number/);
  assert.match(texts[1], /Patient\/019a.*2: /);
  assert.match(texts[3], /belongs to others/);
  const read = await engine.call('admin', 'GET', `/Patient/${guid(1)}`);
  assert.deepEqual([read.body.meta.versionId, read.body.active], ['2', true]);
});

test('long lines are read in threads, and validated and stored as short ones', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await engine.engine.start();
  const name = Array.from({ length: 6_000 }, (_, index) => ({ family: `Long${index}` }));
  const lines = [
    JSON.stringify(patient(guid(1), { name })),
    JSON.stringify(patient(guid(2), { name: [...name, []] })),
    `${JSON.stringify(patient(guid(3), { name })).slice(0, -1)}]`,
    JSON.stringify(patient(guid(4))),
    JSON.stringify(patient(guid(1), { name, active: true })),
  ];
  const result = await imported(engine, 'importer', lines);
  assert.deepEqual(result.extension.counts, { created: 2, updated: 1, unchanged: 0, faults: 2 });
  const outcomes = (await linesOf(engine, 'importer', result.error)).map((line) => JSON.parse(line));
  assert.match(outcomes[0].issue[0].details.text, /^line 2, Patient\/.*name/);
  assert.match(outcomes[1].issue[0].details.text, /^line 3: The body is not valid JSON/);
  const found = await engine.call('admin', 'GET', '/Patient?family=Long5999&active=true');
  assert.equal(found.body.total, 1);
});

test('a compressed body is decompressed; an unreadable or forbidden request is refused at once', async () => {
  const engine = await startTestEngine(hooks, { callers });
  await engine.engine.start();
  const ndjson = { ...async_, 'content-type': 'application/fhir+ndjson' };
  const post = (caller: string, headers: Record<string, string>, payload: string | Buffer) =>
    send(engine, '/$import', { caller, method: 'POST', headers, payload });
  const packed = gzipSync(`${JSON.stringify(patient(guid(1)))}\n`);
  const started = await post('admin', { ...ndjson, 'content-encoding': 'gzip' }, packed);
  const done = await finished(engine, String(started.headers['content-location']), 'admin');
  assert.equal(done.json().extension.counts.created, 1);
  const broken = await post('admin', { ...ndjson, 'content-encoding': 'gzip' }, packed.subarray(0, 30));
  assert.equal(broken.statusCode, 400);
  // A quarter of a gibibyte in a quarter of a mebibyte, and nothing of it stays.
  const blanks = `${' '.repeat(1024 ** 2)}\n`.repeat(256);
  for (const [bomb, why] of [
    [blanks, /unpacks to more than 100 times its size/],
    ['\n'.repeat(15 * 1024 ** 2), /10,000 lines that are empty or too short/],
  ] as const) {
    const refused = await post('admin', { ...ndjson, 'content-encoding': 'gzip' }, gzipSync(bomb));
    assert.deepEqual([refused.statusCode, refused.json().issue[0].code], [413, 'too-long']);
    assert.match(refused.json().issue[0].details.text, why);
  }
  const left = await engine.database.query("SELECT 1 FROM bulk_job WHERE kind = 'import' AND finished_at IS NULL");
  assert.deepEqual(left.rows, []);
  assert.equal((await post('admin', { 'content-type': 'application/fhir+ndjson' }, '{}')).statusCode, 400);
  assert.equal((await post('planner', ndjson, '{}')).statusCode, 403);
  assert.equal((await post('reader', ndjson, '{}')).statusCode, 403);
  const byAddress = await post(
    'admin',
    { ...async_, 'content-type': 'application/fhir+json' },
    '{"resourceType":"Parameters"}',
  );
  assert.equal(byAddress.statusCode, 415);
  const strict = { prefer: 'respond-async, handling=strict' };
  const invalid = '/$export?_type=Pacient&_since=yesterday&_outputFormat=xml&_typeFilter=Observation&what=1';
  const { issue } = (await send(engine, invalid, { caller: 'admin', headers: strict })).json();
  assert.deepEqual(
    issue.map(({ expression }: { expression: string[] }) => expression[0]),
    ['what', '_outputFormat', '_since', '_typeFilter', '_type'],
  );
  assert.equal((await send(engine, '/$export', { caller: 'admin' })).statusCode, 400);
});

test('HEAD starts no export', async () => {
  const engine = await startTestEngine(hooks, { callers });
  for (const url of ['/$export', '/Patient/$export', `/Group/${guid(1)}/$export`]) {
    const answer = await send(engine, url, { caller: 'admin', method: 'HEAD', headers: async_ });
    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'GET, POST'], url);
  }
  assert.deepEqual((await engine.database.query('SELECT 1 FROM bulk_job')).rows, []);
});

test('a caller has three jobs running at most', async () => {
  const engine = await startTestEngine(hooks, { callers });
  const ask = () => send(engine, '/$export?_type=Patient', { caller: 'admin', headers: async_ });
  const answers = await atOnce([ask, ask, ask, ask, ask]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [202, 202, 202, 429, 429]);
  const refused = answers.find(({ statusCode }) => statusCode === 429);
  assert.equal(refused?.headers['retry-after'], '60');
});

test('a job that one node leaves is ended by another, with nothing missing or double', async () => {
  // So many that the first node cannot have read them all before it is stopped.
  const lines = 20_000;
  const first = await startTestEngine(hooks, { callers });
  const headers = { ...async_, 'content-type': 'application/fhir+ndjson' };
  const many = Array.from({ length: lines }, (_, index) => `${JSON.stringify(patient(guid(index)))}\n`).join('');
  const started = await send(first, '/$import', { caller: 'admin', method: 'POST', headers, payload: many });
  const doneOf = async () =>
    (await first.database.query<{ done: number }>('SELECT done FROM bulk_job')).rows[0]?.done ?? 0;
  await first.engine.start();
  while ((await doneOf()) === 0) await new Promise((resolve) => setImmediate(resolve));
  await first.engine.stop();
  const begun = await doneOf();
  assert.ok(begun > 0 && begun < many.length, `${begun}`);
  const second = await startTestEngine(hooks, { callers, database: first.database });
  await second.engine.start();
  const status = await finished(second, String(started.headers['content-location']), 'admin');
  assert.deepEqual(status.json().extension.counts, { created: lines, updated: 0, unchanged: 0, faults: 0 });
  const { manifest } = await exported(second, 'admin', '/$export?_type=Patient');
  const ids = (await linesOf(second, 'admin', manifest.output)).map((line) => JSON.parse(line).id);
  assert.deepEqual(
    ids,
    Array.from({ length: lines }, (_, index) => guid(index)),
  );
});
