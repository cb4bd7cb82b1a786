// A synchronisation in both directions whose either side is killed (SIGKILL) again and again on the way: in the end both have exactly the
// same, everything was made once, and nothing is missing. KEDJA_SYNC_RESOURCES makes it larger.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { call, eventually } from '#test/support/http.ts';
import { freePorts } from '#test/support/processes.ts';

const RESOURCES = Number(process.env['KEDJA_SYNC_RESOURCES'] ?? 600);
const KILLS = 4;
const LIMIT_MS = 120_000 + RESOURCES * 60;
const NODE = path.join(import.meta.dirname, '../../../test/support/engine-process.ts');

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

test(`${RESOURCES} resources are synchronised exactly although either side is killed ${KILLS} times`, async (t) => {
  const hooks = lastFirst(t);
  const schemas = [{ schema: 'engine', migrations }];
  const [nearDatabase, farDatabase] = [
    await createTestDatabase(hooks, { schemas }),
    await createTestDatabase(hooks, { schemas }),
  ];
  const [nearPort = 0, farPort = 0] = await freePorts(2);
  const near = makeSide(hooks, nearDatabase.url, nearPort);
  const far = makeSide(hooks, farDatabase.url, farPort);
  await Promise.all([near.start(), far.start()]);
  const half = RESOURCES / 2;
  await Promise.all([fill(near, 'near', half), fill(far, 'far', half)]);
  await call(`${near.url}/servers`, { token, json: { name: 'far', url: far.url, auth: { type: 'bearer', token } } });
  const input = { server: 'far', resource_types: ['Patient'], direction: 'both' };
  const { job_guid: guid } = (await call(`${near.url}/synchronize`, { json: input, token })).body;
  const job = nearDatabase.database('engine');
  const progress = async () => {
    const { rows } = await job.query<{ state: string; read: number; fault: string | null }>(
      `SELECT state, fault, coalesce((counts->'pull'->>'read')::int, 0) + coalesce((counts->'push'->>'read')::int, 0) AS read
       FROM sync_job WHERE job_guid = $1`,
      [guid],
    );
    return rows[0] ?? { state: 'gone', read: 0, fault: null };
  };
  for (let kills = 1; kills <= KILLS; kills += 1) {
    // Half of them are pulled, and all of them are looked at when it pushes.
    const mark = (RESOURCES * 1.5 * kills) / (KILLS + 1);
    await eventually('the job came so far', async () => ((await progress()).read >= mark ? true : undefined), LIMIT_MS);
    const victim = kills % 2 === 0 ? far : near;
    await victim.kill();
    // The lease of the killed node ends, as it does by itself after a minute.
    await job.query('UPDATE sync_job SET leased_until = NULL');
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
  const [ours, theirs] = [await contentsOf(near), await contentsOf(far)];
  assert.equal(ours.size, RESOURCES);
  assert.deepEqual(theirs, ours);
  assert.ok(
    [...ours.values()].every((text) => text.startsWith('1 ')),
    'each was written once on either side',
  );
});
