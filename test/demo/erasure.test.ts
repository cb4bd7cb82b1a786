// `kedja erase` on a region's data while everything runs (docs/adr/0131). Nothing of a person is left in any table but
// ids, in access records and in others' references, whatever interrupts it. An older backup is corrected. The data are
// the demo's, whose load is tested first.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { startDemoSystem } from '#test/support/system/demo-system.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { DEMO_PASSWORD } from '../../demo/content/people.ts';
import { testLoading } from './loading.ts';

const hooks = lastFirst({ after });
const files = await mkdtemp(path.join(tmpdir(), 'kedja-erasure-'));
hooks.after(() => rm(files, { recursive: true, force: true }));
const DECISION = ['--apply', '--yes', '--ground', 'IVO 8.2-1/2026', '--decided-by', 'IVO', '--open-requests'];
/** Where the ids of the person may be, and nothing else of them. */
const ALLOWED =
  /\.(?:audit_event|audit_look|access_event(?:_value)?_\d{4}_\d{2}|access_event_patient|access_part(?:_value)?|access_log_entry|access_log_party|erasure|fhir_resource|fhir_history|fhir_reference|fhir_text|fhir_text_queue|user_change)$/;

const site = await startDemoSystem(hooks);
let admin = '';
let db: pg.Client;
const person = { id: '', second: '', number: '', name: '', names: [''], email: '', token: '' };
const other = { id: '' };
/** Names of what was added for the person, and of others. */
const made: Record<string, string> = {};
const backup = path.join(files, 'before.kedja');

const erase = (...args: string[]) => start(args).ended;

function start(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  return run(['erase', ...args], more);
}

function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  return startCommand(args, {
    KEDJA_DATABASE_URL: site.databaseUrl,
    KEDJA_DATA_DIR: site.dataDir,
    KEDJA_PUBLIC_URL: site.engine,
    ...more,
  });
}

const rowsOf = async (text: string, values: unknown[] = []) => (await db.query(text, values)).rows;

