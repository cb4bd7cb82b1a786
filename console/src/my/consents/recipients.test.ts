// Each recipient is offered once, and only where it matches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recipientsOf } from './recipients.ts';

const organisations = new Map([
  ['o1', 'Hemsjukvården'],
  ['o2', 'Region Norr'],
]);
const carers = new Map([['p1', 'Hemsjukvården']]);

test('of an organisation and a caregiver with one name the caregiver is offered', () => {
  const offered = recipientsOf('', { organisations, carers, found: [] });
  assert.deepEqual(
    offered.map(({ guid }) => guid),
    ['p1', 'o2'],
  );
  const found = [{ guid: 'p9', name: 'Region Norr', place: 'Norr', partOf: 'o2' }];
  assert.deepEqual(recipientsOf('norr', { organisations, carers: new Map(), found }), found);
});

test('an organisation is offered beside a caregiver of the same name that is no part of it', () => {
  const found = [{ guid: 'p9', name: 'Region Norr', place: 'Boden', partOf: 'o7' }];
  assert.deepEqual(recipientsOf('norr', { organisations, carers: new Map(), found }), [
    ...found,
    { guid: 'o2', name: 'Region Norr' },
  ]);
});

test('what matches is offered: the own caregivers first, with the place that the directory has', () => {
  const found = [
    { guid: 'p2', name: 'Akuten', place: 'Norr' },
    { guid: 'p1', name: 'Hemsjukvården', place: 'Norr' },
  ];
  assert.deepEqual(recipientsOf('NORR', { organisations, carers, found }), [
    { guid: 'p1', name: 'Hemsjukvården', place: 'Norr' },
    { guid: 'p2', name: 'Akuten', place: 'Norr' },
    { guid: 'o2', name: 'Region Norr' },
  ]);
  assert.deepEqual(recipientsOf('sjuk hem', { organisations, carers, found: [] }), [
    { guid: 'p1', name: 'Hemsjukvården', place: undefined },
  ]);
  assert.deepEqual(recipientsOf('hem norr', { organisations, carers, found: [] }), []);
});
