// The authorisation matrix (decision G7). It has one line for each endpoint that needs a caller, one column for each
// caller, and the expected status in each cell. A new endpoint needs a line in TABLE, and an entry in REQUESTS when it
// takes a body or an id. The entries use real ids. So the decisions that depend on a record (an admin of this group or
// of another) are tested too, not only the role.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { asService, startIdentity } from '#test/support/identity/identity.ts';
import { createIdentityCallers } from '#test/support/identity/identity-callers.ts';
import { makeClient } from '#test/support/identity/identity-clients.ts';
import { groupResource, patientResource, practitionerResource } from '#test/support/identity/identity-fhir.ts';
import { nextEmail, nextPersonnummer } from '#test/support/identity/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity/identity-records.ts';
import { fileForm, formOf, HEADER } from '#test/support/identity/user-csv.ts';

// memb: an approved member of the group, here: its admin, else: another group's admin, su: SU admin, del: deleted
// user's token, temp: must change the password first, exp: expired token, rev: revoked token, serv: service credentials
// without a token, prox: a patient's proxy who names the patient by Kedja-Patient (docs/adr/0074): that is for engine
// and dispatch, so refused here, but for what concerns the token of the call alone.
const TABLE = `
                                                    none pat  prof memb here else su   del  temp exp  rev  serv prox
GET /api/auth/me                                    401  200  200  200  200  200  200  401  200  401  401  401  403
GET /api/auth/me/service                            401  200  200  200  200  200  200  401  200  401  401  401  200
POST /api/auth/logout                               401  200  200  200  200  200  200  401  200  401  401  401  200
POST /api/auth/browser-session/end                  200  200  200  200  200  200  200  200  200  200  200  200  200
GET /api/auth/account                               401  200  200  200  200  200  200  401  403  401  401  401  403
PATCH /api/auth/account                             401  200  200  200  200  200  200  401  403  401  401  401  403
POST /api/auth/account/email                        401  409  409  409  409  409  409  401  403  401  401  401  403
POST /api/auth/account/email/confirm                401  401  401  401  401  401  401  401  403  401  401  401  403
POST /api/auth/change-password                      401  400  400  400  400  400  400  401  400  401  401  401  403
GET /api/auth/second-factor                         401  200  200  200  200  200  200  401  403  401  401  401  403
POST /api/auth/second-factor/confirm                401  409  409  409  409  409  409  401  403  401  401  401  403
POST /api/auth/second-factor                        401  200  200  200  200  200  200  401  403  401  401  401  403
POST /api/auth/second-factor/recovery-codes         401  409  409  409  409  409  409  401  403  401  401  401  403
POST /api/auth/second-factor/disable                401  409  409  409  409  409  409  401  403  401  401  401  403
GET /api/auth/sessions                              401  200  200  200  200  200  200  401  403  401  401  401  403
GET /api/auth/sessions/current                      401  200  200  200  200  200  200  401  403  401  401  401  403
DELETE /api/auth/sessions                           401  200  200  200  200  200  200  401  403  401  401  401  403
DELETE /api/auth/sessions/{session_guid}            401  200  200  200  200  200  200  401  403  401  401  401  403
DELETE /api/admin/users/{user_guid}/sessions        401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/users/{user_guid}/password-reset     401  403  403  403  403  403  201  401  403  401  401  401  403
GET /api/admin/settings                             401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/status                               401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/audit                                401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/clients                              401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/clients                             401  403  403  403  403  403  201  401  403  401  401  401  403
GET /api/admin/clients/{client_id}                  401  403  403  403  403  403  200  401  403  401  401  401  403
PUT /api/admin/clients/{client_id}                  401  403  403  403  403  403  200  401  403  401  401  401  403
DELETE /api/admin/clients/{client_id}               401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/clients/{client_id}/rotate-secret   401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/clients/{client_id}/disable         401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/clients/{client_id}/enable          401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/auth/clients/introspect                   401  403  403  403  403  403  403  401  403  401  401  200  403
POST /api/auth/accounts/known                       401  403  403  403  403  403  403  401  403  401  401  400  403
POST /api/auth/accounts/outcomes                    401  403  403  403  403  403  403  401  403  401  401  400  403
POST /api/auth/accounts/sign-in                     401  403  403  403  403  403  403  401  403  401  401  400  403
GET /api/auth/revocations                           401  403  403  403  403  403  403  401  403  401  401  200  403
POST /api/auth/registered-ids                       401  403  403  403  403  403  403  401  403  401  401  200  403
POST /api/auth/patient-records                      401  403  403  403  403  403  403  401  403  401  401  204  403
POST /api/auth/names                                401  403  403  403  403  403  403  401  403  401  401  200  403
GET /api/auth/records/{record_id}                   401  403  403  403  403  403  403  401  403  401  401  200  403
GET /api/auth/patient-links                         401  403  403  403  403  403  403  401  403  401  401  403  403
GET /api/auth/users/{user_guid}/access              401  403  403  403  403  403  403  401  403  401  401  200  403
GET /api/auth/users/{user_guid}/proxies             401  403  403  403  403  403  403  401  403  401  401  200  403
GET /api/patient/registry-status                    401  200  403  403  403  403  403  401  403  401  401  401  403
GET /api/patient/proxies                            401  200  403  403  403  403  403  401  403  401  401  401  403
POST /api/patient/proxies                           401  201  403  403  403  403  403  401  403  401  401  401  403
POST /api/patient/proxies/{proxy_guid}/accept       401  404  403  403  403  403  403  401  403  401  401  401  403
DELETE /api/patient/proxies/{proxy_guid}            401  404  403  403  403  403  403  401  403  401  401  401  403
GET /api/admin/patients/{patient_guid}/guardians    401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/patients/{patient_guid}/guardians   401  403  403  403  403  403  422  401  403  401  401  401  403
DELETE /api/admin/patients/{patient_guid}/guardians/{proxy_guid} 401 403 403 403 403 403 404 401 403 401 401 401 403
POST /api/patients/lookup                           401  403  403  403  403  403  404  401  403  401  401  401  403
GET /api/groups                                     401  403  200  200  200  200  200  401  403  401  401  401  403
POST /api/groups/request-membership                 401  403  201  201  201  201  201  401  403  401  401  401  403
POST /api/groups/request-admin                      401  403  201  201  201  201  201  401  403  401  401  401  403
POST /api/groups/join-by-invite                     401  403  201  201  201  201  201  401  403  401  401  401  403
POST /api/groups/proposals                          401  403  201  201  201  201  201  401  403  401  401  401  403
GET /api/groups/admin/pending                       401  403  403  403  200  200  200  401  403  401  401  401  403
GET /api/groups/admin/access-requests               401  403  200  200  200  200  200  401  403  401  401  401  403
GET /api/groups/admin/groups                        401  403  200  200  200  200  200  401  403  401  401  401  403
GET /api/groups/admin/groups/{group_guid}           401  403  403  403  200  403  200  401  403  401  401  401  403
GET /api/groups/admin/groups/{group_guid}/members   401  403  403  403  200  403  200  401  403  401  401  401  403
DELETE /api/groups/admin/groups/{group_guid}/members/{user_guid} 401 403 403 403 200 403 200 401 403 401 401 401 403
GET /api/groups/admin/groups/{group_guid}/invites   401  403  403  403  200  403  200  401  403  401  401  401  403
DELETE /api/groups/admin/groups/{group_guid}/invites/{invite_guid} 401 403 403 403 404 403 404 401 403 401 401 401 403
GET /api/groups/admin/decision-queue                401  403  200  200  200  200  200  401  403  401  401  401  403
POST /api/groups/admin/decide                       401  403  403  403  200  403  200  401  403  401  401  401  403
POST /api/groups/admin/invite                       401  403  403  403  201  403  201  401  403  401  401  401  403
GET /api/admin/users                                401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/user-search                          401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/users/{user_guid}                    401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/users/{user_guid}/deletion           401  403  403  403  403  403  200  401  403  401  401  401  403
DELETE /api/admin/users/{user_guid}                 401  403  403  403  403  403  200  401  403  401  401  401  403
PATCH /api/admin/users/{user_guid}                  401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/users/{user_guid}/merge              401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/users/{user_guid}/merge             401  403  403  403  403  403  200  401  403  401  401  401  403
DELETE /api/admin/users/{user_guid}/merge           401  403  403  403  403  403  409  401  403  401  401  401  403
POST /api/admin/users/{user_guid}/block             401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/users/{user_guid}/unblock           401  403  403  403  403  403  409  401  403  401  401  401  403
POST /api/admin/promote-su                          401  403  403  403  403  403  200  401  403  401  401  401  403
DELETE /api/admin/users/{user_guid}/second-factor   401  403  403  403  403  403  404  401  403  401  401  401  403
POST /api/admin/patients                            401  403  403  403  403  403  422  401  403  401  401  401  403
PUT /api/admin/patients/{patient_guid}/registries   401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/patients/{patient_guid}/records      401  403  403  403  403  403  200  401  403  401  401  401  403
DELETE /api/admin/patients/{patient_guid}/records/{service}/{record_id} 401 403 403 403 403 403 404 401 403 401 401 401 403
PUT /api/admin/patients/{patient_guid}/records/{service}/{record_id} 401 403 403 403 403 403 404 401 403 401 401 401 403
DELETE /api/admin/groups/{group_guid}               401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/assign-group-admin                  401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/group-proposals                      401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/group-proposals                     401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/leader-requests                      401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/leader-requests                     401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/organisation-search                  401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/organisations                        401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/organisations                       401  403  403  403  403  403  201  401  403  401  401  401  403
PUT /api/admin/organisations/{organisation_guid}/provider 401 403 403 403 403 403 200 401 403 401 401 401 403
DELETE /api/admin/organisations/{organisation_guid}/provider 401 403 403 403 403 403 200 401 403 401 401 401 403
GET /api/admin/access-requests                      401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/access-requests                     401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/oath-overview                        401  403  403  403  403  403  200  401  403  401  401  401  403
PUT /api/admin/oath-overview                        401  403  403  403  403  403  200  401  403  401  401  401  403
GET /api/admin/export-users                         401  403  403  403  403  403  200  401  403  401  401  401  403
POST /api/admin/import-users                        401  403  403  403  403  403  200  401  403  401  401  401  403
GET /fhir/Group/{id}                                401  200  200  200  200  200  200  401  403  401  401  401  403
GET /fhir/Group                                     401  200  200  200  200  200  200  401  403  401  401  401  403
POST /fhir/Group/_search                            401  200  200  200  200  200  200  401  403  401  401  401  403
POST /fhir/Group                                    401  403  403  403  403  403  201  401  403  401  401  401  403
GET /fhir/Organization/{id}                         401  200  200  200  200  200  200  401  403  401  401  401  403
GET /fhir/Organization                              401  200  200  200  200  200  200  401  403  401  401  401  403
POST /fhir/Organization/_search                     401  200  200  200  200  200  200  401  403  401  401  401  403
POST /fhir/Organization                             401  403  403  403  403  403  201  401  403  401  401  401  403
GET /fhir/Patient/{id}                              401  200  404  404  404  404  200  401  403  401  401  401  403
POST /fhir/Patient                                  401  403  403  403  403  403  201  401  403  401  401  401  403
GET /fhir/Practitioner/{id}                         401  404  404  200  200  404  200  401  403  401  401  401  403
POST /fhir/Practitioner                             401  403  403  403  403  403  201  401  403  401  401  401  403
`;