/** The tables of all services with one of the texts, in any column. */
async function tablesWith(client: pg.Client, ...texts: string[]): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ('identity', 'dispatch', 'engine') AND c.relkind = 'r' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const patterns = texts.map((text) => `%${text}%`);
    const { rows } = await client.query(`SELECT FROM ${name} AS t WHERE t::text ILIKE ANY($1) LIMIT 1`, [patterns]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const engine = (address: string, options: Parameters<typeof call>[1] = {}) =>
  call(`${site.engine}/api/v1/${address}`, { token: admin, ...options });

async function put(name: string, resource: Record<string, unknown>): Promise<string> {
  const { body } = await engine(String(resource['resourceType']), { json: resource, expect: 201 });
  const address = `${resource['resourceType']}/${body.id}`;
  made[name] = address;
  return address;
}

const WORD = 'Kvittenrosett';

function observation(patient: string, text: string) {
  return {
    resourceType: 'Observation',
    status: 'final',
    code: { text },
    subject: { reference: `Patient/${patient}` },
  };
}

testLoading(site);

test('a patient of the demo is given records of every kind, and a backup is made', async () => {
  db = new pg.Client({ connectionString: site.databaseUrl });
  await db.connect();
  hooks.after(() => db.end());
  admin = (await call(`${site.identity}/api/auth/login`, { json: site.admin })).body.token;
  const [task] = await rowsOf(
    "SELECT patient_guid AS id FROM engine.provider_task WHERE status = 'completed' ORDER BY request_guid LIMIT 1",
  );
  person.id = task.id;
  const { body } = await engine(`Patient/${person.id}`);
  person.number = body.identifier[0].value;
  const [{ family, given }] = body.name;
  person.name = `${given[0]} ${family}`;
  // As in the columns of a table, and in JSON within a row's text.
  person.names = [person.name, `${given[0]},${family}`, `family"":""${family}"",""given"":[""${given[0]}""`];
  const [account] = await rowsOf(
    'SELECT u.email FROM identity.app_user u JOIN identity.patient p USING (user_guid) WHERE p.patient_guid = $1',
    [person.id],
  );
  person.email = account.email;
  const [neighbour] = await rowsOf(
    'SELECT patient_guid AS id FROM engine.provider_task WHERE patient_guid <> $1 ORDER BY request_guid LIMIT 1',
    [person.id],
  );
  other.id = neighbour.id;
  const credentials = { email: person.email, password: DEMO_PASSWORD };
  person.token = (await call(`${site.identity}/api/auth/login`, { json: credentials })).body.token;
  await addRecords();
  const saved = await run(['backup', backup]).ended;
  assert.equal(saved.code, 0, saved.stderr);
});

/** What the demo has not: old versions, deleted ones, attachments, records of two people, exports, stored responses. */
async function addRecords(): Promise<void> {
  const deleted = await put('deleted', observation(person.id, `${WORD} deleted`));
  await engine(deleted, { method: 'DELETE' });
  const moved = await put('moved', observation(person.id, `${WORD} before`));
  await engine(moved, { method: 'PUT', json: { ...observation(other.id, 'after'), id: moved.split('/')[1] } });
  const binary = await put('binary', { resourceType: 'Binary', contentType: 'text/plain', data: btoa(WORD) });
  await put('document', {
    resourceType: 'DocumentReference',
    status: 'current',
    subject: { reference: `Patient/${person.id}` },
    content: [{ attachment: { contentType: 'text/plain', url: binary, title: WORD } }],
  });
  await put('shared', {
    resourceType: 'Appointment',
    status: 'proposed',
    participant: [person.id, other.id].map((id) => ({ actor: { reference: `Patient/${id}` }, status: 'accepted' })),
  });
  await put('list', {
    resourceType: 'List',
    status: 'current',
    mode: 'working',
    entry: [{ item: { reference: `Patient/${person.id}` } }],
  });
  await addReportOfAnotherRecord();
  await engine('Observation', {
    json: observation(person.id, `${WORD} keyed`),
    headers: { 'idempotency-key': `"${crypto.randomUUID()}"` },
    expect: 201,
  });
  const kicked = await engine('Patient/$export', { headers: { prefer: 'respond-async' }, expect: 202 });
  made['export'] = kicked.headers.get('content-location') ?? '';
  await eventually('the export ended', async () =>
    (await call(made['export'] ?? '', { token: admin })).status === 200 ? true : undefined,
  );
  await engine(`Observation?_text=${WORD}`);
}

/** A second Patient of the person, at dispatch alone, and what was reported about it at the engine. */
async function addReportOfAnotherRecord(): Promise<void> {
  const { body: first } = await call(`${site.dispatch}/api/v1/Patient/${person.id}`, { token: admin });
  const { identifier, name, managingOrganization } = first;
  const json = { resourceType: 'Patient', identifier, name, managingOrganization };
  const { body } = await call(`${site.dispatch}/api/v1/Patient`, { token: admin, json, expect: 201 });
  person.second = body.id;
  await put('elsewhere', observation(person.second, `${WORD} about the record of dispatch`));
  await eventually('identity knows the record', async () => {
    const rows = await rowsOf('SELECT FROM identity.patient_record_number WHERE record_id = $1', [person.second]);
    return rows.length > 0 ? true : undefined;
  });
}

test('what would go is shown, in every service, and nothing is changed', async () => {
  const before = await tablesWith(db, ...person.names, person.number);
  assert.ok(before.length > 5, before.join(', '));
  const shown = await erase('--patient', person.number);
  assert.equal(shown.code, 0, shown.stderr);
  for (const row of [/^engine +Observation +\d+$/m, /^engine +Binary +1$/m, /^dispatch +rows of push_bundle +\d+$/m])
    assert.match(shown.stdout, row);
  assert.match(shown.stdout, /^engine +old versions of other resources +1$/m);
  assert.match(shown.stdout, /^engine +rows of bulk_job +1$/m);
  assert.match(shown.stdout, /^engine +stored responses +1$/m);
  assert.match(shown.stdout, /^identity +rows of app_user +1$/m);
  assert.match(shown.stdout, new RegExp(`of another person, too, and are kept: ${made['shared']}`));
  assert.match(shown.stdout, new RegExp(`refer to it and stay as they are.*${made['list']}`));
  assert.match(shown.stdout, /Had got the data/);
  assert.doesNotMatch(shown.stdout, new RegExp(`${person.number}|${person.name}`));
  const json = JSON.parse((await erase('--patient', person.id, '--json')).stdout);
  const ids = [person.id, person.second].toSorted();
  for (const service of ['dispatch', 'engine'])
    assert.deepEqual(json.target.patients[service].toSorted(), ids, service);
  assert.deepEqual(await tablesWith(db, ...person.names, person.number), before);
  assert.deepEqual(await rowsOf('SELECT FROM engine.erasure'), []);
});

test('it is refused without a decision, without a confirmation, and while something is to be decided', async () => {
  const refusals: [args: string[], says: RegExp][] = [
    [['--apply'], /--ground must name the decision[\s\S]*--decided-by must name who decided/],
    [DECISION, /of another person, too: say --shared keep or --shared erase/],
    [DECISION.filter((each) => each !== '--yes').concat('--shared', 'keep'), /no terminal to confirm on: say --yes/],
  ];
  for (const [args, says] of refusals) {
    const { code, stderr } = await erase('--patient', person.id, ...args);
    assert.deepEqual([code, says.test(stderr)], [1, true], stderr);
  }
  const unknown = await erase('--patient', '190001019802', ...DECISION);
  assert.deepEqual([unknown.code, /There is no such patient/.test(unknown.stderr)], [1, true], unknown.stderr);
  const wrong = await erase('--resource', `engine/Patient/${person.id}`, '--resource', 'Observation/1');
  assert.match(wrong.stderr, /by --patient\n.*"Observation\/1" is not of the form/);
  assert.deepEqual(await rowsOf('SELECT FROM engine.erasure'), []);
});

test('killed between two services nothing is half erased, and another run completes it', async () => {
  const blocker = new pg.Client({ connectionString: site.databaseUrl });
  await blocker.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM engine.provider_task WHERE patient_guid = $1 FOR UPDATE', [person.id]);
  const { child, ended } = start(['--patient', person.number, ...DECISION, '--shared', 'keep']);
  await eventually('dispatch was erased', async () => {
    const [row] = await rowsOf('SELECT erased_at FROM dispatch.erasure');
    return row?.erased_at ?? undefined;
  });
  child.kill('SIGKILL');
  await ended;
  await call(`${site.dispatch}/api/v1/Patient/${person.id}`, { token: admin, expect: 410 });
  assert.equal((await engine(`Patient/${person.id}`)).body.identifier[0].value, person.number);
  await engine(made['document'] ?? '', { expect: 200 });
  await blocker.query('ROLLBACK');
  await blocker.end();
  const listed = await erase('--list');
  assert.match(listed.stdout, /IVO 8\.2-1\/2026 +begun/);
  // An erasure of another target completes it first.
  const resumed = await erase('--resume');
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stdout, /^ERASURE [0-9a-f-]{36}$/m);
  assert.equal((await erase('--resume')).stderr, 'No erasure was interrupted.\n');
});

