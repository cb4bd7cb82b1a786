import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { MATCH_STATUSES, type MatchState, PROGRESS_STATUSES } from './match-lifecycle.ts';
import {
  isWorkDone,
  moveServiceRequest,
  SERVICE_REQUEST_EVENTS,
  type ServiceRequestEvent,
  type ServiceRequestStatus,
  type Standing,
} from './service-request-lifecycle.ts';

const pending: MatchState = { status: 'pending', progress: 'none' };
const pushed: MatchState = { status: 'pushed', progress: 'none' };
const accepted: MatchState = { status: 'accepted', progress: 'none' };
const inWork: MatchState = { status: 'accepted', progress: 'in_progress' };
const failed: MatchState = { status: 'accepted', progress: 'rejected' };
const done: MatchState = { status: 'accepted', progress: 'completed' };
const declined: MatchState = { status: 'rejected', progress: 'rejected' };

/** The next state, or `409`. */
function next(standing: Standing, event: ServiceRequestEvent, matches: readonly MatchState[]): Standing | '409' {
  const isArchived = standing === 'archived';
  const status: ServiceRequestStatus = isArchived ? 'draft' : standing;
  try {
    return moveServiceRequest({ status, isArchived, matches }, event).to;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === 'conflict');
    assert.ok(error.message.includes(standing), 'the message names the state');
    return '409';
  }
}

// Decision D3, every event in every state with no match at all.
const EXPECTED: Record<ServiceRequestEvent, Record<Standing, Standing | '409'>> = {
  'edit-snapshot': row('draft', '409', '409', '409', '409', '409'),
  'edit-forms': row('draft', '409', '409', '409', '409', '409'),
  finalize: row('active', '409', '409', '409', '409', '409'),
  match: row('409', 'active', '409', '409', '409', '409'),
  push: row('409', 'active', '409', '409', '409', '409'),
  hold: row('409', 'on-hold', '409', '409', '409', '409'),
  resume: row('409', '409', 'active', '409', '409', '409'),
  revoke: row('revoked', 'revoked', 'revoked', '409', '409', '409'),
  complete: row('409', '409', '409', '409', '409', '409'),
  archive: row('draft', 'active', '409', 'revoked', 'completed', 'archived'),
};

type Cell = Standing | '409';

function row(...cells: [Cell, Cell, Cell, Cell, Cell, Cell]): Record<Standing, Cell> {
  const [draft, active, onHold, revoked, completed, archived] = cells;
  return { draft, active, 'on-hold': onHold, revoked, completed, archived };
}

for (const event of SERVICE_REQUEST_EVENTS) {
  test(`every state answers ${event} as decision D3 says`, () => {
    for (const [standing, expected] of Object.entries(EXPECTED[event])) {
      assert.equal(next(standing as Standing, event, []), expected, `${event} from ${standing}`);
    }
  });
}

test('revoke is refused once a match is accepted, whatever its progress', () => {
  for (const status of ['active', 'on-hold'] as const) {
    for (const open of [pending, pushed, declined]) assert.equal(next(status, 'revoke', [open]), 'revoked');
    for (const taken of [accepted, inWork, failed, done]) assert.equal(next(status, 'revoke', [pending, taken]), '409');
  }
});

test('an active request is archived only when nothing is pending, pushed or in work', () => {
  for (const open of [pending, pushed, accepted, inWork]) assert.equal(next('active', 'archive', [open]), '409');
  assert.equal(next('active', 'archive', [failed, declined]), 'active');
});

test('archiving sets the date once', () => {
  const situation = { status: 'draft', matches: [] } as const;
  assert.deepEqual(moveServiceRequest({ ...situation, isArchived: false }, 'archive').effects, ['set_archived_at']);
  assert.deepEqual(moveServiceRequest({ ...situation, isArchived: true }, 'archive').effects, []);
});

test('work is done when a match is completed and no push is unanswered and no work unfinished', () => {
  assert.equal(isWorkDone([]), false);
  assert.equal(isWorkDone([declined]), false);
  assert.equal(isWorkDone([failed]), false);
  assert.equal(isWorkDone([done]), true);
  assert.equal(isWorkDone([done, declined, failed]), true);
  assert.equal(isWorkDone([done, pending]), true, 'what was never sent keeps nobody waiting');
  for (const open of [pushed, accepted, inWork]) assert.equal(isWorkDone([done, open]), false);
  assert.equal(next('active', 'complete', [done]), 'completed');
  assert.equal(next('on-hold', 'complete', [done]), '409');
});

test('complete and resume name their effects', () => {
  const situation = { isArchived: false, matches: [done, pending] } as const;
  assert.deepEqual(moveServiceRequest({ ...situation, status: 'active' }, 'complete').effects, [
    'withdraw_open_matches',
  ]);
  assert.deepEqual(moveServiceRequest({ ...situation, status: 'on-hold' }, 'resume').effects, ['complete_if_done']);
});

test('an accepted match with any progress forbids revoke in every state', () => {
  for (const status of MATCH_STATUSES) {
    for (const progress of ['none', ...PROGRESS_STATUSES] as const) {
      const result = next('active', 'revoke', [{ status, progress }]);
      assert.equal(result, status === 'accepted' ? '409' : 'revoked');
    }
  }
});
