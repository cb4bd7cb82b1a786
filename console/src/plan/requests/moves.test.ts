// What may be done with a request, as the state machine of dispatch has it, and the step that it is at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInWork, nextOf, partOf, type Situation, STEPS, stepOf, whyNot } from './moves.ts';

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
  const [pending, accepted] = [{ status: 'pending' }, { status: 'accepted', progress: 'in_progress' }];
  assert.equal(whyNot('push', at('active', pending, accepted)), 'taken');
  assert.equal(whyNot('push', at('active', pending, { ...accepted, progress: 'completed' })), 'done');
  assert.equal(whyNot('push', at('active', pending, { ...accepted, progress: 'rejected' })), undefined);
  assert.equal(whyNot('push', at('active', accepted)), 'noPending');
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

test('what is next follows the state, and what others wait for comes before what the planner waits for', () => {
  const next = (situation: Situation, unanswered = 0) => nextOf(situation, unanswered);
  assert.equal(next(at('draft')), 'finalize');
  assert.equal(next(at('active')), 'match');
  assert.equal(next(at('active', { status: 'pending' })), 'push');
  assert.equal(next(at('active', { status: 'pending' }, { status: 'pushed' })), 'wait');
  assert.equal(next(at('active', { status: 'pushed', delivery: { state: 'retrying' } })), 'wait');
  assert.equal(next(at('active', { status: 'pushed', delivery: { state: 'dead' } })), 'resend');
  const sent = { status: 'pushed', delivery: null };
  assert.equal(next(at('active', { ...sent, link_mail: { state: 'dead' } })), 'relink');
  assert.equal(next(at('active', { ...sent, link_mail: { state: 'sent' } })), 'wait');
  const discarded = { status: 'pushed', delivery: { state: 'cancelled', last_error: 'discarded' } };
  assert.equal(next(at('active', discarded)), 'relink', 'nobody sends it again');
  assert.equal(next(at('active', { ...discarded, link_mail: { state: 'queued' } })), 'wait');
  assert.equal(next(at('active', { status: 'pushed' }), 1), 'answer');
  assert.equal(next(at('active', { status: 'accepted', progress: 'in_progress' }, { status: 'pushed' })), 'work');
  assert.equal(next(at('active', { status: 'accepted', progress: 'in_progress' }), 1), 'answer');
  assert.equal(next(at('active', { status: 'accepted', progress: 'completed' })), 'read');
  assert.equal(next(at('active', { status: 'accepted', progress: 'rejected' })), 'matchAgain');
  assert.equal(next(at('active', { status: 'rejected' }, { status: 'expired' })), 'matchAgain');
  assert.equal(next(at('active', { status: 'rejected' }, { status: 'pending' })), 'push');
  assert.equal(next(at('on-hold', { status: 'pushed' }), 1), 'resume');
  assert.equal(next(at('completed', { status: 'accepted' })), 'read');
  assert.equal(next(at('revoked', { status: 'pushed' })), 'renew');
  assert.equal(next({ ...at('draft'), isArchived: true }), 'renew');
});

test('each step leads to a part of the page', () => {
  const parts = (situation: Situation) => STEPS.map((step) => partOf(step, situation));
  const rest = ['recipients', 'recipients', 'questions', 'results'];
  assert.deepEqual(parts(at('draft')), ['what', 'next', ...rest]);
  assert.deepEqual(parts(at('active')), ['what', 'forms', ...rest]);
  assert.deepEqual(parts({ ...at('draft'), isArchived: true }), ['what', 'forms', ...rest]);
});

test('a question is answered until the provider is done, or has no part in it', () => {
  assert.ok(isInWork({ status: 'pushed' }) && isInWork({ status: 'accepted', progress: 'in_progress' }));
  assert.ok(!isInWork({ status: 'accepted', progress: 'completed' }));
  assert.ok(!isInWork({ status: 'accepted', progress: 'rejected' }));
  assert.ok(!isInWork({ status: 'rejected' }) && !isInWork({ status: 'withdrawn' }));
});