test('no table has anything of the person but ids, in access records and in references of others', async () => {
  const number = [person.number, `${person.number.slice(2, 8)}-${person.number.slice(8)}`];
  assert.deepEqual(await tablesWith(db, ...person.names, person.email, WORD, btoa(WORD), ...number), []);
  const withId = await tablesWith(db, person.id);
  assert.deepEqual(
    withId.filter((name) => !ALLOWED.test(name)),
    [],
  );
  assert.ok(withId.some((name) => name.startsWith('engine.access_event')));
  const contents = await rowsOf(
    `SELECT content FROM (SELECT content FROM engine.fhir_resource UNION ALL SELECT content FROM engine.fhir_history
       UNION ALL SELECT content FROM dispatch.fhir_resource UNION ALL SELECT content FROM dispatch.fhir_history) c
     WHERE content LIKE '%' || $1 || '%'`,
    [person.id],
  );
  const types = new Set(contents.map(({ content }) => JSON.parse(content).resourceType));
  assert.deepEqual([...types].toSorted(), ['Appointment', 'List']);
});

test('what was erased answers 410, is found by no search, and its id is not used again', async () => {
  for (const name of [`Patient/${person.id}`, made['document'], made['binary'], made['deleted']]) {
    const { body } = await engine(name ?? '', { expect: 410 });
    assert.match(body.issue[0].details.text, /has been erased/, String(name));
  }
  await engine(`Patient/${person.id}/_history/1`, { expect: 410 });
  const history = (await engine(`Patient/${person.id}/_history`)).body;
  assert.deepEqual(
    history.entry.map(({ request, resource }: { request: { method: string }; resource?: unknown }) => [
      request.method,
      resource,
    ]),
    [['DELETE', undefined]],
  );
  const moved = (await engine(`${made['moved']}/_history`)).body;
  assert.deepEqual(
    moved.entry.map(({ resource }: { resource: { code: { text: string } } }) => resource.code.text),
    ['after'],
  );
  for (const query of [
    `Patient?identifier=${person.number}`,
    `Observation?subject=Patient/${person.id}`,
    `Observation?_text=${WORD}`,
  ])
    assert.equal((await engine(query)).body.total, 0, query);
  assert.equal((await engine(made['list'] ?? '')).body.entry[0].item.reference, `Patient/${person.id}`);
  await call(made['export'] ?? '', { token: admin, expect: 404 });
  const again = { resourceType: 'Patient', id: person.id, active: true };
  await engine(`Patient/${person.id}`, { method: 'PUT', json: again, expect: 410 });
  const entry = [{ resource: again, request: { method: 'PUT', url: `Patient/${person.id}` } }];
  await engine('', { json: { resourceType: 'Bundle', type: 'transaction', entry }, expect: 410 });
  const line = path.join(files, 'again.ndjson');
  await writeFile(line, JSON.stringify(again));
  const imported = await run(['fhir', 'import', line]).ended;
  assert.match(`${imported.stdout}${imported.stderr}`, /has been erased: it is not written again/);
  assert.match(imported.stderr, /0 created, 0 updated/);
  await assert.rejects(
    db.query(`UPDATE engine.fhir_resource SET deleted = false WHERE rid = $1`, [person.id]),
    /erased is not written again/,
  );
});

