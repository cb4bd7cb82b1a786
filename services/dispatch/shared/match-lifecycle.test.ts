import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MATCH_EVENTS,
  MATCH_STATUSES,
  type MatchEvent,
  type MatchStatus,
  moveMatch,
  moveProgress,
  PROGRESS_STATUSES,
  type Progress,
  type ProgressStatus,
} from './match-lifecycle.ts';

// Decision D3: the next state, `=` for unchanged, `-` for refused.
const MATCH: Record<MatchEvent, string> = {
  //        pending   pushed    accepted rejected withdrawn expired
  push: '   pushed    -         -        -        -         -',
  accept: ' -         accepted  =        -        -         -',
  reject: ' -         rejected  -        =        -         -',
  withdraw: 'withdrawn withdrawn -        -        -         -',
  expire: ' -         expired   -        -        -         -',
};

const PROGRESS: Record<ProgressStatus, string> = {
  //            none         acknowledged in_progress completed rejected
  acknowledged: 'acknowledged =            -           -         -',
  in_progress: ' in_progress  in_progress  =           -         -',
  completed: '   completed    completed    completed   =         -',
  rejected: '    rejected     rejected     rejected    -         =',
};

for (const event of MATCH_EVENTS) {
  test(`every match status answers ${event} as decision D3 says`, () => {
    const cells = MATCH[event].trim().split(/\s+/);
    assert.equal(cells.length, MATCH_STATUSES.length);
    MATCH_STATUSES.forEach((status: MatchStatus, index) => {
      const moved = moveMatch(status, event);
      const repeated = moved?.effects.includes('repeat');
      assert.equal(moved === undefined ? '-' : repeated ? '=' : moved.to, cells[index], `${event} from ${status}`);
      if (repeated) assert.equal(moved?.to, status);
    });
  });
}

for (const report of PROGRESS_STATUSES) {
  test(`every progress answers the report ${report} as decision D3 says`, () => {
    const states: Progress[] = ['none', ...PROGRESS_STATUSES];
    const cells = PROGRESS[report].trim().split(/\s+/);
    assert.equal(cells.length, states.length);
    states.forEach((progress, index) => {
      const moved = moveProgress(progress, report);
      const repeated = moved?.effects.includes('repeat');
      assert.equal(moved === undefined ? '-' : repeated ? '=' : moved.to, cells[index], `${report} from ${progress}`);
    });
  });
}

test('reports of started or ended work imply acceptance, an acknowledgement does not', () => {
  assert.deepEqual(moveProgress('none', 'acknowledged')?.effects, []);
  assert.ok(moveProgress('none', 'in_progress')?.effects.includes('accept'));
  assert.ok(moveProgress('acknowledged', 'completed')?.effects.includes('accept'));
});

test('the provider of a pushed match is notified when it is withdrawn or expires, others are not', () => {
  assert.deepEqual(moveMatch('pushed', 'withdraw')?.effects, ['tell_provider']);
  assert.deepEqual(moveMatch('pushed', 'expire')?.effects, ['tell_provider', 'complete_if_done']);
  assert.deepEqual(moveMatch('pending', 'withdraw')?.effects, []);
});
