// What may be done with a request, as the state machine of dispatch has it, and the step that it is at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInWork, type Situation, stepOf, whyNot } from './moves.ts';

const at = (status: string, ...matches: Situation['matches'][number][]): Situation => ({
  status,
  isArchived: false,
  matches,
});

test('each move is refused with its reason', () => {
  assert.equal(whyNot('finalize', at('draft')), undefined);
  assert.equal(whyNot('finalize', at('active')), 'notDraft');
  assert.equal(whyNot('match', at('draft')), 'notActive');
  assert.equal(whyNot('push', at('active')), 'noPending');
  assert.equal(whyNot('push', at('active', { status: 'pending' })), undefined);
  assert.equal(whyNot('resume', at('active')), 'notHeld');
  assert.equal(whyNot('revoke', at('active', { status: 'pushed' })), undefined);
  assert.equal(whyNot('revoke', at('active', { status: 'accepted' })), 'accepted');
  assert.equal(whyNot('revoke', at('completed')), 'ended');
  assert.equal(whyNot('archive', at('active', { status: 'pushed' })), 'open');
  assert.equal(whyNot('archive', at('active', { status: 'accepted', progress: 'completed' })), undefined);
  assert.equal(whyNot('archive', at('active', { status: 'pending' }, { status: 'rejected' })), 'unsent');
  assert.equal(whyNot('archive', at('active', { status: 'pending' }, { status: 'pushed' })), 'open');
  assert.equal(whyNot('archive', at('on-hold')), 'notActive');
  assert.equal(whyNot('archive', { ...at('draft'), isArchived: true }), 'archived');
});

test('the step follows the matches', () => {
  assert.deepEqual(
    [at('draft'), at('active'), at('active', { status: 'pending' }), at('active', { status: 'pushed' })].map(stepOf),
    [1, 2, 3, 4],
  );
  assert.deepEqual([at('active', { status: 'accepted' }), at('completed', { status: 'accepted' })].map(stepOf), [5, 6]);
});

test('a question is answered until the provider is done, or has no part in it', () => {
  assert.ok(isInWork({ status: 'pushed' }) && isInWork({ status: 'accepted', progress: 'in_progress' }));
  assert.ok(!isInWork({ status: 'accepted', progress: 'completed' }));
  assert.ok(!isInWork({ status: 'accepted', progress: 'rejected' }));
  assert.ok(!isInWork({ status: 'rejected' }) && !isInWork({ status: 'withdrawn' }));
});
