// Protected identity at dispatch (decision L1, docs/adr/0076). A provider does not learn where the person lives or is
// treated, in the pushed bundle and on the receipt page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { validateResource } from '#fhir/validation/validate.ts';
import { newGuid } from '#lib/guid.ts';
import { createSendingBench, ORGANISATION } from '../testing/sending-bench.ts';

const bench = await createSendingBench({ after });
const { call, db } = bench;
const LABEL = { system: 'http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel', code: 'sekretessmarkering' };
const READER = { system: 'https://kedja.dev/codes/protected-identity-reader', code: newGuid() };

async function pushed(security: readonly object[]) {
  const { id, patientGuid } = await bench.request([newGuid()]);
  await bench.put({
    resourceType: 'Patient',
    id: patientGuid,
    ...(security.length === 0 ? {} : { meta: { security } }),
    name: [{ family: 'Lind', given: ['Ada'] }],
    telecom: [{ system: 'phone', value: '070-111222' }],
    address: [{ line: ['Hemliga gatan 1'], city: 'Undansby' }],
    managingOrganization: { reference: `Organization/${ORGANISATION}` },
    contact: [{ telecom: [{ system: 'phone', value: '070-333444' }] }],
    generalPractitioner: [{ display: 'Dr Undan' }],
  });
  const answer = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const { rows } = await db.query<{ content: string }>(
    'SELECT content FROM push_bundle WHERE service_request_id = $1',
    [id],
  );
  const bundle = JSON.parse(rows[0]!.content);
  assert.deepEqual(
    validateResource(bundle).filter(({ severity }) => severity !== 'warning'),
    [],
  );
  const { resource } = bundle.entry.find((entry: { resource: object }) => 'name' in entry.resource);
  const [match] = await bench.matches(id);
  const link = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/matches/${match!.matchGuid}/link`);
  const token = String(link.body.link).split('#')[1] ?? '';
  const accept = await call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${token}/respond`, {
    decision: 'accepted',
  });
  assert.equal(accept.status, 200, JSON.stringify(accept.body));
  const page = await bench.app.inject({
    method: 'POST',
    url: '/receipt',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token }).toString(),
  });
  assert.equal(page.statusCode, 200, page.payload);
  return { text: rows[0]!.content, patient: resource, page: page.payload };
}

const PLACES = /Hemliga|Undan|070-111222|070-333444/;

test('a provider gets name and number of a protected person, and no address, telephone or unit', async () => {
  const { text, patient, page } = await pushed([LABEL, READER]);
  assert.doesNotMatch(text, PLACES);
  assert.deepEqual(Object.keys(patient).toSorted(), ['id', 'meta', 'name', 'resourceType']);
  assert.deepEqual(patient.meta, { security: [LABEL] }, 'with the label, and without those who are named');
  assert.match(page, /Lind/);
  assert.doesNotMatch(page, PLACES);
  const open = await pushed([]);
  assert.match(open.text, /Hemliga gatan 1/);
  assert.match(open.page, /Hemliga gatan 1/);
  assert.equal(open.patient.managingOrganization.reference, `Organization/${ORGANISATION}`);
});
