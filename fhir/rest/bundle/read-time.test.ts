// How long the reads of a bundle may take together: those that have not begun by then are refused, writes are not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient'], undefined, { bundleReadMs: 0 });
const entries = (id: string) => [
  { request: { method: 'GET', url: 'Patient' } },
  { request: { method: 'GET', url: `Patient/${id}/$meta` } },
  { request: { method: 'PUT', url: `Patient/${id}` }, resource: { resourceType: 'Patient', id } },
];
const send = (type: string, id: string) =>
  call('POST', '/', { body: { resourceType: 'Bundle', type, entry: entries(id) } });

test('a batch refuses the reads that have not begun in time, and writes what it is to write', async () => {
  const { body } = await send('batch', 'in-batch');
  assert.deepEqual(validateResource(body), []);
  const lines = body.entry.map((each: { response: { status: string } }) => each.response.status.slice(0, 3));
  assert.deepEqual(lines, ['503', '503', '201']);
  assert.equal(body.entry[0].response.outcome.issue[0].code, 'timeout');
  assert.equal((await call('GET', '/Patient/in-batch')).status, 200);
});

test('a transaction whose reads take too long is not carried out', async () => {
  const answer = await send('transaction', 'in-transaction');
  assert.deepEqual([answer.status, answer.body.issue[0].code, answer.headers['retry-after']], [503, 'timeout', '2']);
  assert.deepEqual(answer.body.issue[0].expression, ['Bundle.entry[0]']);
  assert.equal((await call('GET', '/Patient/in-transaction')).status, 404);
});
