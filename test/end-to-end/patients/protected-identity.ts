// A person with a protected identity (decision L1): the person and the own unit see the record, others only when the
// unit names them. A provider gets no address, and no log discloses the unit.
import assert from 'node:assert/strict';
import { promptly } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { userOf, withPatient } from '../people.ts';
import { arrivalOf, makeRequest, pushTo } from '../request.ts';

const LABELS = 'http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel';
const READER = 'https://kedja.dev/codes/protected-identity-reader';
const CITY = 'Undansby';

export async function protectedIdentityStaysProtected(story: Story): Promise<void> {
  const about = await withPatient(story, 'Rut');
  await story.walk('B3', async () => {
    await onlyThoseNamedSeeIt(about);
    await providersGetNoAddress(about);
    const { addresses, accounts } = about;
    const log = `${addresses.engine}/access-log?patient=${accounts.patientGuid}&lang=sv&per_page=200`;
    await promptly(
      'administrators were shown no unit',
      async () => (/Region Norr/.test((await call(log, { token: accounts.admin })).text) ? undefined : true),
      2_500,
    );
    const own = await call(`${addresses.engine}/access-log?lang=sv&per_page=200`, { token: accounts.patient });
    assert.match(own.text, /Region Norr/, 'the person sees who it was');
  });
}

function label(story: Story, readers: readonly string[]): Promise<unknown> {
  const { addresses, accounts } = story;
  const security = [
    { system: LABELS, code: 'sekretessmarkering' },
    ...readers.map((code) => ({ system: READER, code })),
  ];
  const json = {
    resourceType: 'Patient',
    id: accounts.patientGuid,
    meta: { security },
    name: [{ family: 'Alm', given: ['Rut'] }],
    address: [{ city: CITY }],
    telecom: [{ system: 'phone', value: '+46701740605' }],
    managingOrganization: { reference: `Organization/${accounts.organisationGuid}` },
  };
  const url = `${addresses.dispatch}/Patient/${accounts.patientGuid}`;
  return call(url, { method: 'PUT', token: accounts.planner, json });
}

async function onlyThoseNamedSeeIt(story: Story): Promise<void> {
  const { addresses, accounts } = story;
  const url = `${addresses.dispatch}/Patient/${accounts.patientGuid}`;
  await label(story, []);
  for (const token of [accounts.patient, accounts.planner]) assert.match((await call(url, { token })).text, /Undansby/);
  await call(url, { token: accounts.admin, expect: 404 });
  const search = `${addresses.dispatch}/Patient?family=alm&_total=accurate`;
  assert.equal((await call(search, { token: accounts.admin })).body.total, 0);
  await label(story, [await userOf(addresses, accounts.admin)]);
  await call(url, { token: accounts.admin });
  await call(url, { token: accounts.stranger, expect: 404 });
  await label(story, []);
  await call(url, { token: accounts.admin, expect: 404 });
}

async function providersGetNoAddress(story: Story): Promise<void> {
  const { addresses, library } = story;
  const guid = await pushTo(library.outside, story, await makeRequest(story));
  const arrival = await arrivalOf(addresses, 'request.dispatched', guid);
  assert.match(arrival.body, /"family":"Alm"/);
  assert.doesNotMatch(arrival.body, /Undansby|46701740605/);
}
