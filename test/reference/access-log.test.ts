// Runs the examples of the page on the access log over HTTP. It needs the engine with identity, a patient, and a nurse
// who has written and read a plan.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEngineWithIdentity } from '#test/support/engine/engine-with-identity.ts';
import { eventually } from '#test/support/http.ts';
import { makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/engine/access-log.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const { identity, engine, clock } = await startEngineWithIdentity(t);
  await engine.engine.start();
  const tokenOf = ({ authorization }: Readonly<Record<string, string>>) => String(authorization).slice(7);
  const nurse = await makeProfessional(identity, ['planning', 'analysis']);
  const rename = 'UPDATE organisation SET name = $1 WHERE organisation_guid = $2';
  await identity.database.query(rename, ['Region Norr', nurse.organisationGuid]);
  const patient = await makePatient(identity);
  const { patient_guid: guid } = patient.answer;
  const plan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${guid}` },
  };
  for (let count = 0; count < 2; count += 1) {
    clock.advance(1000);
    const written = await engine.call(tokenOf(nurse.headers), 'POST', '/CarePlan', plan);
    assert.equal(written.status, 201, written.text);
    clock.advance(1000);
    await engine.call(tokenOf(nurse.headers), 'GET', `/CarePlan/${written.body.id}`);
  }
  const token = tokenOf(patient.headers);
  await eventually('the accesses arrived', async () => {
    engine.engine.wake();
    const { data } = (await engine.call(token, 'GET', '/access-log?unit=norr')).body;
    return data.length === 4 || undefined;
  });
  const ENGINE = `${await engine.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  await testReferencePage(t, { page, variables: { ENGINE, PATIENT_TOKEN: token } });
});
