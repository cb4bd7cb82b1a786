// The turns of an export: pages are read ahead, and written only by the node that holds the job where they begin.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Principal } from '#lib/auth/principal.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { CALLERS, startTestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { createEngineStore } from '../engine-store.ts';
import { storePrincipal } from '../shared/principal-json.ts';
import { exportTurn, SETTLE_MS } from './export-job.ts';
import { listFiles, readBytes } from './files.ts';
import { claimJob, findJob, insertJob, renewLease } from './jobs.ts';

const TYPES = ['Basic', 'Device', 'Location'];
const [ours, theirs] = [newGuid(), newGuid()];
const { database, clock, call } = await startTestEngine(lastFirst({ after }));
const { store } = createEngineStore({
  database,
  clock,
  log: makeTestLogger([]),
  baseUrl: 'http://engine.test/api/v1',
});
const admin = CALLERS['admin'] as Principal;
const signal = new AbortController().signal;
const deps = { database, store, clock, rights: async (principal: Principal) => principal };

before(async () => {
  for (const type of TYPES) {
    for (const id of ['a', 'b']) {
      const body = { resourceType: type, id, ...(type === 'Basic' ? { code: { text: 'x' } } : {}) };
      const { status, text } = await call('admin', 'PUT', `/${type}/${id}`, body);
      assert.equal(status, 201, text);
    }
  }
});

async function claimed() {
  const at = clock.time;
  const guid = await insertJob(database, {
    kind: 'export',
    state: 'running',
    owner: `user:${admin.id}`,
    principal: storePrincipal(admin),
    request: { url: '', types: TYPES, at, filters: {}, elements: [] },
    total: 6,
    at: new Date(at),
  });
  clock.time += SETTLE_MS;
  return (await claim(guid, ours)) ?? assert.fail('the job cannot be claimed');
}

const claim = (only: string, holder: string) =>
  claimJob(database, { kind: 'export', holder, now: new Date(clock.time), only });

const stateOf = async (guid: string) => (await findJob(database, guid, 'export'))?.state;

/** Ends the lease, as time would, and lets another node claim the job: not while a page is being written. */
function taken(guid: string) {
  return eventually('another node takes the job', async () => {
    await database.query('UPDATE bulk_job SET leased_until = NULL WHERE job_guid = $1', [guid]);
    return claim(guid, theirs);
  });
}

async function exported(guid: string): Promise<string[]> {
  const lines: string[] = [];
  for (const { file, bytes } of await listFiles(database, guid)) {
    const pieces: Buffer[] = [];
    for await (const piece of readBytes(database, { job: guid, file, start: 0, end: bytes })) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    lines.push(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ resourceType, id }) => `${resourceType}/${id}`),
    );
  }
  return lines.toSorted();
}
const ALL = TYPES.flatMap((type) => [`${type}/a`, `${type}/b`]);

test('a turn writes pages until the job is done', async () => {
  const job = await claimed();
  let pages = 0;
  await exportTurn(job, ours, {
    ...deps,
    signal,
    pause: async () => {
      pages += 1;
    },
  });
  // Two of each type, as what follows the last resource is a page too, and the end.
  assert.equal(pages, 2 * TYPES.length + 1);
  assert.equal(await stateOf(job.job_guid), 'done');
  assert.deepEqual(await exported(job.job_guid), ALL);
});

test('a turn ends after the page at which its node is to stop, and another node goes on', async () => {
  const job = await claimed();
  await exportTurn(job, ours, { ...deps, signal: AbortSignal.abort() });
  assert.deepEqual([await stateOf(job.job_guid), await exported(job.job_guid)], ['running', ALL.slice(0, 2)]);
  await exportTurn(await taken(job.job_guid), theirs, { ...deps, signal });
  assert.deepEqual([await stateOf(job.job_guid), await exported(job.job_guid)], ['done', ALL]);
});

