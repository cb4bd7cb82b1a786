// GET /bulk-jobs: whose exports and imports are listed, and how far they are.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { RECORDED_EVENTS } from '#test/support/engine/recorded-events.ts';

const { app, call, database } = await startTestEngine({ after });

const start = async (caller: string, url: string, payload?: string) => {
  const { headers, statusCode } = await app.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url: `/api/v1/${url}`,
    headers: {
      authorization: `Bearer ${caller}`,
      prefer: 'respond-async',
      ...(payload === undefined ? {} : { 'content-type': 'application/fhir+ndjson' }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  assert.equal(statusCode, 202);
  return String(headers['content-location']).split('/').at(-1);
};

test('people see their own jobs, administrators all, with how much is done', async () => {
  const own = await start('planner', '$export?_type=Patient');
  const imported = await start('admin', '$import', '{"resourceType":"Patient","active":true}\n');
  await database.query('UPDATE bulk_job SET done = 20, total = 57, counts = \'{"resources": 7}\' WHERE job_guid = $1', [
    own,
  ]);
  const { body: planners } = await call('planner', 'GET', '/bulk-jobs');
  assert.equal(planners.total, 1);
  const [{ created_at: createdAt, ...job }] = planners.data;
  assert.match(createdAt, /^\d{4}-.*Z$/);
  assert.deepEqual(job, {
    job_guid: own,
    kind: 'export',
    state: 'running',
    percent: 35,
    counts: { resources: 7 },
    fault: null,
    is_own: true,
    finished_at: null,
    cancelled_by: null,
  });
  const { body: all } = await call('admin', 'GET', '/bulk-jobs?per_page=1');
  assert.deepEqual(
    [all.total, all.data.length, all.data[0].job_guid, all.data[0].kind, all.data[0].is_own],
    [2, 1, imported, 'import', true],
  );
  assert.deepEqual(all.data[0].counts, { created: 0, updated: 0, unchanged: 0, faults: 0 });
  const { body: second } = await call('admin', 'GET', '/bulk-jobs?per_page=1&page=2');
  assert.deepEqual([second.data[0].job_guid, second.data[0].is_own], [own, false]);
});

test('what ended says how, a file that still arrives has no share, and imports by command are left out', async () => {
  await database.query("UPDATE bulk_job SET state = 'failed', fault = 'No longer allowed', finished_at = created_at");
  await database.query(
    `INSERT INTO bulk_job (job_guid, kind, state, owner, principal, request, created_at, next_at)
     SELECT gen_random_uuid(), kind, state, 'x', '{}', '{}', now() + interval '1 day', now()
     FROM (VALUES ('import', 'receiving'), ('file-import', 'done')) jobs (kind, state)`,
  );
  const { body } = await call('admin', 'GET', '/bulk-jobs');
  const shown = body.data.map(({ state, percent, fault }: Record<string, unknown>) => [state, percent, fault]);
  assert.deepEqual(shown[0], ['receiving', null, null]);
  assert.deepEqual([body.total, shown[2]?.[0], shown[2]?.[2]], [3, 'failed', 'No longer allowed']);
});

test('what was cancelled is listed with who, when and how much, has no address, and goes when it is discarded', async () => {
  await database.query('DELETE FROM bulk_job');
  const guid = await start('planner', '$export?_type=Patient');
  await database.query('UPDATE bulk_job SET done = 20, total = 57, counts = \'{"resources": 7}\'');
  await database.query("INSERT INTO bulk_file VALUES ($1, 2, 'output', 'Patient', 7, 100)", [guid]);
  const address = `/$export/${guid}`;
  assert.equal((await call('admin', 'DELETE', address)).status, 202);
  const { rows } = await database.query<{ files: string }>('SELECT count(*) AS files FROM bulk_file');
  assert.equal(Number(rows[0]?.files), 0);
  assert.equal((await call('planner', 'GET', address)).status, 404);
  const { rows: events } = await database.query<{ resource: string }>(
    `SELECT resource FROM ${RECORDED_EVENTS} WHERE event = 'bulk.cancel'`,
  );
  assert.equal(events.length, 1);
  assert.match(String(events[0]?.resource), new RegExp(`ids/bulk-export","value":"${guid}"`));
  const listed = async (caller: string) => (await call(caller, 'GET', '/bulk-jobs')).body.data;
  const [job] = await listed('planner');
  assert.deepEqual([job.state, job.percent, job.counts, job.is_own], ['cancelled', 35, { resources: 7 }, true]);
  assert.match(job.finished_at, /^\d{4}-.*Z$/);
  assert.equal(job.cancelled_by.is_caller, false);
  assert.equal((await listed('admin'))[0].cancelled_by.is_caller, true);
  // It does not count as one that runs.
  for (let count = 0; count < 3; count += 1) await start('planner', '$export?_type=Patient');
  assert.equal((await call('planner', 'DELETE', address)).status, 202);
  assert.equal((await call('planner', 'DELETE', address)).status, 404);
  assert.ok((await listed('admin')).every((each: { job_guid: string }) => each.job_guid !== guid));
});
