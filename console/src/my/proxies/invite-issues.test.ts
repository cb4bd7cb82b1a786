// What an invitation to be a proxy lacks, as far as the console knows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteIssues } from './invite-issues.ts';

const known = { email: 'Anna@example.org', open: [{ named: 'bo@example.org' }, { named: null }] };
const issues = (named: string, until: string, now = '2026-12-31T11:00:00Z') =>
  inviteIssues({ named, until, may: 'read' }, { ...known, now: new Date(now) });

test('whom: missing, oneself, named already, and others', () => {
  assert.deepEqual(issues(' ', ''), { named: 'required', until: 'required' });
  assert.deepEqual(issues(' anna@EXAMPLE.org', '2027-01-01'), { named: 'self' });
  assert.deepEqual(issues('Bo@example.org', '2027-01-01'), { named: 'again' });
  assert.deepEqual(issues('19560725-****', '2027-01-01'), {});
});

test('the last day is counted in Sweden, where a new year begins before it does in UTC', () => {
  assert.deepEqual(issues('c@example.org', '2026-12-31'), {});
  assert.deepEqual(issues('c@example.org', '2026-12-31', '2026-12-31T23:30:00Z'), { until: 'past' });
  assert.deepEqual(issues('c@example.org', '2028-12-31'), {});
  assert.deepEqual(issues('c@example.org', '2029-01-02'), { until: 'far' });
});