test('the account is gone, its sessions have ended, and the access log has the erasure', async () => {
  const credentials = { email: person.email, password: DEMO_PASSWORD };
  await call(`${site.identity}/api/auth/login`, { json: credentials, expect: 401 });
  await eventually('the session had ended', async () => {
    const headers = { authorization: `Bearer ${person.token}` };
    const { status } = await fetch(`${site.engine}/api/v1/Patient/${person.id}`, { headers });
    return status === 401 ? true : undefined;
  });
  for (const service of ['identity', 'dispatch', 'engine']) {
    const [row] = await rowsOf(`SELECT resource FROM ${service}.audit_event WHERE event = 'patient.erase'`);
    assert.match(row?.resource ?? '', /ground: IVO 8\.2-1\/2026; decided by: IVO/, service);
  }
});

test('the certificate is genuine, and what it says is found by a check of all tables', async () => {
  const folder = path.join(site.dataDir, 'erasures');
  const [name = ''] = await readdir(folder);
  const file = path.join(folder, name);
  const text = await readFile(file, 'utf8');
  assert.doesNotMatch(text, new RegExp(`${person.number}|${person.name}|${person.email}`));
  const certificate = JSON.parse(text);
  assert.ok(certificate.services.engine.types.Observation.versions >= 3);
  assert.ok(certificate.receivers.length > 0 && certificate.receivers[0].requests > 0);
  const verified = await erase('--verify', file);
  assert.equal(verified.code, 0, verified.stderr);
  assert.match(verified.stdout, /the certificate is genuine[\s\S]*Nothing is left/);

  const changed = path.join(files, 'changed.json');
  await writeFile(changed, text.replace('IVO 8.2-1/2026', 'IVO 8.2-2/2026'));
  const refused = await erase('--verify', changed);
  assert.deepEqual([refused.code, /was changed/.test(refused.stderr)], [1, true]);

  await db.query(
    'INSERT INTO dispatch.form_catalogue (form_guid, title, status, fetched_at) VALUES ($1, $2, $1, now())',
    ['left', `${person.number.slice(2, 8)}-${person.number.slice(8)} and ${person.id}`],
  );
  const left = await erase('--verify', file);
  await db.query("DELETE FROM dispatch.form_catalogue WHERE form_guid = 'left'");
  assert.equal(left.code, 1);
  assert.match(left.stderr, /dispatch\.form_catalogue: 1 rows with an id of the person/);
  assert.match(left.stderr, /dispatch\.form_catalogue: a personnummer of the person/);
});

