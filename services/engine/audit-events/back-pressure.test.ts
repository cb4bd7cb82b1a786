// The engine while audit events cannot be stored (docs/adr/0113). It shows nothing for which the record would be far
// behind, says when to come again, and goes on by itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '#lib/db/pool.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { PATIENT, startEngineOn } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { migrations } from '../migrations.ts';

test('while events cannot be stored reads end with 503; afterwards each of before is found', async (t) => {
  const hooks = lastFirst(t);
  const { url, database } = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
  const { call, clock, engine } = await startEngineOn(hooks, database('engine'));
  const patient = { resourceType: 'Patient', id: PATIENT, name: [{ family: 'Ek' }] };
  assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, patient)).status, 201);
  await engine.start();
  const events = async () =>
    (await call('admin', 'GET', `/AuditEvent?patient=${PATIENT}&code=patient.read`)).body.total;

  // Somebody holds the table of events, such as an administrator with an open transaction.
  const other = createDatabase({ url, schema: 'engine' });
  t.after(() => other.close());
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const holding = other.transaction(async (tx) => {
    await tx.query('LOCK TABLE access_part IN ACCESS EXCLUSIVE MODE');
    isLocked();
    await released;
  });
  await locked;
  hooks.after(async () => release());
  assert.equal((await call('planner', 'GET', `/Patient/${PATIENT}`)).status, 200, 'a read is not held up at once');
  clock.time += 61_000;
  for (const path of [`/Patient/${PATIENT}`, `/Patient?_id=${PATIENT}`, `/Patient/${PATIENT}/_history`]) {
    const { status, headers, body, text } = await call('planner', 'GET', path);
    assert.deepEqual([status, headers['retry-after']], [503, '5'], path);
    assert.equal(body.resourceType, 'OperationOutcome');
    assert.match(text, /record of accesses is too far behind/);
  }
  assert.equal((await call('planner', 'GET', '/metadata')).status, 200, 'what is about no patient is served');
  assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, patient)).status, 200, 'changes are taken');

  release();
  await holding;
  await eventually('reads are served again', async () => {
    const { status } = await call('planner', 'GET', `/Patient/${PATIENT}`);
    return status === 200 ? true : undefined;
  });
  await eventually('both reads are events', async () => ((await events()) === 2 ? true : undefined));
});
