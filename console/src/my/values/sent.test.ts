// Which values of a report are sent, and under which key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from 'fhir/r5';
import { remaining } from './sent.ts';

function report(value: number): Observation {
  return { resourceType: 'Observation', status: 'final', code: { text: 'Puls' }, valueInteger: value };
}

test('what has arrived is not sent again, what was lost keeps its key, and what was changed is another report', () => {
  let made = 0;
  const makeKey = () => `new-${++made}`;
  const reports = [1, 2, 3, 4].map((value): [string, Observation] => [`q${value}`, report(value)]);
  const was = (value: number, hasArrived: boolean) => ({
    key: `old-${value}`,
    body: JSON.stringify(report(value)),
    hasArrived,
  });
  const sent = { q1: was(1, true), q2: was(2, false), q3: was(30, true) };
  assert.deepEqual(
    remaining(reports, sent, makeKey).map(({ id, key }) => [id, key]),
    [
      ['q2', 'old-2'],
      ['q3', 'new-1'],
      ['q4', 'new-2'],
    ],
  );
});