test('a record of two people is erased by its name, and only that', async () => {
  const { code, stderr } = await erase('--resource', `engine/${made['shared']}`, ...DECISION);
  assert.equal(code, 0, stderr);
  await engine(made['shared'] ?? '', { expect: 410 });
  assert.equal((await engine(`Patient/${other.id}`)).status, 200);
});

test('an older backup has what was erased; restore and doctor say so, and it is erased again', async () => {
  const restored = await createTestDatabase(hooks);
  const there = { KEDJA_DATABASE_URL: restored.url };
  const loaded = await run(['restore', backup], there).ended;
  assert.equal(loaded.code, 0, loaded.stderr);
  assert.match(loaded.stderr, /2 erasures are younger than the backup/);
  const client = new pg.Client({ connectionString: restored.url });
  await client.connect();
  hooks.after(() => client.end());
  // Which other tables have the name depends on what happened to this one's requests.
  const named = await tablesWith(client, ...person.names);
  for (const table of ['dispatch.fhir_resource', 'engine.fhir_resource', 'engine.provider_task'])
    assert.ok(named.includes(table), `${table}, not only ${named.join(', ')}`);
  const found = JSON.parse((await run(['doctor', '--json'], there).ended).stdout);
  const missing = found.findings.find(({ code }: { code: string }) => code === 'erasures.missing');
  assert.match(missing?.advice ?? '', /kedja erase --again --apply/);
  const listed = await start(['--again'], there).ended;
  assert.match(listed.stdout, /2 to be applied again/);
  // What is listed is not yet erased.
  assert.deepEqual(await tablesWith(client, ...person.names), named);
  const applied = await start(['--again', '--apply'], there).ended;
  assert.equal(applied.code, 0, applied.stderr);
  assert.deepEqual(await tablesWith(client, ...person.names, person.email, person.number, WORD), []);
  assert.equal((await start(['--again'], there).ended).stderr, 'The database has all erasures of the certificates.\n');
  const folder = path.join(site.dataDir, 'erasures');
  for (const name of await readdir(folder)) {
    const verified = await start(['--verify', path.join(folder, name)], there).ended;
    assert.equal(verified.code, 0, verified.stderr);
  }
});

test('what is written about the person afterwards is named by a check of the certificate', async () => {
  const folder = path.join(site.dataDir, 'erasures');
  const [first = ''] = (await readdir(folder)).toSorted();
  const late = await put('late', observation(person.second, 'written since'));
  const left = await erase('--verify', path.join(folder, first));
  assert.deepEqual([left.code, left.stderr.includes(`left: engine/${late}: `)], [1, true], left.stderr);
  const erased = await erase('--resource', `engine/${late}`, ...DECISION);
  assert.equal(erased.code, 0, erased.stderr);
  assert.equal((await erase('--verify', path.join(folder, first))).code, 0);
});
