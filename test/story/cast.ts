// Act 1: the organisations, the professionals who ask for access and get it, the patient who registers, and their
// sign-ins.
import assert from 'node:assert/strict';
import { call } from './call.ts';
import type { Cast, World } from './world.ts';

const PASSWORD = 'skogens-grona-stigar-7';
/** A valid number of the tax agency's test series. */
const PERSONNUMMER = '19900118-9811';

export async function createCast(world: World): Promise<Cast> {
  const admin = await signIn(world, world.admin.email, world.admin.password);
  const region = await makeOrganisation(world, admin, 'Region Norr');
  const elsewhere = await makeOrganisation(world, admin, 'Region Syd');
  const planner = await admitProfessional(world, admin, {
    email: 'Karin.Lind@example.org',
    role: 'doctor',
    organisation: region,
    phases: ['planning', 'analysis'],
  });
  const stranger = await admitProfessional(world, admin, {
    email: 'olle.ek@example.org',
    role: 'nurse',
    organisation: elsewhere,
    phases: ['planning'],
  });
  const { patient, patientGuid } = await registerPatient(world, region);
  return { admin, planner, stranger, patient, patientGuid, organisationGuid: region };
}

async function signIn(world: World, email: string, password: string): Promise<string> {
  const { body } = await call(`${world.identity}/api/auth/login`, { json: { email, password } });
  return body.token;
}

async function makeOrganisation(world: World, admin: string, name: string): Promise<string> {
  const { body } = await call(`${world.identity}/api/admin/organisations`, {
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
}

/** Access request, endorsement and approval; then the handshake that carries the browser to the console. */
async function admitProfessional(world: World, admin: string, applicant: Applicant): Promise<string> {
  const { identity } = world;
  const leaders = (await call(`${identity}/api/public/group-leaders`)).body;
  const request = await call(`${identity}/api/public/access-request`, {
    json: {
      email: applicant.email,
      password: PASSWORD,
      first_name: 'Karin',
      last_name: 'Lind',
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
  const token = await handshake(world, applicant.email);
  const me = (await call(`${identity}/api/auth/me`, { token })).body;
  assert.deepEqual([me.user_guid, me.effective_phases.toSorted()], [approved.user_guid, applicant.phases.toSorted()]);
  return token;
}

/** Signs in by the sign-in page's form, and finds the token where the browser is sent. */
async function handshake(world: World, email: string): Promise<string> {
  const next = `${world.gateway}/app?x=1`;
  const page = await call(`${world.identity}/login?${new URLSearchParams({ next, state: 's 1' })}`);
  assert.match(page.text, /<form/);
  const response = await fetch(`${world.identity}/api/auth/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email, password: PASSWORD, next, state: 's 1' }),
  });
  assert.equal(response.status, 302);
  const target = new URL(response.headers.get('location') ?? '');
  assert.equal(target.origin + target.pathname, `${world.gateway}/app`);
  assert.deepEqual([target.searchParams.get('x'), target.searchParams.get('state')], ['1', 's 1']);
  return target.searchParams.get('token') ?? '';
}

async function registerPatient(world: World, organisation: string): Promise<{ patient: string; patientGuid: string }> {
  const email = 'astrid.berg@example.org';
  const { body } = await call(`${world.identity}/api/patient/register`, {
    json: { email, password: PASSWORD, personnummer: PERSONNUMMER, organisation_guid: organisation },
    expect: 201,
  });
  assert.deepEqual([body.resourceType, body.in_registry, body.registries], ['Patient', false, []]);
  return { patient: await signIn(world, email, PASSWORD), patientGuid: body.patient_guid };
}
