// Whose data a read of a Patient was (decision G9): of that Patient, and of those to whom the version that was read
// links. Most texts of Patients are not read for that (docs/adr/0139).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { eventRecorder } from '#test/support/engine/recorded-events.ts';

const TWO = '01900000-0000-7000-8000-0000000000b2';
const { app, call, database } = await startTestEngine({ after });
const eventsThatComeOf = eventRecorder(database);

interface Event {
  readonly code: { readonly coding: readonly [{ readonly code: string }] };
  readonly patient: { readonly reference: string };
}

/** The patients of the events of reads that come of what is done. */
async function patientsOf(work: () => Promise<unknown>): Promise<string[]> {
  const events = (await eventsThatComeOf(work)) as Event[];
  const reads = events.filter(({ code }) => code.coding[0].code === 'patient.read');
  return reads.map(({ patient }) => patient.reference).sort();
}

test('a read of a Patient concerns those whom its version links to, however the member is written', async () => {
  const id = '01900000-0000-7000-8000-0000000000d1';
  const put = async (members: string) => {
    const { statusCode, body } = await app.inject({
      method: 'PUT',
      url: `/api/v1/Patient/${id}`,
      headers: { authorization: 'Bearer admin', 'content-type': 'application/fhir+json' },
      body: `{"resourceType":"Patient","id":"${id}"${members}}`,
    });
    assert.ok(statusCode === 200 || statusCode === 201, body);
  };
  const linking = (name: string) => `,"${name}":[{"other":{"reference":"Patient/${TWO}"},"type":"seealso"}]`;
  const readBefore = (then: string) =>
    patientsOf(async () => {
      assert.equal((await call('admin', 'GET', `/Patient/${id}`)).status, 200);
      // The version that was read is an older one when the record becomes events.
      await put(then);
    });
  const both = [`Patient/${TWO}`, `Patient/${id}`].sort();
  await put(',"active":true');
  assert.deepEqual(await readBefore(linking('link')), [`Patient/${id}`]);
  assert.deepEqual(await readBefore(linking('\\u006cink')), both);
  assert.deepEqual(await readBefore(''), both);
  assert.deepEqual(await readBefore(',"active":false'), [`Patient/${id}`]);
});
