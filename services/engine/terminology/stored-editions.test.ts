// A code that is not in HL7's edition of a code system is refused, unless users have stored an edition with it
// (decision E3).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after });
const system = 'http://terminology.hl7.org/CodeSystem/v3-ActReason';
const basic = (code: string) => ({
  resourceType: 'Basic',
  meta: { tag: [{ system, code }] },
  code: { text: 'a' },
});

test('another edition that is stored counts', async () => {
  const refused = await call('planner', 'POST', '/Basic', basic('later'));
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /Basic\.meta\.tag\[0\]\.code must be a code of the code system http:\/\/terminology/);
  const concept = [{ code: 'later', display: 'Later' }];
  const edition = { resourceType: 'CodeSystem', url: system, version: '99.0.0', status: 'active', concept };
  const stored = await call('planner', 'POST', '/CodeSystem', { ...edition, content: 'complete', name: 'Reasons' });
  assert.equal(stored.status, 201, stored.text);
  assert.equal((await call('planner', 'POST', '/Basic', basic('later'))).status, 201);
  assert.equal((await call('planner', 'POST', '/Basic', basic('HTEST'))).status, 201);
  assert.equal((await call('planner', 'POST', '/Basic', basic('never'))).status, 422);
});
