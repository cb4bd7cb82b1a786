// Who asks for the access log of a patient without the right to it is in that log.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';

const { call, database } = await startTestEngine({ after });

test('a refused question for the access log of a patient is recorded about that patient, once', async () => {
  const recorded = async () => {
    const { rows } = await database.query<{ resource: string }>(
      `SELECT resource FROM audit_event WHERE event = 'access-log.read' AND outcome = 'failure'`,
    );
    return rows.filter(({ resource }) => resource.includes(`"Patient/${PATIENT}"`)).length;
  };
  for (const [index, path] of ['/access-log', '/access-log/export'].entries()) {
    assert.equal((await call('planner', 'GET', `${path}?format=csv&patient=${PATIENT}`)).status, 403);
    assert.equal(await recorded(), index + 1, path);
  }
  assert.equal((await call('planner', 'GET', '/access-log?patient=%00')).status, 403);
  assert.equal((await call('planner', 'GET', '/access-log')).status, 403);
  assert.equal(await recorded(), 2);
});