/** Endpoints without authentication. */
const OPEN = [
  'GET /livez',
  'GET /readyz',
  'GET /metrics',
  'GET /.well-known/jwks.json',
  'GET /api/health',
  'GET /api/public/organisations',
  'GET /api/public/groups',
  'GET /api/public/group-leaders',
  'POST /api/public/access-request',
  'POST /api/patient/register',
  'POST /api/auth/login',
  'POST /api/auth/login/second-factor',
  'POST /api/auth/token',
  'POST /api/auth/password-reset',
  'POST /api/auth/password-reset/confirm',
  'GET /fhir/metadata',
];

const identity = await startIdentity({ after }, { config: { importPassword: new Secret('a temporary phrase') } });
const { app } = identity;
const records = createIdentityRecords(identity.database);
const here = await records.group();
const callers = await createIdentityCallers(identity, { here, elsewhere: await records.group() });

const colleague = await records.professional();
await records.membership({ group: here, user: colleague, status: 'approved' });
const member = await records.practitionerOf(colleague);

let madeClients = 0;
const nextClientId = () => {
  madeClients += 1;
  return `client-${madeClients}`;
};
const newClient = async () => (await makeClient(identity, { client_id: nextClientId() })).id;

interface EndpointRequest {
  readonly payload?: object;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Replaces the parameter in the path. */
  readonly id?: string;
  /** Replaces `{user_guid}` where it is not the first. */
  readonly userGuid?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The request of each endpoint, created for each cell, so that a permitted call finds a record to act upon. POST and
 * PUT without an entry send an empty object.
 */
const REQUESTS: Readonly<Record<string, (caller: string) => EndpointRequest | Promise<EndpointRequest>>> = {
  'GET /api/auth/me/service': () => ({ headers: asService }),
  'GET /api/auth/users/{user_guid}/access': async () => ({ id: await records.professional() }),
  'GET /api/auth/users/{user_guid}/proxies': async () => ({ id: await records.professional() }),
  'POST /api/auth/registered-ids': async () => ({ payload: { guids: [await records.professional()] } }),
  'POST /api/auth/names': async () => ({ payload: { guids: [await records.professional()] } }),
  'GET /api/auth/records/{record_id}': () => ({ id: callers.patientGuid }),
  'POST /api/auth/patient-records': () => ({
    payload: { records: [{ record_id: 'x', organisation_guid: null, change: 1, numbers: [] }] },
  }),
  'POST /api/patient/proxies': () => ({
    payload: {
      email: nextEmail(),
      may: 'read',
      until: new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10),
    },
  }),
  'GET /api/admin/patients/{patient_guid}/guardians': () => ({ id: callers.patientGuid }),
  'POST /api/admin/patients/{patient_guid}/guardians': () => ({
    id: callers.patientGuid,
    payload: { guardian_patient_guid: callers.patientGuid },
  }),
  'POST /api/patients/lookup': () => ({ payload: { personnummer: nextPersonnummer() } }),
  'GET /api/admin/patients/{patient_guid}/records': () => ({ id: callers.patientGuid }),
  'POST /api/auth/clients/introspect': () => ({ payload: { client_id: 'a', client_secret: 'b', address: '::1' } }),
  'POST /api/admin/clients': () => ({ payload: { client_id: nextClientId(), name: 'x', kind: 'application' } }),
  ...Object.fromEntries(
    ['GET', 'DELETE', 'POST /rotate-secret', 'POST /disable', 'POST /enable', 'PUT'].map((call) => {
      const [method = '', rest = ''] = call.split(' ');
      const payload = { name: 'x', audience: 'kedja', calls: [], redirects: [] };
      const asked = async () => ({ id: await newClient(), ...(method === 'PUT' ? { payload } : {}) });
      return [`${method} /api/admin/clients/{client_id}${rest}`, asked];
    }),
  ),
  'POST /api/auth/logout': async (caller) => ({ headers: await callers.signInAgain(caller) }),
  'POST /api/auth/browser-session/end': () => ({ payload: { session: 's'.repeat(43) } }),
  'PATCH /api/auth/account': () => ({ payload: { last_name: 'Ek' } }),
  'POST /api/auth/account/email': (caller) => ({
    payload: { new_email: nextEmail(), current_password: callers.passwordOf(caller) },
  }),
  'POST /api/auth/account/email/confirm': () => ({ payload: { email_code: 'AAAA-BBBB-CCCC-DDDD' } }),
  'POST /api/auth/second-factor': (caller) => ({ payload: { current_password: callers.passwordOf(caller) } }),
  'POST /api/auth/second-factor/confirm': () => ({ payload: { code: '000000' } }),
  'POST /api/auth/second-factor/recovery-codes': (caller) => ({
    payload: { current_password: callers.passwordOf(caller), code: '000000' },
  }),
  'POST /api/auth/second-factor/disable': (caller) => ({
    payload: { current_password: callers.passwordOf(caller), code: '000000' },
  }),
  'DELETE /api/admin/users/{user_guid}/second-factor': async () => ({ id: await records.professional() }),
  'DELETE /api/auth/sessions/{session_guid}': async (caller) => ({ id: await callers.anotherSessionOf(caller) }),
  'POST /api/admin/users/{user_guid}/password-reset': async () => ({ id: await records.professional() }),
  'DELETE /api/admin/users/{user_guid}/sessions': async () => ({ id: await records.professional() }),
  'POST /api/groups/request-membership': async () => ({ payload: { group_guid: await records.group() } }),
  'POST /api/groups/request-admin': async () => ({ payload: { group_guid: await records.group() } }),
  'POST /api/groups/join-by-invite': async () => ({ payload: { token: await records.invite() } }),
  'POST /api/groups/proposals': () => ({ payload: { name: nextEmail(), group_type: 'team' } }),
  'POST /api/groups/admin/decide': async () => ({
    payload: { membership_guid: await records.membership({ group: here }), decision: 'approved' },
  }),
  'POST /api/groups/admin/invite': () => ({ payload: { group_guid: here } }),
  'GET /api/admin/users/{user_guid}': async () => ({ id: await records.professional() }),
  'GET /api/admin/users/{user_guid}/deletion': async () => ({ id: await records.professional() }),
  'GET /api/groups/admin/groups/{group_guid}': () => ({ id: here }),
  'GET /api/groups/admin/groups/{group_guid}/members': () => ({ id: here }),
  'DELETE /api/groups/admin/groups/{group_guid}/members/{user_guid}': async () => {
    const user = await records.professional();
    await records.membership({ group: here, user, status: 'approved' });
    return { id: here, userGuid: user };
  },
  'GET /api/groups/admin/groups/{group_guid}/invites': () => ({ id: here }),
  'DELETE /api/groups/admin/groups/{group_guid}/invites/{invite_guid}': () => ({ id: here }),
  'DELETE /api/admin/users/{user_guid}': async () => ({ id: await records.professional() }),
  'PATCH /api/admin/users/{user_guid}': async () => ({
    id: await records.professional(),
    payload: { last_name: 'Ek' },
  }),
  'GET /api/admin/users/{user_guid}/merge': async () => ({
    id: await records.professional(),
    query: { into_user_guid: await records.professional() },
  }),
  'POST /api/admin/users/{user_guid}/merge': async () => ({
    id: await records.professional(),
    payload: { into_user_guid: await records.professional() },
  }),
  'DELETE /api/admin/users/{user_guid}/merge': async () => ({ id: await records.professional() }),
  'POST /api/admin/users/{user_guid}/block': async () => ({ id: await records.professional() }),
  'POST /api/admin/users/{user_guid}/unblock': async () => ({ id: await records.professional() }),
  'POST /api/admin/promote-su': async (caller) => ({
    payload: { user_guid: await records.professional(), password: callers.passwordOf(caller) },
  }),
  'POST /api/admin/patients': () => ({
    payload: { personnummer: nextPersonnummer(), first_name: 'A', last_name: 'B', organisation_guid: here },
  }),
  'PUT /api/admin/patients/{patient_guid}/registries': () => ({
    id: callers.patientGuid,
    payload: { registries: ['Swedeheart'] },
  }),
  'DELETE /api/admin/groups/{group_guid}': async (caller) => ({ id: caller === 'su' ? await records.group() : here }),
  'POST /api/admin/assign-group-admin': async () => {
    const user = await records.professional();
    await records.membership({ group: here, user, status: 'approved' });
    return { payload: { user_guid: user, group_guid: here } };
  },
  'POST /api/admin/group-proposals': async () => ({
    payload: { proposal_guid: await records.proposal(), decision: 'approved' },
  }),
  'POST /api/admin/leader-requests': async () => ({
    payload: { leader_request_guid: await records.leaderRequest(here), decision: 'approved' },
  }),
  'POST /api/admin/organisations': () => ({ payload: { name: nextEmail() } }),
  'PUT /api/admin/organisations/{organisation_guid}/provider': async () => ({
    id: await records.organisation(),
    payload: { provider_guid: '019a0000-0000-7000-8000-0000000000d1' },
  }),
  'DELETE /api/admin/organisations/{organisation_guid}/provider': async () => ({ id: await records.organisation() }),
  'POST /api/admin/access-requests': async () => ({
    payload: { access_request_guid: await records.accessRequest(), decision: 'approved' },
  }),
  'PUT /api/admin/oath-overview': () => ({ payload: [] }),
  'POST /api/admin/import-users': () => formOf(fileForm(`${HEADER}\n`)),
  'GET /fhir/Group/{id}': () => ({ id: here }),
  'POST /fhir/Group/_search': () => ({ form: { name: 'x' } }),
  'POST /fhir/Group': () => ({ payload: groupResource(nextEmail()) }),
  'GET /fhir/Organization/{id}': async () => ({ id: await records.organisation() }),
  'POST /fhir/Organization/_search': () => ({ form: { name: 'x' } }),
  'GET /fhir/Patient/{id}': () => ({ id: callers.patientGuid }),
  'POST /fhir/Patient': async () => ({
    payload: patientResource({ personnummer: nextPersonnummer(), organisation: await records.organisation() }),
  }),
  // The guid of a member of this group.
  'GET /fhir/Practitioner/{id}': () => ({ id: member }),
  'POST /fhir/Practitioner': () => ({ payload: practitionerResource() }),
  'POST /fhir/Organization': () => ({ payload: { resourceType: 'Organization', name: nextEmail() } }),
};

