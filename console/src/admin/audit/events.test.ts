// The audit log as a file, and how its pages follow each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, writeCsv } from '../../shared/csv.ts';
import { cursorIn, eventRows } from './events.ts';

test('the next page is found in the Link header', () => {
  const link = '</api/admin/audit?per_page=2&cursor=a%2Bb>; rel="next", </api/admin/audit>; rel="first"';
  assert.equal(cursorIn(link), 'a+b');
  assert.equal(cursorIn('</api/admin/audit>; rel="first"'), undefined);
  assert.equal(cursorIn(null), undefined);
});

test('a row says who did what to whom, and runs in no spreadsheet', () => {
  const event = {
    audit_guid: 'g',
    recorded_at: '2026-11-26T12:00:00.000+00:00',
    event: 'membership.rejected',
    action: 'U' as const,
    outcome: 'success' as const,
    actor: { user_guid: 'a', email: 'anna@example.org', service: null, operator: null, roles: ['admin'] },
    subject: { user_guid: 'b', email: null },
    patient_guid: null,
    entities: ['Group/1', 'Group/2'],
    address: '127.0.0.1',
    request_id: 'r',
    detail: '=cmd()',
  };
  const [heading, row, end] = writeCsv(eventRows([event]).map((cells) => cells.map(harmless))).split('\r\n');
  assert.match(heading ?? '', /^time,event,outcome,actor/);
  assert.equal(
    row,
    "2026-11-26T12:00:00.000+00:00,membership.rejected,success,anna@example.org,b,Group/1 Group/2,127.0.0.1,r,'=cmd()",
  );
  assert.equal(end, '');
});
