// Calls of identity about accounts: the second factor, one-time codes, sessions, the list of users as JSON and CSV, and
// records.
import { ADMIN, asService, type Identity, REDIRECT } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD, personnummerOf } from '#test/support/identity/identity-people.ts';
import { codeAt, makeGuarded } from '#test/support/identity/totp.ts';
import { type SignedIn, TOKEN, varies } from './identity.ts';
import type { Recorder } from './recorder.ts';
import { SETTING } from './setting.ts';

const CODES = [
  '7KQ2-M6HX-PDTA-3WZC',
  'R4TN-W3BV-CJ5Y-QE2L',
  'N6XA-ZH4P-2MKD-UV7S',
  'C3JW-Q5TB-YR7E-G2LN',
  'H7DM-4PXK-SA2V-ZC6T',
  'V2LE-B6YQ-NJ4W-3RTH',
  'T5CS-GX7A-KM2P-DQ4Z',
  'Y4ZB-U3NH-WE6J-7XVK',
  'P6RG-D2LT-QC5S-A4MY',
  'E3WV-7JKX-HB4N-Z6TD',
];
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
/** Without offset, and with. */
const PLAIN = '2026-03-02T08:00:00.000';
const UNTIL = '2026-03-02T09:00:00.000+00:00';
const hidden = {
  ...varies,
  expires_at: UNTIL,
  enabled_at: PLAIN,
  secret: SECRET,
  otpauth_uri: `otpauth://totp/Kedja:anna.berg%40example.org?issuer=Kedja&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
  recovery_codes: CODES,
  challenge: 'Y2hhbGxlbmdl',
};

export async function secondFactor({ example, show }: Recorder, { su, anna }: SignedIn, site: Identity) {
  const path = '//api/auth/second-factor';
  const current_password = PASSWORD;
  const call = { as: anna, varies: hidden };
  await example(`GET ${path}`, call);
  const begun = await example(`POST ${path}`, { ...call, body: { current_password } });
  const code = codeAt(String(begun.body.secret), Date.now());
  show(code, '492039');
  const on = await example(`POST ${path}/confirm`, { ...call, body: { code } });
  await example(`GET ${path}`, { ...call, summary: 'turned on' });
  const [first, second] = on.body.recovery_codes.map(String);
  show(first, '7KQ2-M6HX-PDTA-3WZC');
  show(second, 'R4TN-W3BV-CJ5Y-QE2L');
  const body = { email: 'anna.berg@example.org', password: PASSWORD };
  const asked = await example('POST //api/auth/login', { body, varies: hidden, summary: 'a second factor' });
  const challenge = String(asked.body.challenge);
  show(challenge, hidden.challenge);
  await example('POST //api/auth/login/second-factor', { body: { challenge, code: first }, varies });
  const both = { current_password, code: second };
  const renewed = await example(`POST ${path}/recovery-codes`, { ...call, body: both });
  const last = String(renewed.body.recovery_codes[0]);
  show(last, '7KQ2-M6HX-PDTA-3WZC');
  await example(`POST ${path}/disable`, { ...call, body: { current_password, code: last } });
  const parameters = { user_guid: (await makeGuarded(site)).userGuid };
  await example('DELETE //api/admin/users/{user_guid}/second-factor', { as: su, parameters });
}

export async function ownSessions({ example, show }: Recorder, { anna }: SignedIn, site: Identity) {
  const next = `${REDIRECT}callback`;
  const payload = { email: 'anna.berg@example.org', password: PASSWORD, next, response_mode: 'code' };
  const sent = await site.app.inject({ method: 'POST', url: '/api/auth/login', payload });
  const code = String(new URL(String(sent.headers.location)).searchParams.get('code'));
  show(code, 'b25lLXRpbWUgY29kZQ');
  const exchanged = await example('POST //api/auth/token', { body: { code, next }, varies });
  show(String(exchanged.body.token), TOKEN);
  const shown = { ...varies, created_at: PLAIN, expires_at: UNTIL, user_agent: 'Mozilla/5.0' };
  await example('GET //api/auth/sessions/current', { as: anna, varies: { expires_at: UNTIL } });
  const list = await example('GET //api/auth/sessions', { as: anna, varies: shown });
  const other = list.body.find(({ current }: { current: boolean }) => !current);
  const parameters = { session_guid: String(other.session_guid) };
  await example('DELETE //api/auth/sessions/{session_guid}', { as: anna, parameters });
}

const CSV = `email,user_type,first_name,last_name,professional_role,personnummer,organisations,groups,is_su_admin
lars.lind@example.org,professional,Lars,Lind,doctor,,Vårdcentralen,,false
eva.holm@example.org,patient,Eva,Holm,,${personnummerOf(5000)},Vårdcentralen,,false
`;
const REGISTERED = {
  service_name: 'Kedja engine',
  service_url: 'https://kedja.example.org/engine',
  api_health_url: 'https://kedja.example.org/engine/healthz',
  capability_statement_url: 'https://kedja.example.org/engine/fhir/metadata',
  endpoints_url: 'https://kedja.example.org/engine/openapi.json',
  privilege_level: 'internal',
  notes: '',
};

export async function everybody({ example }: Recorder, { su }: SignedIn, site: Identity) {
  const as = su;
  const file = 'content-disposition: form-data; name="file"; filename="users.csv"\r\ncontent-type: text/csv';
  await example('POST //api/admin/import-users', {
    as,
    body: `--kedja\r\n${file}\r\n\r\n${CSV}\r\n--kedja--\r\n`,
    bodyType: 'multipart/form-data',
    shownBody: { file: CSV },
    headers: { 'content-type': 'multipart/form-data; boundary=kedja' },
  });
  await example('GET //api/admin/export-users', { as });
  const times = { created_at: PLAIN, last_login_at: PLAIN };
  await example('GET //api/admin/users', { as, parameters: { per_page: '2' }, varies: times });
  const body = { user_guid: (await makeProfessional(site)).userGuid, password: ADMIN.password };
  await example('POST //api/admin/promote-su', { as, body });
  await example('PUT //api/admin/oath-overview', { as, body: [REGISTERED] });
  await example('GET //api/admin/oath-overview', { as });
  const requests = { total: 0, errors: 0, routes: [] };
  const mails = { waiting: 2, dead: 0, oldest_s: 1.5 };
  await example('GET //api/admin/settings', { as, varies: { settings: [SETTING] } });
  await example('GET //api/admin/status', {
    as,
    varies: { started_at: '2026-03-02T08:00:00.000Z', latency_ms: 0.4, requests, mails },
  });
  await example('GET //api/admin/audit', {
    as,
    parameters: { event: 'organisation.create', per_page: '1' },
    varies: { ...varies, recorded_at: '2026-03-02T08:00:00.000+00:00', request_id: 'req-1' },
  });
  await example('GET //api/auth/revocations', {
    headers: asService,
    varies: { ...varies, sequence: 41, expires_at: 1772442000 },
  });
}

const EXTENSION = 'https://kedja.dev/fhir/StructureDefinition';
const bodyType = 'application/fhir+json';

export async function fhirDirectory({ example }: Recorder, { su, organisation }: SignedIn) {
  const made = { as: su, bodyType, status: 201, varies };
  const clinic = { resourceType: 'Organization', active: true, name: 'Sjukhuset' };
  await example('POST //fhir/Organization', { ...made, body: clinic });
  const telecom = [{ system: 'email', value: 'sara.lind@example.org' }];
  const name = [{ family: 'Lind', given: ['Sara'] }];
  const extension = [
    { url: `${EXTENSION}/professional-role`, valueCode: 'doctor' },
    { url: `${EXTENSION}/practitioner-organization`, valueReference: { reference: `Organization/${organisation}` } },
  ];
  const doctor = { resourceType: 'Practitioner', active: true, extension, name, telecom };
  const sara = String((await example('POST //fhir/Practitioner', { ...made, body: doctor })).body.id);
  await example('GET //fhir/Practitioner/{id}', { as: su, parameters: { id: sara }, varies });
  const patient = {
    resourceType: 'Patient',
    identifier: [{ system: 'urn:oid:1.2.752.129.2.1.3.1', value: personnummerOf(6000) }],
    name: [{ family: 'Ek', given: ['Lars'] }],
    telecom: [{ system: 'email', value: 'lars.ek@example.org' }],
    managingOrganization: { reference: `Organization/${organisation}` },
  };
  await example('POST //fhir/Patient', { ...made, body: patient });
  const member = [{ entity: { reference: `Practitioner/${sara}`, type: 'Practitioner' } }];
  const group = { resourceType: 'Group', type: 'practitioner', membership: 'enumerated', name: 'Nattlaget', member };
  const id = String((await example('POST //fhir/Group', { ...made, body: group })).body.id);
  await example('GET //fhir/Group/{id}', { as: su, parameters: { id }, varies });
  const form = { as: su, bodyType: 'application/x-www-form-urlencoded', varies };
  await example('POST //fhir/Group/_search', { ...form, body: 'name=natt', shownBody: { name: 'natt' } });
  await example('POST //fhir/Organization/_search', { ...form, body: 'name=sjuk', shownBody: { name: 'sjuk' } });
}
