// A child and a guardian (decision L5). An administrator sets the right. The guardian reads and reports for the child
// until the thirteenth birthday, and has nothing once the right has ended.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { numberOfChild, type RegisteredPatient, recordWithNumber, register, untilStatus } from '../people.ts';
import { admitPatient } from '../request.ts';

export async function guardianActsForChild(story: Story): Promise<void> {
  const child = await register(story, 'Lova', numberOfChild());
  const guardian = await register(story, 'Maj');
  await admitPatient(story.addresses, { ...story.accounts, patientGuid: child.patientGuid });
  await story.walk('B4', async () => {
    const { addresses, accounts, library } = story;
    const asAdmin = { token: accounts.admin };
    const guardians = `${addresses.identity}/api/admin/patients/${child.patientGuid}/guardians`;
    const naming = { ...asAdmin, json: { guardian_patient_guid: guardian.patientGuid } };
    await call(guardians, { ...naming, token: accounts.planner, expect: 403 });
    const set = (await call(guardians, { ...naming, expect: 201 })).body;
    const thirteen = Number(child.personnummer.slice(0, 4)) + 13;
    assert.deepEqual(
      [set.may, new Date(set.ends_at).getUTCFullYear()],
      ['act', thirteen],
      'until the thirteenth birthday',
    );
    const headers = { 'kedja-patient': child.patientGuid };
    const record = `${addresses.dispatch}/Patient/${child.patientGuid}`;
    await untilStatus(200, record, { token: guardian.token, headers });
    await untilStatus(200, `${addresses.engine}/Observation`, { token: guardian.token, headers });
    const weight = {
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [library.concept] },
      valueQuantity: { value: 31, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
    };
    const report = { token: guardian.token, headers, json: weight };
    const made = (await call(`${addresses.engine}/Observation`, { ...report, expect: 201 })).body;
    assert.equal(made.subject.reference, `Patient/${child.patientGuid}`);
    await call(`${addresses.dispatch}/own-consents`, { ...report, json: { decision: 'deny' }, expect: 403 });
    const ended = await call(`${guardians}/${set.proxy_guid}`, { ...asAdmin, method: 'DELETE' });
    assert.equal(ended.body.ended_by, 'administrator');
    await untilStatus(403, record, { token: guardian.token, headers });
    await untilStatus(403, `${addresses.engine}/Observation`, { token: guardian.token, headers });
    await call(`${addresses.engine}/Observation`, { ...report, expect: 403 });
    await call(record, { token: child.token });
    await withoutAccount(story, guardian);
  });
}

/** A child who has no account: staff have made a record with its number, and the guardian gets at that. */
async function withoutAccount(story: Story, guardian: RegisteredPatient): Promise<void> {
  const { addresses, accounts } = story;
  const personnummer = numberOfChild(1);
  const recordId = await recordWithNumber(story, personnummer);
  const registration = {
    personnummer,
    first_name: 'Alva',
    last_name: 'Ek',
    organisation_guid: accounts.organisationGuid,
  };
  const patients = `${addresses.identity}/api/admin/patients`;
  await call(patients, { token: accounts.planner, json: registration, expect: 403 });
  const child = (await call(patients, { token: accounts.admin, json: registration, expect: 201 })).body.patient_guid;
  const json = { guardian_patient_guid: guardian.patientGuid };
  await call(`${patients}/${child}/guardians`, { token: accounts.admin, json, expect: 201 });
  const as = { token: guardian.token, headers: { 'kedja-patient': child } };
  await untilStatus(200, `${addresses.dispatch}/Patient/${recordId}`, as);
  const found = (await call(`${addresses.dispatch}/Patient`, as)).body;
  assert.deepEqual([found.total, found.entry[0].resource.id], [1, recordId], 'the record of the child, and no other');
}
