// Calls of identity in the order of use. They are sign-in, organisations, an access request and its approval, groups
// and their members, a patient's registration, administration, and the directory as FHIR.
import { ADMIN, asDispatch, asService, type Identity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD, personnummerOf } from '#test/support/identity/identity-people.ts';
import type { Recorder } from './recorder.ts';

export const TOKEN = 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl';
const TIME = '2026-03-02T08:00:00.000Z';
const LATER = '2026-03-02T09:00:00.000Z';
/** What differs from run to run: when something was, and until when it holds. */
export const varies = {
  token: TOKEN,
  created_at: TIME,
  requested_at: TIME,
  submitted_at: TIME,
  decided_at: TIME,
  last_used_at: TIME,
  idle_ends_at: LATER,
  lastUpdated: TIME,
  expires_at: LATER,
  date: TIME,
  kid: 'key-1',
  qr_svg: '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  last_login_at: TIME,
  n: 'PuM2gBVKAAGl2Y0wiUz9XYbN1vQ1x0pQ8nXk2uZr5aE',
};

/** Who is signed in after it. */
export interface SignedIn {
  readonly su: string;
  readonly anna: string;
  readonly annaGuid: string;
  readonly suGuid: string;
  readonly organisation: string;
}

export async function arrival(recorder: Recorder): Promise<SignedIn> {
  const { example, show } = recorder;
  const signedIn = await example('POST //api/auth/login', { body: ADMIN, varies });
  const su = String(signedIn.body.token);
  show(su, TOKEN);
  const me = await example('GET //api/auth/me', { as: su, varies });
  await example('GET //api/auth/me/service', { as: su, headers: asService, varies });
  const made = await example('POST //api/admin/organisations', {
    as: su,
    body: { name: 'Vårdcentralen' },
    status: 201,
  });
  const organisation = String(made.body.organisation_guid);
  const provider = { as: su, parameters: { organisation_guid: organisation } };
  const path = '//api/admin/organisations/{organisation_guid}/provider';
  await example(`PUT ${path}`, { ...provider, body: { provider_guid: '019a0000-0000-7000-8000-0000000000d1' } });
  await example('GET //api/admin/organisations', { as: su, varies });
  await example('GET //api/admin/organisation-search', { as: su, parameters: { search: 'vård' } });
  await example(`DELETE ${path}`, provider);
  await example('GET //api/public/organisations', { varies });
  const leaders = await example('GET //api/public/group-leaders', { varies });
  const wanted = {
    email: 'anna.berg@example.org',
    password: PASSWORD,
    first_name: 'Anna',
    last_name: 'Berg',
    professional_role: 'nurse',
    organisation_guid: organisation,
    requested_phases: ['planning'],
    chosen_leader_guid: String(leaders.body[0].user_guid),
  };
  const asked = await example('POST //api/public/access-request', { body: wanted, status: 201, varies });
  const invalid = { ...wanted, email: 'anna' };
  await example('POST //api/public/access-request', { body: invalid, status: 400, summary: 'no address', varies });
  await example('GET //api/admin/access-requests', { as: su, varies });
  await example('GET //api/groups/admin/access-requests', { as: su, varies });
  const decision = { access_request_guid: String(asked.body.access_request_guid), decision: 'approved' };
  const approved = await example('POST //api/admin/access-requests', { as: su, body: decision, varies });
  const body = { email: wanted.email, password: PASSWORD };
  const anna = String((await example('POST //api/auth/login', { body, varies, summary: 'a professional' })).body.token);
  show(anna, TOKEN);
  await delegated(recorder, wanted.email);
  return { su, suGuid: String(me.body.user_guid), anna, annaGuid: String(approved.body.user_guid), organisation };
}

