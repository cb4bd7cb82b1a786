// Numbers as people type them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPersonNumber } from './personnummer.ts';

const today = new Date('2026-11-26T12:00:00Z');
const read = (typed: string) => readPersonNumber(typed, today);

test('a number is read with or without century, and what is none is refused', () => {
  const astrid = { text: '19900118-9811', birthDate: '1990-01-18', isCoordination: false, gender: 'male' };
  for (const typed of ['19900118-9811', '199001189811', '900118-9811', ' 900118 9811 ']) {
    assert.deepEqual(read(typed), astrid, typed);
  }
  for (const typed of ['19900118-9812', '19900231-0000', '1990-01-18', '', 'abc', '20990118-9811']) {
    assert.equal(read(typed), undefined, typed);
  }
});

test('a plus says a hundred years, and sixty is added to the day of a coordination number', () => {
  assert.equal(read('121212-1212')?.birthDate, '2012-12-12');
  assert.equal(read('121212+1212')?.birthDate, '1912-12-12');
  const number = read('19700961-2396');
  assert.deepEqual(number && [number.birthDate, number.isCoordination], ['1970-09-01', true]);
});
