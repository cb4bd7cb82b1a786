// References: those within the service are followed, all others are text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetOf } from './services.ts';

test('a reference leads to what is at the same service', () => {
  const patient = { type: 'Patient', id: 'a-1.b' };
  for (const reference of [
    'Patient/a-1.b',
    'Patient/a-1.b/_history/3',
    'https://kedja.example.org/engine/api/v1/Patient/a-1.b',
  ])
    assert.deepEqual(targetOf('engine', reference), patient, reference);
  for (const reference of [
    '#contained',
    'urn:uuid:0190a1b2-0000-4000-8000-000000000000',
    'https://elsewhere.example.org/r5/Patient/1',
    'https://kedja.example.org/dispatch/api/v1/Patient/1',
    'Patient?identifier=1',
    'Patient',
  ])
    assert.equal(targetOf('engine', reference), undefined, reference);
});
