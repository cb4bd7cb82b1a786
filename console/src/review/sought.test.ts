// What is taken for a number, and what for an id.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soughtPatient } from './sought.ts';

test('a number in every usual spelling, a guid, and nothing else', () => {
  for (const typed of ['199001189811', '19900118-9811', ' 900118-9811 ', '9001189811', '19 900118 9811', '900118+9811'])
    assert.deepEqual(soughtPatient(typed), { kind: 'number', number: typed.replaceAll(' ', '') });
  const id = '01900000-0000-7000-8000-0000000000c1';
  assert.deepEqual(soughtPatient(` ${id.toUpperCase()}`), { kind: 'id', id });
  for (const typed of ['', ' ', 'Astrid Berg', '19900118', '1990011898111', '../x', `${id}/x`])
    assert.equal(soughtPatient(typed), undefined, typed);
});