test('a page that was read ahead is thrown away when another node took the job meanwhile', async () => {
  for (const [last, returned] of [
    [3, false],
    [4, false],
    [4, true],
  ] as const) {
    const job = await claimed();
    let pages = 0;
    await exportTurn(job, ours, {
      ...deps,
      signal,
      pause: async () => {
        pages += 1;
        if (pages !== last) return;
        await exportTurn(await taken(job.job_guid), theirs, { ...deps, signal: AbortSignal.abort() });
        if (!returned) return;
        // The other node gives it back: held by us again, but further on than where we read.
        await database.query('UPDATE bulk_job SET holder = $2 WHERE job_guid = $1', [job.job_guid, ours]);
      },
    });
    const soFar = await exported(job.job_guid);
    assert.equal(new Set(soFar).size, soFar.length, `nothing is there twice: ${soFar}`);
    assert.equal(await stateOf(job.job_guid), 'running', 'we wrote no further');
    await exportTurn(await taken(job.job_guid), theirs, { ...deps, signal });
    assert.deepEqual([await stateOf(job.job_guid), await exported(job.job_guid)], ['done', ALL]);
  }
});

test('a page that takes longer than the lease is not read by another node, too', async () => {
  const job = await claimed();
  const lapse = () => database.query('UPDATE bulk_job SET leased_until = now() WHERE job_guid = $1', [job.job_guid]);
  const isHeld = async () => {
    const text = 'SELECT FROM bulk_job WHERE job_guid = $1 AND leased_until > statement_timestamp()';
    return (await database.query(text, [job.job_guid])).rowCount === 1 ? true : undefined;
  };
  let pages = 0;
  await exportTurn(job, ours, {
    ...deps,
    signal,
    renewEveryMs: 10,
    pause: async () => {
      pages += 1;
      if (pages > 1) return;
      await lapse();
      await eventually('the lease is renewed', isHeld);
      assert.equal(await claim(job.job_guid, theirs), undefined);
    },
  });
  assert.deepEqual((await exported(job.job_guid)).slice(0, 2), ALL.slice(0, 2), 'its page is written');
});

test('a job that another node has taken is not renewed by the one before', async () => {
  const job = await claimed();
  await taken(job.job_guid);
  await database.query('UPDATE bulk_job SET leased_until = now() WHERE job_guid = $1', [job.job_guid]);
  await renewLease(database, job.job_guid, ours);
  assert.ok(await claim(job.job_guid, ours), 'the lease has ended');
});

test('a page that was read before something was erased is read again', async () => {
  const job = await claimed();
  const erase = () =>
    database.query(
      `INSERT INTO erasure (erasure_guid, target, ground, decided_by, operator, begun_at, erased_at)
       VALUES ($1, '{}', 'Decision 1', 'Board', 'operator', now(), now())`,
      [newGuid()],
    );
  let isErased = false;
  const between: Database = {
    ...database,
    async transaction(work, options) {
      if (!isErased) await erase();
      isErased = true;
      return database.transaction(work, options);
    },
  };
  await exportTurn(job, ours, { ...deps, database: between, signal });
  assert.deepEqual([await stateOf(job.job_guid), await exported(job.job_guid)], ['running', []]);
  assert.equal(await claim(job.job_guid, ours), undefined, 'a moment later');
  clock.time += 1_000;
  const again = (await claim(job.job_guid, ours)) ?? assert.fail('the job cannot be claimed');
  await exportTurn(again, ours, { ...deps, database: between, signal });
  assert.deepEqual([await stateOf(job.job_guid), await exported(job.job_guid)], ['done', ALL]);
});

test('a page that cannot be written ends the turn with that failure', async () => {
  const job = await claimed();
  await database.query(`ALTER TABLE bulk_part ADD CONSTRAINT refused CHECK (job_guid <> '${job.job_guid}')`);
  await assert.rejects(exportTurn(job, ours, { ...deps, signal }), /refused/);
  assert.deepEqual([await stateOf(job.job_guid), await exported(job.job_guid)], ['running', []]);
});