/** What the engine asks about people who sign in there. */
async function delegated({ example, show }: Recorder, email: string): Promise<void> {
  const place = { address: '192.0.2.7', request_id: 'a-request' };
  const asked = (body: object) => ({ headers: asService, body, varies });
  const signedIn = await example('POST //api/auth/accounts/sign-in', asked({ email, password: PASSWORD, ...place }));
  show(String(signedIn.body.token), TOKEN);
  await example('POST //api/auth/accounts/known', asked({ emails: [email, 'nobody@example.org'] }));
  const outcome = { email: 'nobody@example.org', outcome: 'failure' };
  await example('POST //api/auth/accounts/outcomes', { ...asked(outcome), status: 204 });
}

export async function groups({ example, show }: Recorder, { su, anna, annaGuid }: SignedIn, site: Identity) {
  const proposal = { name: 'Hemvården', group_type: 'team', description: 'Care at home' };
  const proposed = await example('POST //api/groups/proposals', { as: anna, body: proposal, status: 201, varies });
  await example('GET //api/admin/group-proposals', { as: su, varies });
  const proposal_guid = String(proposed.body.proposal_guid);
  const agreed = { as: su, body: { proposal_guid, decision: 'approved' }, varies };
  const group_guid = String((await example('POST //api/admin/group-proposals', agreed)).body.group_guid);
  await example('GET //api/public/groups', { varies });
  await example('POST //api/admin/assign-group-admin', { as: su, body: { user_guid: annaGuid, group_guid }, varies });
  await example('GET //api/groups', { as: anna, varies });
  const tokenOf = ({ headers }: { headers: { authorization: string } }) => {
    const token = headers.authorization.slice('Bearer '.length);
    show(token, TOKEN);
    return token;
  };
  const [member, invited] = [tokenOf(await makeProfessional(site)), tokenOf(await makeProfessional(site))];
  const body = { group_guid };
  const asked = await example('POST //api/groups/request-membership', { as: member, body, status: 201, varies });
  await example('GET //api/groups/admin/pending', { as: anna, varies });
  await example('GET //api/groups/admin/decision-queue', { as: anna, varies });
  const decision = { membership_guid: String(asked.body.membership_guid), decision: 'approved' };
  await example('POST //api/groups/admin/decide', { as: anna, body: decision, varies });
  const leading = await example('POST //api/groups/request-admin', { as: member, body, status: 201, varies });
  await example('GET //api/admin/leader-requests', { as: su, varies });
  const lead = { leader_request_guid: String(leading.body.leader_request_guid), decision: 'rejected' };
  await example('POST //api/admin/leader-requests', { as: su, body: lead, varies });
  const link = `https://kedja.example.org/account/join?invite=${TOKEN}`;
  const invite = { as: anna, body: { ...body, hours_valid: 24 }, status: 201, varies: { ...varies, link } };
  const made = await example('POST //api/groups/admin/invite', invite);
  const token = String(made.body.token);
  show(token, TOKEN);
  const at = { as: anna, parameters: { group_guid }, varies };
  await example('GET //api/groups/admin/groups', { as: anna, varies });
  await example('GET //api/groups/admin/groups/{group_guid}', at);
  const members = await example('GET //api/groups/admin/groups/{group_guid}/members', at);
  await example('GET //api/groups/admin/groups/{group_guid}/invites', at);
  await example('POST //api/groups/join-by-invite', { as: invited, body: { token }, status: 201, varies });
  const gone = { group_guid, invite_guid: String(made.body.invite_guid) };
  await example('DELETE //api/groups/admin/groups/{group_guid}/invites/{invite_guid}', { as: anna, parameters: gone });
  const user_guid = String(members.body.data.at(-1).user_guid);
  const removed = { as: su, parameters: { group_guid, user_guid } };
  await example('DELETE //api/groups/admin/groups/{group_guid}/members/{user_guid}', removed);
  await example('DELETE //api/admin/groups/{group_guid}', { as: su, parameters: { group_guid }, varies });
}

