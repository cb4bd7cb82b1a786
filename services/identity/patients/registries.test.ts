// An SU admin sets a patient's registries (decision I7).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const identity = await startIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();

const put = (guid: string, payload: object, headers: Record<string, string> = admin) =>
  app.inject({ method: 'PUT', url: `/api/admin/patients/${guid}/registries`, headers, payload });
const seen = async (headers: Record<string, string>) => {
  const own = async (url: string) => {
    const { in_registry, registries } = (await app.inject({ url, headers })).json();
    return { in_registry, registries };
  };
  const blob = await own('/api/auth/me');
  assert.deepEqual(await own('/api/patient/registry-status'), blob);
  return blob;
};

test('the registries are in the patient’s access blob and registry status at once, and in_registry follows', async () => {
  const { answer, headers } = await makePatient(identity);
  const { user_guid, patient_guid } = answer;
  assert.deepEqual(await seen(headers), { in_registry: false, registries: [] });
  const set = await put(patient_guid, { registries: ['Swedeheart', ' RiksSår '] });
  const registries = ['Swedeheart', 'RiksSår'];
  assert.deepEqual([set.statusCode, set.json()], [200, { user_guid, patient_guid, in_registry: true, registries }]);
  assert.deepEqual(await seen(headers), { in_registry: true, registries });
  const emptied = await put(patient_guid, { registries: [] });
  assert.deepEqual(emptied.json(), { user_guid, patient_guid, in_registry: false, registries: [] });
  assert.deepEqual(await seen(headers), { in_registry: false, registries: [] });
  assert.ok((await auditedEvents(identity)).includes('patient.registries'));
});

test('404 for an unknown patient, 400 naming every error, and nothing changes', async () => {
  const { answer, headers } = await makePatient(identity);
  const professional = (await makeProfessional(identity)).userGuid;
  for (const guid of [UNKNOWN, 'none', answer.user_guid, professional]) {
    assert.equal((await put(guid, { registries: [] })).statusCode, 404, guid);
  }
  for (const payload of [{}, { registries: 'x' }, { registries: [' '] }, { registries: ['a\u0000'] }, { names: [] }]) {
    const refused = await put(answer.patient_guid, payload);
    assert.deepEqual([refused.statusCode, refused.json().error], [400, 'validation_error']);
  }
  const twice = (await put(answer.patient_guid, { registries: ['a', 'b', 'a ', 'b'] })).json();
  assert.deepEqual([twice.error, twice.messages.length], ['validation_error', 2]);
  assert.deepEqual(await seen(headers), { in_registry: false, registries: [] });
});

test('50 replacements at once: one of them whole is what stays', async () => {
  const { answer, headers } = await makePatient(identity);
  const names = (index: number) => [`first ${index}`, `second ${index}`];
  const answers = await fifty((index) => put(answer.patient_guid, { registries: names(index) }));
  assert.ok(answers.every((each) => each.statusCode === 200));
  const { registries } = await seen(headers);
  assert.ok(Array.from({ length: 50 }, (_, index) => names(index).join()).includes(registries.join()));
});
