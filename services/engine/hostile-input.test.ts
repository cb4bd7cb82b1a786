// Hostile input to every kind of route: a clear error, never a 500, and nothing is stored (decision G2).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestInbox } from '#test/support/engine/engine-inbox.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';

const inbox = await startTestInbox({ after });
const { call, push } = inbox;
const { lib, weight, weighing } = await makeLibrary(inbox);

/**
 * A NUL, another control character, and half of a surrogate pair: PostgreSQL stores none of them in a text or a jsonb.
 */
const UNREADABLE = ['a\u0000b', 'a\u0007b', 'a\ud800b'];

test('texts that cannot be stored are refused by name', async () => {
  const { token } = await push();
  for (const text of UNREADABLE) {
    const bodies: [caller: string | undefined, path: string, body: object, field: string][] = [
      ['planner', '/units', { name: text, ucum_code: 'kg' }, 'name'],
      ['planner', '/units', { name: 'u', ucum_code: text }, 'ucum_code'],
      ['planner', '/canonical-libs', { name: 'l', url: 'urn:x', description: text }, 'description'],
      ['planner', '/canonical-libs', { name: 'l', url: `urn:${text}` }, 'url'],
      ['planner', '/concepts', { canonical_lib: lib, concept_name: text }, 'concept_name'],
      ['planner', '/concepts', { canonical_lib: lib, concept_name: 'c', concept_code: text }, 'concept_code'],
      [
        'planner',
        '/concepts',
        { canonical_lib: lib, concept_name: 'c', values: [{ code: text, display: 'd' }] },
        'values[0].code',
      ],
      ['planner', '/activities', { name: text, concept: weight }, 'name'],
      ['planner', '/goals', { name: text, concept: weight }, 'name'],
      ['planner', '/plan-definitions', { title: text, activities: [weighing] }, 'title'],
      ['admin', '/providers', { name: 'p', region: text }, 'region'],
      ['admin', '/contracts/match', { codes: [{ system: text, code: 'c' }], date: '2026-01-01' }, 'codes[0].system'],
      ['admin', '/api-keys', { name: text, scopes: ['system/*.r'] }, 'name'],
      [undefined, `/provider-tasks/${token}/reject`, { reason: text }, 'reason'],
      [undefined, `/provider-tasks/${token}/report`, { status: 'final', note: text }, 'note'],
    ];
    for (const [caller, path, body, field] of bodies) {
      const answer = await call(caller, 'POST', path, body);
      assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error'], `${path} ${answer.text}`);
      assert.ok(answer.body.message.includes(`'${field}'`) || field === 'ucum_code', answer.text);
    }
  }
});

test('addresses that lead nowhere are answered in our own form', async () => {
  const answers: [path: string, status: number, error: string][] = [
    ['/concepts?search=%00', 400, 'validation_error'],
    ['/concepts?page=99999999999999999999', 400, 'validation_error'],
    ['/concepts/%00', 404, 'not_found'],
    ['/provider-tasks/%00', 404, 'not_found'],
    ['/provider-tasks/%zz', 400, 'invalid_request'],
    [`/provider-tasks/${'x'.repeat(600)}`, 404, 'not_found'],
  ];
  for (const [path, status, error] of answers) {
    const answer = await call('planner', 'GET', path);
    assert.deepEqual([answer.status, answer.body.error], [status, error], path);
    assert.doesNotMatch(answer.text, /xxxx|%zz/);
  }
});

test('days and instants that are none are refused', async () => {
  const codes = [{ system: 'urn:x', code: 'c' }];
  for (const date of ['0000-01-01', '2026-02-30', '2026-1-1', '26-01-01']) {
    assert.equal((await call('service', 'POST', '/contracts/match', { codes, date })).status, 400, date);
  }
  for (const expires_at of ['0000-01-01T00:00:00Z', '2026-12-31T23:59:60Z', '2026-12-31', 'soon']) {
    const answer = await call('admin', 'POST', '/api-keys', { name: 'k', scopes: ['system/*.r'], expires_at });
    assert.equal(answer.status, 400, expires_at);
  }
});

test('bodies that are no JSON object are refused', async () => {
  for (const body of ['', 'null', '[]', '"x"', '{"name":', '{"name":"q","ucum_code":"kg","__proto__":{"x":1}}']) {
    assert.equal((await call('planner', 'POST', '/units', body)).status, 400, body);
  }
  const { token } = await push();
  for (const body of ['[]', '"x"', '{', '{"reason":1}']) {
    assert.equal((await call(undefined, 'POST', `/provider-tasks/${token}/reject`, body)).status, 400, body);
  }
});