const [header = '', ...lines] = TABLE.trim().split('\n');
const CALLERS = header.trim().split(/\s+/);
const ROWS = lines.map((line) => {
  const [method = '', path = '', ...statuses] = line.split(/\s+/);
  return { method, path, address: `${method} ${path}`, statuses: statuses.map(Number) };
});

function ask(
  address: string,
  caller: string,
  { payload, form, id = '', userGuid = 'none', query, headers }: EndpointRequest = {},
) {
  const [method = '', path = ''] = address.split(' ');
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const formType = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const body = form === undefined ? (payload ?? {}) : String(new URLSearchParams(form));
  return app.inject({
    method: method as 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: path
      .replace(/\{\w+\}/, id)
      .replace('{service}', 'engine')
      .replace('{record_id}', 'none')
      .replace('{invite_guid}', 'none')
      .replace('{user_guid}', userGuid),
    ...(query === undefined ? {} : { query }),
    headers: { ...callers.headersOf(caller), ...formType, ...headers },
    ...(takesBody ? { payload: body } : {}),
  });
}

test('every endpoint has a line', async () => {
  const openapi: { paths: Record<string, object> } = (await app.inject('/openapi.json')).json();
  const served = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(served.sort(), [...ROWS.map((row) => row.address), ...OPEN].sort());
  assert.ok(Object.keys(REQUESTS).every((address) => served.includes(address)));
});

for (const { address, statuses } of ROWS) {
  test(address, async () => {
    assert.equal(statuses.length, CALLERS.length, 'a status for each caller');
    const answered: Record<string, number> = {};
    for (const caller of CALLERS) {
      const answer = await ask(address, caller, await REQUESTS[address]?.(caller));
      answered[caller] = answer.statusCode;
      if (answer.statusCode === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer');
      if (caller === 'temp' && answer.statusCode === 403) assert.match(answer.body, /password_change_required/);
    }
    assert.deepEqual(answered, Object.fromEntries(CALLERS.map((caller, index) => [caller, statuses[index]])));
  });
}

test('public endpoints ignore credentials', async () => {
  for (const address of OPEN) {
    for (const caller of ['rev', 'exp', 'del', 'serv']) {
      const answer = await ask(address, caller);
      assert.ok(![401, 403].includes(answer.statusCode), `${address} for ${caller}: ${answer.body}`);
    }
  }
});
