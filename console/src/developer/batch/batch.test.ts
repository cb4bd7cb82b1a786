// What became of the entries of a Bundle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bundle } from 'fhir/r5';
import { outcomesOf } from './batch.ts';

test('each entry says what was asked for, what it became, and why it failed', () => {
  const sent: Bundle = {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      { request: { method: 'POST', url: 'Patient' } },
      { request: { method: 'GET', url: 'Patient/none' } },
      { request: { method: 'GET', url: 'Patient/b' } },
    ],
  };
  const issue = [{ severity: 'error', code: 'not-found', details: { text: 'No' } }];
  const response = {
    resourceType: 'Bundle',
    type: 'batch-response',
    entry: [
      { response: { status: '201', location: 'http://x.org/api/v1/Patient/a-1/_history/1' } },
      {
        response: {
          status: '404',
          outcome: { resourceType: 'OperationOutcome', issue },
        },
      },
      { response: { status: '200' }, resource: { resourceType: 'Patient', id: 'b' } },
    ],
  } as Bundle;
  assert.deepEqual(outcomesOf(sent, response), [
    { number: 1, request: 'POST Patient', status: '201', isDone: true, reference: 'Patient/a-1', text: undefined },
    { number: 2, request: 'GET Patient/none', status: '404', isDone: false, reference: undefined, text: 'No' },
    { number: 3, request: 'GET Patient/b', status: '200', isDone: true, reference: 'Patient/b', text: undefined },
  ]);
});
