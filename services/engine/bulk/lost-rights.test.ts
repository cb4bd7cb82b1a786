// Exports and imports do not outlive the rights of their requesters (decision G8): revoked keys, and users who were
// deleted or lost rights. They do not reveal how many resources their callers cannot read.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import type { Principal } from '#lib/auth/principal.ts';
import { CALLERS, ORGANISATION, OTHER_ORGANISATION, startTestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const ADMIN = '01900000-0000-7000-8000-0000000000e1';
const STAFF = '01900000-0000-7000-8000-0000000000e2';
const phases = new Set(['planning']);
const staff = (organisationGuids: string[]) =>
  makePrincipal(['professional', 'clinician'], { id: STAFF, organisationGuids, phases });
const boss = makePrincipal(['professional', 'clinician', 'admin'], { id: ADMIN });
/** What identity says of its users now. */
const users = new Map<string, Principal>();
const { app, engine, clock, call, logLines } = await startTestEngine(lastFirst({ after }), {
  callers: { boss, worker: staff([ORGANISATION, OTHER_ORGANISATION]) },
  readAccess: async (id) => users.get(id),
});

const headersOf = (caller: string) =>
  caller.startsWith('kedja_') ? { 'x-api-key': caller } : { authorization: `Bearer ${caller}` };
const path = (address: string) => address.replace('http://engine.test', '');

async function start(caller: string, url: string): Promise<string> {
  const headers = { ...headersOf(caller), prefer: 'respond-async' };
  const answer = await app.inject({ url: `/api/v1/${url}`, headers });
  assert.equal(answer.statusCode, 202, answer.payload);
  return String(answer.headers['content-location']);
}

/**
 * Sends an import whose last byte arrives when something has happened: it has begun by then, and nothing of it was
 * done.
 */
async function startImport(caller: string, id: string, happens: () => Promise<void>): Promise<string> {
  const lines = async function* () {
    yield JSON.stringify({ resourceType: 'Basic', id, code: { text: 'x' } });
    await happens();
    yield '\n';
  };
  const headers = {
    ...headersOf(caller),
    prefer: 'respond-async',
    'content-type': 'application/fhir+ndjson',
  };
  const answer = await app.inject({ method: 'POST', url: '/api/v1/$import', headers, payload: Readable.from(lines()) });
  assert.equal(answer.statusCode, 202, answer.payload);
  return String(answer.headers['content-location']);
}

const ask = (caller: string, address: string) => app.inject({ url: path(address), headers: headersOf(caller) });

/** The answer when the loops have done all there is to do. */
async function ended(caller: string, address: string) {
  for (let turn = 0; turn < 5_000; turn += 1) {
    const answer = await ask(caller, address);
    if (answer.statusCode !== 202) return answer;
    clock.time += 100;
    engine.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the job does not end');
}

async function keyWith(...scopes: string[]): Promise<{ guid: string; key: string }> {
  const { status, body, text } = await call('admin', 'POST', '/api-keys', { name: 'bulk', scopes });
  assert.equal(status, 201, text);
  return { guid: body.key_guid, key: body.key };
}

function assertEnded(answer: { statusCode: number; payload: string }, kind: string): void {
  assert.equal(answer.statusCode, 403, answer.payload);
  const [issue] = JSON.parse(answer.payload).issue;
  assert.equal(issue.code, 'forbidden');
  assert.equal(issue.details.text, `Whoever asked for this ${kind} may no longer have it: it was ended where it was`);
}

before(async () => {
  users.set(ADMIN, boss);
  users.set(STAFF, staff([ORGANISATION, OTHER_ORGANISATION]));
  for (const [caller, id] of [
    ['planner', 'ours'],
    ['stranger', 'theirs-1'],
    ['stranger', 'theirs-2'],
  ] as const) {
    const body = { resourceType: 'Observation', id, status: 'final', code: { text: id } };
    assert.equal((await call(caller, 'PUT', `/Observation/${id}`, body)).status, 201);
  }
});

test('a key that is revoked ends its export and its import', async () => {
  const { guid, key } = await keyWith('system/*.cruds');
  const exporting = await start(key, '$export?_type=Observation');
  const importing = await startImport(key, 'by-key', async () => {
    assert.equal((await call('admin', 'DELETE', `/api-keys/${guid}`)).status, 204);
  });
  assertEnded(await ended('boss', exporting), 'export');
  assertEnded(await ended('boss', importing), 'import');
  assert.equal((await call('admin', 'GET', '/Basic/by-key')).status, 404);
  assert.ok(logLines.some((line) => line.includes('bulk.rights-lost')));
});

test('who is removed, no admin any more, or left an organisation goes no further; who has more goes on', async () => {
  const importing = await startImport('boss', 'by-boss', async () => {
    users.set(ADMIN, staff([ORGANISATION]));
  });
  assertEnded(await ended('admin', importing), 'import');
  assert.equal((await call('admin', 'GET', '/Basic/by-boss')).status, 404);
  users.set(ADMIN, boss);

  const exporting = await start('worker', '$export?_type=Observation');
  users.set(STAFF, staff([ORGANISATION]));
  assertEnded(await ended('admin', exporting), 'export');
  const another = await start('worker', '$export?_type=Observation');
  users.delete(STAFF);
  assertEnded(await ended('admin', another), 'export');
  const { id: _, ...more } = CALLERS['admin'] ?? boss;
  const third = await start('worker', '$export?_type=Observation');
  users.set(STAFF, { ...more, id: STAFF });
  const done = await ended('worker', third);
  assert.equal(done.statusCode, 200, done.payload);
  assert.equal(done.json().output[0].count, 3);
});

test('the progress of an export shows nothing of what the caller does not see', async () => {
  const exporting = await start('planner', '$export?_type=Observation');
  const first = await ask('planner', exporting);
  assert.equal(first.headers['x-progress'], '0 %: 0 resources');
});
