// Alike entries are one row with all their times; whoever, whatever and whichever day differs is a row of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsOf, type LogEntry } from './log-groups.ts';

const row = (
  at: string,
  { who = {}, ...others }: Partial<Record<'what' | 'outcome', string>> & { who?: object } = {},
): LogEntry => ({
  at,
  who: { name: 'Karin', role: 'läkare', unit: 'Björkliden', ...who },
  what: 'Läste 1 patient',
  outcome: 'success',
  ...others,
});
const dayOf = (moment: string) => moment.slice(0, 10);

test('alike entries of a day are one, also with others between them', () => {
  const rows = [row('2026-11-28T09'), row('2026-11-28T08', { who: { name: 'Amina' } }), row('2026-11-28T07')];
  const groups = groupsOf([...rows, row('2026-11-27T23')], dayOf);
  assert.deepEqual(
    groups.map(({ newest, times }) => [newest.who.name, times]),
    [
      ['Karin', ['2026-11-28T09', '2026-11-28T07']],
      ['Amina', ['2026-11-28T08']],
      ['Karin', ['2026-11-27T23']],
    ],
  );
});

test('what differs in who, for whom, what or how it ended stays apart', () => {
  const one = '2026-11-28T09';
  const differing = [
    row(one),
    row(one, { who: { role: 'sjuksköterska' } }),
    row(one, { who: { unit: 'Norrvik' } }),
    row(one, { who: { unit: null } }),
    row(one, { who: { for: 'Margareta' } }),
    row(one, { what: 'Läste 2 observationer' }),
    row(one, { outcome: 'refused' }),
  ];
  assert.equal(groupsOf(differing, dayOf).length, differing.length);
  assert.deepEqual(groupsOf([], dayOf), []);
});
