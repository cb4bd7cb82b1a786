// One person, one record (decision L1). A record that staff make after the registration is the patient's too, and staff
// find the patient by the number. The story shows what is done when a number or a person was taken for another.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { withCheckDigit } from '#test/support/identity/identity-people.ts';
import { admitProfessional } from '../accounts.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import {
  nextNumber,
  type RegisteredPatient,
  recordOf,
  recordWithNumber,
  register,
  untilStatus,
  userOf,
} from '../people.ts';

export async function onePersonHasOneRecord(story: Story): Promise<void> {
  const nils = await register(story, 'Nils');
  const record = await story.walk('P1', () => recordFollowsRegistration(story, nils));
  await Promise.all([
    story.walk('R1', () => staffFindThePatient(story, nils, record)),
    story.walk('B1', () => wrongNumberIsCorrected(story, nils)),
    story.walk('B2', () => twoRegistrationsBecomeOne(story)),
  ]);
}

/** The other order is that of the main workflow's patient. */
async function recordFollowsRegistration(story: Story, { token, personnummer }: RegisteredPatient): Promise<string> {
  const { addresses, accounts } = story;
  const json = recordOf(accounts.organisationGuid, personnummer);
  const atDispatch = await recordWithNumber(story, personnummer);
  const atEngine = (await call(`${addresses.engine}/Patient`, { token: accounts.planner, json, expect: 201 })).body.id;
  await untilStatus(200, `${addresses.dispatch}/Patient/${atDispatch}`, { token });
  await untilStatus(200, `${addresses.engine}/Patient/${atEngine}`, { token });
  const me = (await call(`${addresses.identity}/api/auth/me`, { token })).body;
  for (const records of [me.linked_records.engine, me.linked_records.dispatch]) {
    assert.deepEqual(records.toSorted(), [atDispatch, atEngine].toSorted());
  }
  await call(`${addresses.dispatch}/Patient/${accounts.patientGuid}`, { token, expect: 404 });
  return atDispatch;
}

async function staffFindThePatient(story: Story, patient: RegisteredPatient, record: string): Promise<void> {
  const { addresses, accounts } = story;
  const lookUp = (token: string, personnummer: string, expect = 200) =>
    call(`${addresses.identity}/api/patients/lookup`, { token, json: { personnummer }, expect });
  const { body } = await lookUp(accounts.planner, patient.personnummer);
  assert.deepEqual([body.patient_guid, body.is_registered], [patient.patientGuid, true]);
  assert.ok(body.records.some(({ service, id }: Record<string, string>) => service === 'dispatch' && id === record));
  await call(`${addresses.dispatch}/Patient/${record}`, { token: accounts.planner });
  const seenElsewhere = (await lookUp(accounts.stranger, patient.personnummer)).body;
  assert.deepEqual(seenElsewhere.records, [], 'another organisation learns of no record');
  await lookUp(accounts.planner, nextNumber(), 404);
  await lookUp(patient.token, patient.personnummer, 403);
  const query = `event=patient.lookup&user_guid=${await userOf(addresses, accounts.planner)}`;
  const audit = await call(`${addresses.identity}/api/admin/audit?${query}`, { token: accounts.admin });
  assert.ok(
    audit.body.some((each: Record<string, string>) => each['patient_guid'] === patient.patientGuid),
    audit.text,
  );
  assert.ok(!audit.text.includes(patient.personnummer), 'the number is in no audit record');
  await eventually('the patient saw the look-up', async () => {
    const { text } = await call(`${addresses.engine}/access-log?lang=sv`, { token: patient.token });
    return text.includes('Sökte personen med personnummer') ? true : undefined;
  });
}

/** A record of Nils got the number of somebody else, who is registered too. */
async function wrongNumberIsCorrected(story: Story, nils: RegisteredPatient): Promise<void> {
  const { addresses, accounts } = story;
  const other = await register(story, 'Ylva');
  const record = await recordWithNumber(story, other.personnummer);
  const url = `${addresses.dispatch}/Patient/${record}`;
  await untilStatus(200, url, other);
  const link = `${addresses.identity}/api/admin/patients/${other.patientGuid}/records/dispatch/${record}`;
  await call(link, { method: 'DELETE', token: accounts.admin });
  await untilStatus(404, url, other);
  const corrected = { ...recordOf(accounts.organisationGuid, nils.personnummer), id: record };
  await call(url, { method: 'PUT', token: accounts.planner, json: corrected });
  await untilStatus(200, url, nils);
  await call(url, { token: other.token, expect: 404 });
  const log = await call(`${addresses.engine}/access-log?lang=sv`, { token: other.token });
  assert.ok(log.body.data.length > 0, 'and the other person still reads who saw what while it was theirs');
}

/** A person who had a coordination number registers again with the personnummer. */
async function twoRegistrationsBecomeOne(story: Story): Promise<void> {
  const { addresses, accounts } = story;
  const { identity, dispatch } = addresses;
  const later = await register(story, 'Amina');
  const coordination = withCheckDigit(
    later.personnummer.slice(0, 6) +
      String(Number(later.personnummer.slice(6, 8)) + 60) +
      later.personnummer.slice(8, 11),
  );
  const former = await register(story, 'Amina.former', coordination);
  const again = {
    email: 'amina.again@example.org',
    password: 'skogens-grona-stigar-8',
    personnummer: later.personnummer,
  };
  const second = { ...again, organisation_guid: accounts.organisationGuid };
  await call(`${identity}/api/patient/register`, { json: second, expect: 409 });
  const records = [await recordWithNumber(story, coordination), await recordWithNumber(story, later.personnummer)];
  const merge = `${identity}/api/admin/users/${former.userGuid}/merge`;
  const asAdmin = { token: accounts.admin };
  await call(`${merge}?into_user_guid=${later.userGuid}`, asAdmin);
  await call(merge, { ...asAdmin, json: { into_user_guid: later.userGuid } });
  for (const record of records) await untilStatus(200, `${dispatch}/Patient/${record}`, later);
  await untilStatus(401, `${dispatch}/Patient`, former);
  for (const personnummer of [coordination, later.personnummer]) {
    const found = await call(`${identity}/api/patients/lookup`, { token: accounts.planner, json: { personnummer } });
    assert.equal(found.body.patient_guid, later.patientGuid, 'either number leads to one person');
  }
  const colleague = await admitProfessional(addresses, accounts.admin, {
    email: 'mats.dahl@example.org',
    name: ['Mats', 'Dahl'],
    role: 'doctor',
    organisation: accounts.organisationGuid,
    phases: ['analysis'],
  });
  await call(`${identity}/api/patients/lookup`, {
    token: colleague,
    json: { personnummer: coordination },
    expect: 403,
  });
}
