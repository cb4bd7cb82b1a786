// The patient names a proxy (decision L5): another registered patient, who accepts, reads the patient's record at both
// services by the header, decides no consent, and is let go.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import type { Accounts, Addresses } from './context.ts';

const PASSWORD = 'skogens-grona-stigar-7';
const EMAIL = 'bertil.berg@example.org';
const PROXIES = '/api/patient/proxies';

export async function proxyActs(addresses: Addresses, accounts: Accounts): Promise<void> {
  const { identity, engine, dispatch } = addresses;
  const { patient } = accounts;
  const person = { email: EMAIL, password: PASSWORD, personnummer: '19640823-3234' };
  const registration = { ...person, organisation_guid: accounts.organisationGuid };
  await call(`${identity}/api/patient/register`, { json: registration, expect: 201 });
  const login = { email: EMAIL, password: PASSWORD };
  const { token } = (await call(`${identity}/api/auth/login`, { json: login })).body;
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const naming = { token: patient, json: { email: EMAIL, may: 'read', until }, expect: 201 };
  const invited = (await call(`${identity}${PROXIES}`, naming)).body;
  await call(`${identity}${PROXIES}/${invited.proxy_guid}/accept`, { method: 'POST', token });
  const guid = (await call(`${identity}/api/auth/me`, { token: patient })).body.patient_guid;
  const headers = { 'kedja-patient': guid };
  const addressesOfRecord = [`${dispatch}/Patient/${accounts.patientGuid}`, `${engine}/Observation`];
  const statusesOf = async () => {
    const asked = addressesOfRecord.map((url) =>
      fetch(url, { headers: { ...headers, authorization: `Bearer ${token}` } }).then(({ status }) => status),
    );
    return (await Promise.all(asked)).join();
  };
  const untilBoth = (statuses: string) =>
    eventually(`both services answered ${statuses}`, async () =>
      (await statusesOf()) === statuses ? true : undefined,
    );
  await untilBoth('200,200');
  await call(`${dispatch}/Patient/${accounts.patientGuid}`, { token, expect: 404 });
  await call(`${dispatch}/own-consents`, { token, headers, json: { decision: 'deny' }, expect: 403 });
  const ended = await call(`${identity}${PROXIES}/${invited.proxy_guid}`, { method: 'DELETE', token: patient });
  assert.equal(ended.body.ended_by, 'patient');
  await untilBoth('403,403');
}
