// Synchronisations in both directions while either side is killed (SIGKILL) repeatedly. In the end both have the same
// resources, each was created once, and none is missing; also when each side has deleted a part. KEDJA_SYNC_RESOURCES
// makes the test larger.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import type { Database } from '#lib/db/database.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';

const RESOURCES = Number(process.env['KEDJA_SYNC_RESOURCES'] ?? 600);
/** Of both sides in turn; the deletions are fewer. */
const KILLS = { writing: 4, deleting: 2 };
const LIMIT_MS = 120_000 + RESOURCES * 60;
const NODE = path.join(import.meta.dirname, '../../../test/support/engine/engine-process.ts');

interface Side {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
}

function makeSide(hooks: Hooks, databaseUrl: string, port: number): Side {
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  hooks.after(kill);
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    kill,
    async start() {
      const started = spawn(process.execPath, [NODE, databaseUrl, String(port)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child = started;
      await once(started.stdout, 'data');
    },
  };
}

const token = 'admin';

/** Makes patients by bundles. */
async function fill({ url }: Side, prefix: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += 500) {
    const entry = Array.from({ length: Math.min(500, count - start) }, (_, place) => {
      const id = `${prefix}-${start + place}`;
      const name = [{ family: `Efternamn ${id}`, given: ['Å', 'Ö'] }];
      return { resource: { resourceType: 'Patient', id, name }, request: { method: 'PUT', url: `Patient/${id}` } };
    });
    await call(`${url}/`, { token, json: { resourceType: 'Bundle', type: 'batch', entry } });
  }
}

/** Everything that a side has: the version and the text without what is the side's own, by id. */
async function contentsOf({ url }: Side): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  let page: string | undefined = `${url}/Patient?_count=1000&_sort=_id`;
  while (page !== undefined) {
    const { body } = await call(page, { token });
    for (const { resource } of body.entry ?? []) {
      const { meta, ...rest } = resource;
      assert.ok(!contents.has(resource.id), `${resource.id} comes twice`);
      contents.set(resource.id, `${meta.versionId} ${JSON.stringify(rest)}`);
    }
    const next = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;
    page = next === undefined ? undefined : `${url}/Patient${new URL(next).search}`;
  }
  return contents;
}

interface Pair {
  readonly near: Side;
  readonly far: Side;
  readonly database: Database;
}

/** Synchronises both ways while either side is killed again and again, and answers how the job ended. */
async function synchronise({ near, far, database }: Pair, most: number) {
  const input = { server: 'far', resource_types: ['Patient'], direction: 'both' };
  const { job_guid: guid } = (await call(`${near.url}/synchronize`, { json: input, token })).body;
  const progress = async () => {
    const { rows } = await database.query<{ state: string; read: number; fault: string | null }>(
      `SELECT state, fault, coalesce((counts->'pull'->>'read')::int, 0) + coalesce((counts->'push'->>'read')::int, 0) AS read
       FROM sync_job WHERE job_guid = $1`,
      [guid],
    );
    return rows[0] ?? { state: 'gone', read: 0, fault: null };
  };
  for (let kills = 1; kills <= most; kills += 1) {
    // Half of them at least are pulled, and all of them are looked at when it pushes.
    const mark = (RESOURCES * 1.5 * kills) / (most + 1);
    await eventually('the job came so far', async () => ((await progress()).read >= mark ? true : undefined), LIMIT_MS);
    const victim = kills % 2 === 0 ? far : near;
    await victim.kill();
    // The lease of the killed node ends, as it does by itself after a minute.
    await database.query('UPDATE sync_job SET leased_until = NULL');
    await victim.start();
  }
  const done = await eventually(
    'the job ended',
    async () => {
      const now = await progress();
      return now.state === 'running' ? undefined : now;
    },
    LIMIT_MS,
  );
  assert.deepEqual([done.state, done.fault], ['done', null]);
  const { body } = await call(`${near.url}/synchronize/${guid}`, { token });
  assert.equal(body.conflict_count, 0, JSON.stringify(body.conflicts));
}

test(`${RESOURCES} resources are synchronised exactly, and deletions of either side, although either is killed again and again`, async (t) => {
  const hooks = lastFirst(t);
  const schemas = [{ schema: 'engine', migrations }];
  const [nearDatabase, farDatabase] = [
    await createTestDatabase(hooks, { schemas }),
    await createTestDatabase(hooks, { schemas }),
  ];
  const [nearPort = 0, farPort = 0] = await freePorts(2);
  const near = makeSide(hooks, nearDatabase.url, nearPort);
  const far = makeSide(hooks, farDatabase.url, farPort);
  const pair = { near, far, database: nearDatabase.database('engine') };
  await Promise.all([near.start(), far.start()]);
  const half = RESOURCES / 2;
  await Promise.all([fill(near, 'near', half), fill(far, 'far', half)]);
  await call(`${near.url}/servers`, { token, json: { name: 'far', url: far.url, auth: { type: 'bearer', token } } });
  await synchronise(pair, KILLS.writing);
  const [ours, theirs] = [await contentsOf(near), await contentsOf(far)];
  assert.equal(ours.size, RESOURCES);
  assert.deepEqual(theirs, ours);
  assert.ok(
    [...ours.values()].every((text) => text.startsWith('1 ')),
    'each was written once on either side',
  );

  // Each side deletes a tenth, of its own and of the other's.
  const tenth = Array.from({ length: RESOURCES / 20 }, (_, place) => place);
  await remove(near, [...tenth.map((n) => `near-${n}`), ...tenth.map((n) => `far-${n}`)]);
  await remove(far, [...tenth.map((n) => `near-${half - 1 - n}`), ...tenth.map((n) => `far-${half - 1 - n}`)]);
  await synchronise(pair, KILLS.deleting);
  const left = await contentsOf(near);
  assert.equal(left.size, RESOURCES - 4 * tenth.length);
  assert.deepEqual(await contentsOf(far), left);
  assert.deepEqual(
    [...left.entries()],
    [...ours.entries()].filter(([id]) => left.has(id)),
    'nothing else was touched',
  );
  for (const id of ['near-0', 'far-0', `near-${half - 1}`, `far-${half - 1}`]) {
    for (const { url } of [near, far]) {
      const { body } = await call(`${url}/Patient/${id}/_history`, { token });
      assert.equal(body.entry.length, 2, 'each was deleted once');
    }
  }
});

async function remove({ url }: Side, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 500) {
    const entry = ids.slice(start, start + 500).map((id) => ({ request: { method: 'DELETE', url: `Patient/${id}` } }));
    await call(`${url}/`, { token, json: { resourceType: 'Bundle', type: 'batch', entry } });
  }
}
