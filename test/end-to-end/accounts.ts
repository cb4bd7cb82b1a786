// The first part of the workflow: the organisations, the professionals who ask for access and get it, the patient who
// registers, and their sign-ins.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import type { Accounts, Addresses } from './context.ts';

/** Of everybody but the administrator. */
export const PASSWORD = 'skogens-grona-stigar-7';
export const PATIENT_EMAIL = 'astrid.berg@example.org';
/** A valid number of the tax agency's test series. */
const PERSONNUMMER = '19900118-9811';

export async function createAccounts(addresses: Addresses): Promise<Accounts> {
  const admin = await signIn(addresses, addresses.admin.email, addresses.admin.password);
  const region = await makeOrganisation(addresses, admin, 'Region Norr');
  const elsewhere = await makeOrganisation(addresses, admin, 'Region Syd');
  const planner = await admitProfessional(addresses, admin, {
    email: 'Karin.Lind@example.org',
    role: 'doctor',
    organisation: region,
    phases: ['planning', 'analysis'],
  });
  const stranger = await admitProfessional(addresses, admin, {
    email: 'olle.ek@example.org',
    role: 'nurse',
    organisation: elsewhere,
    phases: ['planning'],
  });
  // Staff make the record before the patient registers: by the number both are one person (docs/adr/0068).
  const patientGuid = await recordPatient(addresses, { planner, organisation: region });
  const patient = await registerPatient(addresses, region);
  await eventually('the record was the registered patient’s', async () => {
    const { status } = await fetch(`${addresses.dispatch}/Patient/${patientGuid}`, {
      headers: { authorization: `Bearer ${patient}` },
    });
    return status === 200 ? true : undefined;
  });
  return { admin, planner, stranger, patient, patientGuid, organisationGuid: region };
}

export async function signIn(addresses: Addresses, email: string, password: string): Promise<string> {
  const { body } = await call(`${addresses.identity}/api/auth/login`, { json: { email, password } });
  return body.token;
}

export async function makeOrganisation(addresses: Addresses, admin: string, name: string): Promise<string> {
  const { body } = await call(`${addresses.identity}/api/admin/organisations`, {
    token: admin,
    json: { name },
    expect: 201,
  });
  assert.equal(body.resourceType, 'Organization');
  return body.organisation_guid;
}

interface Applicant {
  readonly email: string;
  readonly role: string;
  readonly organisation: string;
  readonly phases: readonly string[];
  /** First and last name. */
  readonly name?: readonly [string, string];
}

/** Access request, endorsement and approval; then the handshake that carries the browser to the console. */
export async function admitProfessional(addresses: Addresses, admin: string, applicant: Applicant): Promise<string> {
  const { identity } = addresses;
  const [firstName, lastName] = applicant.name ?? ['Karin', 'Lind'];
  const leaders = (await call(`${identity}/api/public/group-leaders`)).body;
  const request = await call(`${identity}/api/public/access-request`, {
    json: {
      email: applicant.email,
      password: PASSWORD,
      first_name: firstName,
      last_name: lastName,
      professional_role: applicant.role,
      organisation_guid: applicant.organisation,
      requested_phases: applicant.phases,
      chosen_leader_guid: leaders[0].user_guid,
    },
    expect: 201,
  });
  const decide = (decision: string, expect = 200) =>
    call(`${identity}/api/admin/access-requests`, {
      token: admin,
      json: { access_request_guid: request.body.access_request_guid, decision },
      expect,
    });
  await call(`${identity}/api/auth/login`, { json: { email: applicant.email, password: PASSWORD }, expect: 401 });
  await decide('endorsed');
  const approved = (await decide('approved')).body;
  assert.equal(approved.status, 'approved');
  await decide('approved', 409);
  const token = await handshake(addresses, applicant.email);
  const me = (await call(`${identity}/api/auth/me`, { token })).body;
  assert.deepEqual([me.user_guid, me.effective_phases.toSorted()], [approved.user_guid, applicant.phases.toSorted()]);
  return token;
}

/** Signs in by the sign-in page's form, and finds the token where the browser is sent. */
async function handshake(addresses: Addresses, email: string): Promise<string> {
  const next = `${addresses.gateway}/app?x=1`;
  const page = await call(`${addresses.identity}/login?${new URLSearchParams({ next, state: 's 1' })}`);
  assert.match(page.text, /<form/);
  const response = await fetch(`${addresses.identity}/api/auth/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email, password: PASSWORD, next, state: 's 1' }),
  });
  assert.equal(response.status, 302);
  const target = new URL(response.headers.get('location') ?? '');
  assert.equal(target.origin + target.pathname, `${addresses.gateway}/app`);
  assert.deepEqual([target.searchParams.get('x'), target.searchParams.get('state')], ['1', 's 1']);
  return target.searchParams.get('token') ?? '';
}

/** The patient's record in dispatch, under an id of its own, with the number as staff write it. */
async function recordPatient(
  { dispatch }: Addresses,
  { planner, organisation }: { readonly planner: string; readonly organisation: string },
): Promise<string> {
  const patient = {
    resourceType: 'Patient',
    identifier: [{ system: 'http://electronichealth.se/identifier/personnummer', value: PERSONNUMMER }],
    name: [{ family: 'Berg', given: ['Astrid'] }],
    gender: 'female',
    birthDate: '1990-01-18',
    managingOrganization: { reference: `Organization/${organisation}` },
  };
  return (await call(`${dispatch}/Patient`, { token: planner, json: patient, expect: 201 })).body.id;
}

/** The token of the patient. */
async function registerPatient(addresses: Addresses, organisation: string): Promise<string> {
  const email = PATIENT_EMAIL;
  const { body } = await call(`${addresses.identity}/api/patient/register`, {
    json: { email, password: PASSWORD, personnummer: PERSONNUMMER, organisation_guid: organisation },
    expect: 201,
  });
  assert.deepEqual([body.resourceType, body.in_registry, body.registries], ['Patient', false, []]);
  return signIn(addresses, email, PASSWORD);
}