export async function patients({ example, show }: Recorder, { su, organisation }: SignedIn): Promise<string> {
  const body = {
    email: 'maj.ek@example.org',
    password: PASSWORD,
    personnummer: personnummerOf(1),
    organisation_guid: organisation,
  };
  const made = await example('POST //api/patient/register', { body, status: 201, varies });
  const patient_guid = String(made.body.patient_guid);
  const parameters = { patient_guid };
  const registries = { registries: ['Diabetesregistret'] };
  await example('PUT //api/admin/patients/{patient_guid}/registries', { as: su, parameters, body: registries, varies });
  const { email, password } = body;
  const signedIn = await example('POST //api/auth/login', { body: { email, password }, varies, summary: 'a patient' });
  const maj = String(signedIn.body.token);
  show(maj, TOKEN);
  await example('GET //api/patient/registry-status', { as: maj, varies });
  await proxies({ example, show }, { su, organisation, maj });
  await records({ example }, { su, patient_guid, organisation, personnummer: body.personnummer });
  return patient_guid;
}

/** A proxy, from the invitation to the end, and a guardian. */
async function proxies(
  { example, show }: Pick<Recorder, 'example' | 'show'>,
  { su, organisation, maj }: { su: string; organisation: string; maj: string },
) {
  const registered = async (email: string, personnummer: string) => {
    show(personnummer, '201406150000');
    const body = { email, password: PASSWORD, personnummer, organisation_guid: organisation };
    const summary = `registers ${email}`;
    return String(
      (await example('POST //api/patient/register', { body, status: 201, varies, summary })).body.patient_guid,
    );
  };
  const born = Date.now() - 10 * 366 * 86_400_000 - Date.UTC(1960, 0, 1);
  const child = await registered('lova.ek@example.org', personnummerOf(Math.floor(born / 86_400_000) * 1000));
  const young = personnummerOf(Math.floor(born / 86_400_000) * 1000 + 1);
  show(young, '201406150018');
  const alva = { personnummer: young, first_name: 'Alva', last_name: 'Ek', organisation_guid: organisation };
  await example('POST //api/admin/patients', { as: su, body: alva, status: 201, varies });
  const adult = await registered('nils.ek@example.org', personnummerOf(2));
  const signedIn = await example('POST //api/auth/login', {
    body: { email: 'nils.ek@example.org', password: PASSWORD },
    varies,
    summary: 'a proxy',
  });
  const nils = String(signedIn.body.token);
  show(nils, TOKEN);
  const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  show(until, '2026-05-31');
  const proxyVaries = { ...varies, accepted_at: TIME, ended_at: TIME, ends_at: '2026-05-31T22:00:00.000Z' };
  const body = { email: 'nils.ek@example.org', may: 'act', until };
  const named = await example('POST //api/patient/proxies', { as: maj, body, status: 201, varies: proxyVaries });
  const parameters = { proxy_guid: String(named.body.proxy_guid) };
  await example('POST //api/patient/proxies/{proxy_guid}/accept', { as: nils, parameters, varies: proxyVaries });
  await example('GET //api/patient/proxies', { as: nils, varies: proxyVaries });
  await example('DELETE //api/patient/proxies/{proxy_guid}', { as: maj, parameters, varies: proxyVaries });
  const ofChild = { as: su, varies: proxyVaries };
  const guardians = '//api/admin/patients/{patient_guid}/guardians';
  const guardian = { guardian_patient_guid: adult };
  const at = { parameters: { patient_guid: child } };
  const set = await example(`POST ${guardians}`, { ...ofChild, ...at, body: guardian, status: 201 });
  await example(`GET ${guardians}`, { ...ofChild, ...at });
  const end = { parameters: { ...at.parameters, proxy_guid: String(set.body.proxy_guid) } };
  await example(`DELETE ${guardians}/{proxy_guid}`, { ...ofChild, ...end });
}

