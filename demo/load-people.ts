// Loads the demo's organisations and professionals into identity, found again by name or e-mail address, and their care
// teams.
import Type from 'typebox';
import { type Api, createApi, read } from './api.ts';
import {
  CARE_TEAMS,
  DEMO_PASSWORD,
  emailOf,
  ORGANISATIONS,
  type OrganisationKey,
  PRIVACY_OFFICER,
  PROFESSIONALS,
  type Professional,
  type ProfessionalKey,
} from './content/people.ts';
import { existsOrPut } from './records.ts';
import { forEachOf, type Progress } from './work.ts';

const Organisations = Type.Array(Type.Object({ organisation_guid: Type.String(), name: Type.String() }));
const Organisation = Type.Object({ organisation_guid: Type.String() });
const Leaders = Type.Array(Type.Object({ user_guid: Type.String(), is_su_admin: Type.Boolean() }));
const OpenRequests = Type.Array(Type.Object({ access_request_guid: Type.String(), email: Type.String() }));
const Submitted = Type.Object({ access_request_guid: Type.String() });
const SignedIn = Type.Object({ token: Type.String() });
const Me = Type.Object({ user_guid: Type.String(), professional_guid: Type.String() });

export type OrganisationGuids = Readonly<Record<OrganisationKey, string>>;
/** Tokens of the professionals. */
export type Staff = ReadonlyMap<string, { readonly token: string; readonly professionalGuid: string }>;

export async function signIn(identity: string, email: string, password: string): Promise<string> {
  return (await createApi(identity).post('/api/auth/login', { email, password }, SignedIn)).token;
}

export async function loadOrganisations(admin: Api, progress: Progress): Promise<OrganisationGuids> {
  const known = await admin.get('/api/admin/organisations', Organisations);
  const find = async (key: OrganisationKey): Promise<string> => {
    const name = ORGANISATIONS[key];
    const found = known.find((organisation) => organisation.name === name);
    const { organisation_guid: guid } = found ?? (await admin.post('/api/admin/organisations', { name }, Organisation));
    progress.step('organisations');
    return guid;
  };
  const [primary, hospital] = [await find('primary'), await find('hospital')];
  return { primary, hospital, home: await find('home'), lungs: await find('lungs') };
}

/** Makes the organisation that of the provider, whose staff its professionals then are. */
export async function linkProvider(admin: Api, organisationGuid: string, providerGuid: string): Promise<void> {
  const path = `/api/admin/organisations/${organisationGuid}/provider`;
  await admin.put(path, { provider_guid: providerGuid }, Organisation);
}

/** Access requests, approved by the administrator; then every professional signs in. */
export async function loadProfessionals(
  identity: string,
  admin: Api,
  options: { organisations: OrganisationGuids; progress: Progress },
): Promise<Staff> {
  const { organisations, progress } = options;
  const leaders = await admin.get('/api/public/group-leaders', Leaders);
  const leader = leaders.find((entry) => entry.is_su_admin)?.user_guid;
  const open = new Map(
    (await admin.get('/api/admin/access-requests', OpenRequests)).map((entry) => [
      entry.email,
      entry.access_request_guid,
    ]),
  );
  const admit = async ([key, person]: [string, Professional]) => {
    const application = { ...applicationOf(person, organisations), chosen_leader_guid: leader };
    const request = open.get(application.email) ?? (await submit(admin, application));
    if (request !== undefined) {
      const decision = { access_request_guid: request, decision: 'approved' };
      await admin.post('/api/admin/access-requests', decision, Type.Object({}));
    }
    const token = await signIn(identity, application.email, DEMO_PASSWORD);
    const me = await createApi(identity, { token }).get('/api/auth/me', Me);
    const { professional_guid: professionalGuid, user_guid: user } = me;
    if (key === PRIVACY_OFFICER)
      await admin.patch(`/api/admin/users/${user}`, { is_privacy_officer: true }, Type.Object({}));
    progress.step('professionals');
    return [key, { token, professionalGuid }] as const;
  };
  return new Map(await forEachOf(Object.entries<Professional>(PROFESSIONALS), admit));
}

/** Undefined when the person has an account. */
async function submit(admin: Api, application: { readonly email: string }): Promise<string | undefined> {
  const { status, body } = await admin.reply('POST', '/api/public/access-request', application);
  if (status === 409) return undefined;
  const what = `The access request of ${application.email} (${status})`;
  return read(body, Submitted, what).access_request_guid;
}

/** What an access request says of the person; without the leader. */
export function applicationOf(person: Professional, organisations: OrganisationGuids) {
  return {
    email: emailOf(person),
    password: DEMO_PASSWORD,
    first_name: person.first,
    last_name: person.last,
    professional_role: person.role,
    organisation_guid: organisations[person.organisation],
    requested_phases: person.phases,
  };
}

/** The care teams as FHIR resources of the engine; the first member's organisation owns the record. */
export async function loadCareTeams(
  engineAs: (person: ProfessionalKey) => Api,
  staff: Staff,
  options: { organisations: OrganisationGuids; progress: Progress },
): Promise<void> {
  for (const [index, { name, description, members }] of CARE_TEAMS.entries()) {
    const { organisation } = PROFESSIONALS[members[0]];
    const team = {
      resourceType: 'CareTeam',
      id: `demo-team-${index + 1}`,
      status: 'active',
      name,
      note: [{ text: description }],
      managingOrganization: [{ reference: `Organization/${options.organisations[organisation]}` }],
      participant: members.map((key) => memberOf(key, staff)),
    };
    await existsOrPut(engineAs(members[0]), team);
    options.progress.step('care teams');
  }
}

function memberOf(key: ProfessionalKey, staff: Staff): object {
  const { first, last } = PROFESSIONALS[key];
  const guid = staff.get(key)?.professionalGuid;
  return { member: { reference: `Practitioner/${guid}`, display: `${first} ${last}` } };
}