/** A record at the engine that is the patient's, found by staff and undone by an administrator. */
async function records(
  { example }: Pick<Recorder, 'example'>,
  of: { su: string; patient_guid: string; organisation: string; personnummer: string },
) {
  const { su: as, patient_guid, organisation: organisation_guid, personnummer } = of;
  const record = { record_id: '019a0000-0000-7000-8000-0000000000c1', change: 1, numbers: [personnummer] };
  const body = { records: [{ ...record, organisation_guid }] };
  await example('POST //api/auth/patient-records', { headers: asService, body, status: 204 });
  await example('GET //api/auth/patient-links', { headers: asDispatch, parameters: { after: '0' }, varies });
  await example('POST //api/patients/lookup', { as, body: { personnummer } });
  const linkVaries = { ...varies, linked_at: TIME, undone_at: TIME };
  await example('GET //api/admin/patients/{patient_guid}/records', {
    as,
    parameters: { patient_guid },
    varies: linkVaries,
  });
  await example('GET //api/auth/records/{record_id}', {
    headers: asService,
    parameters: { record_id: record.record_id },
  });
  const parameters = { patient_guid, service: 'engine', record_id: record.record_id };
  const one = '//api/admin/patients/{patient_guid}/records/{service}/{record_id}';
  await example(`DELETE ${one}`, { as, parameters });
  await example(`PUT ${one}`, { as, parameters });
}

export async function directory({ example }: Recorder, { su, organisation }: SignedIn, patient: string) {
  const as = su;
  await example('GET //fhir/metadata', { varies });
  await example('GET //fhir/Organization/{id}', { as, parameters: { id: organisation }, varies });
  await example('GET //fhir/Organization', { as, parameters: { name: 'vård' }, varies });
  await example('GET //fhir/Patient/{id}', { as, parameters: { id: patient }, varies });
  await example('GET //fhir/Group', { as, varies });
}

export async function sessions(
  { example }: Recorder,
  { su, suGuid, anna, annaGuid, organisation }: SignedIn,
): Promise<void> {
  const parameters = { user_guid: annaGuid };
  await example('GET //api/auth/users/{user_guid}/access', { headers: asService, parameters, varies });
  await example('GET //api/auth/users/{user_guid}/proxies', { headers: asService, parameters, varies });
  await example('POST //api/auth/names', {
    headers: asService,
    body: { guids: [annaGuid] },
    varies: { ...varies, valid_from: '2026-03-02T08:00:00.000Z' },
  });
  await example('POST //api/auth/registered-ids', { headers: asService, body: { guids: [organisation] } });
  await example('GET //api/health', { as: su, varies });
  await example('GET //.well-known/jwks.json', { varies });
  const change = { current_password: PASSWORD, new_password: `another ${PASSWORD}` };
  await example('POST //api/auth/change-password', { as: anna, body: change, varies });
  await example('PATCH //api/admin/users/{user_guid}', { as: su, parameters, body: { last_name: 'Ek' } });
  await example('GET //api/admin/user-search', { as: su, parameters: { search: 'ek' }, varies });
  await example('GET //api/admin/users/{user_guid}', { as: su, parameters, varies });
  await example('GET //api/admin/users/{user_guid}/deletion', { as: su, parameters });
  await example('POST //api/admin/users/{user_guid}/block', { as: su, parameters });
  await example('POST //api/admin/users/{user_guid}/unblock', { as: su, parameters });
  const merge = '//api/admin/users/{user_guid}/merge';
  await example(`GET ${merge}`, { as: su, parameters: { ...parameters, into_user_guid: suGuid }, varies });
  await example(`POST ${merge}`, { as: su, parameters, body: { into_user_guid: suGuid }, varies });
  await example(`DELETE ${merge}`, { as: su, parameters });
  await example('DELETE //api/admin/users/{user_guid}/sessions', { as: su, parameters, varies });
  await example('DELETE //api/admin/users/{user_guid}', { as: su, parameters, varies });
  await example('DELETE //api/auth/sessions', { as: su, varies });
  await example('POST //api/auth/browser-session/end', { body: { session: 'c2Vzc2lvbg' } });
  await example('POST //api/auth/logout', { as: su, varies });
}
