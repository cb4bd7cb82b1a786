// Runs the examples of identity's reference pages against identity over HTTP, with the people whom the first page's
// beginning names.
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { DAY_MS } from '#lib/clock.ts';
import { Secret } from '#lib/config/secret.ts';
import type { MailMessage } from '#lib/mail/message.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import {
  ADMIN,
  asDispatch,
  BOTH_SERVICES,
  type Identity,
  identityDatabase,
  SERVICE,
  startIdentity,
} from '#test/support/identity/identity.ts';
import { nextPersonnummer, personnummerOf } from '#test/support/identity/identity-people.ts';
import { codesFrom, setUpSecondFactor } from '#test/support/identity/totp.ts';
import { testReferencePage } from './page.ts';

const PASSWORD = 'a long enough phrase';
const PAGES = [
  'identity.md',
  'identity-people.md',
  'proxies.md',
  'clients.md',
  'identity-fhir.md',
  'idempotency.md',
  'account-recovery.md',
].map((name) => `docs/reference/${name}`);

/** The tokens of Anna and Bo, professionals in the phase planning, of Lars, a patient, and of the SU admin. */
async function preparePeople(identity: Identity) {
  const post = async (path: string, payload: object, headers: Record<string, string> = {}) => {
    const answer = await identity.app.inject({ method: 'POST', url: path, headers, payload });
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${answer.body}`);
    return answer.json();
  };
  const admin = await identity.asAdmin();
  const { organisation_guid } = await post('/api/admin/organisations', { name: 'Lindens care centre' }, admin);
  const [leader] = (await identity.app.inject('/api/public/group-leaders')).json();
  const tokenOf = async (email: string) => (await post('/api/auth/login', { email, password: PASSWORD })).token;
  const makeNurse = async (email: string, first_name: string, last_name: string) => {
    const employment = { organisation_guid, professional_role: 'nurse', requested_phases: ['planning'] };
    const person = { email, password: PASSWORD, first_name, last_name, chosen_leader_guid: leader.user_guid };
    const { access_request_guid } = await post('/api/public/access-request', { ...person, ...employment });
    await post('/api/admin/access-requests', { access_request_guid, decision: 'approved' }, admin);
    return tokenOf(email);
  };
  const lars = { email: 'lars@example.org', password: PASSWORD, personnummer: '19121212-1212', organisation_guid };
  await post('/api/patient/register', lars);
  let patientToken: Promise<string> | undefined;
  /** Of the time when Lars had a coordination number; made for the page that shows it. */
  let former: Promise<string> | undefined;
  const registerFormer = async (): Promise<string> => {
    const account = { ...lars, email: 'lars.former@example.org', personnummer: nextPersonnummer() };
    return String((await post('/api/patient/register', account)).user_guid);
  };
  const guidOf = async (token: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await identity.app.inject({ url: '/api/auth/me', headers })).json().user_guid;
  };
  const TOKEN = await makeNurse('anna@example.org', 'Anna', 'Berg');
  const COLLEAGUE_TOKEN = await makeNurse('bo@example.org', 'Bo', 'Dahl');
  return {
    TOKEN,
    COLLEAGUE_TOKEN,
    FORMER_ACCOUNT: () => {
      former ??= registerFormer();
      return former;
    },
    COLLEAGUE_GUID: await guidOf(COLLEAGUE_TOKEN),
    ORGANISATION: organisation_guid,
    PATIENT_TOKEN: () => {
      patientToken ??= tokenOf(lars.email);
      return patientToken;
    },
    /** Lars, with a second factor. When it is taken away, he is signed out. */
    GUARDED_GUID: async () => {
      const headers = { authorization: `Bearer ${await tokenOf(lars.email)}` };
      await setUpSecondFactor(identity, { headers, password: PASSWORD });
      patientToken = undefined;
      return guidOf(headers.authorization.slice(7));
    },
    SU_TOKEN: admin.authorization.replace('Bearer ', ''),
  };
}

/** A further patient who may be a proxy, and a child. */
async function prepareProxies(identity: Identity) {
  const admin = await identity.asAdmin();
  const organisation = {
    method: 'POST',
    url: '/api/admin/organisations',
    headers: admin,
    payload: { name: 'Ekens' },
  } as const;
  const { organisation_guid } = (await identity.app.inject(organisation)).json();
  const register = async (email: string, personnummer: string) => {
    const payload = { email, password: PASSWORD, personnummer, organisation_guid };
    return (await identity.app.inject({ method: 'POST', url: '/api/patient/register', payload })).json().patient_guid;
  };
  const days = Math.floor((Date.now() - 10 * 366 * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS);
  const { authorization } = await identity.signIn('lars@example.org', PASSWORD);
  const GUARDIAN = await register('maj@example.org', personnummerOf(1));
  const CHILD = await register('lova@example.org', personnummerOf(days * 1000));
  return {
    PATIENT_TOKEN: authorization.slice(7),
    PROXY_TOKEN: (await identity.signIn('maj@example.org', PASSWORD)).authorization.slice(7),
    GUARDIAN,
    CHILD,
    YOUNG_CHILD: personnummerOf(days * 1000 + 1),
    UNIT: organisation_guid,
    UNTIL: new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10),
  };
}

/** Answers the codes of the page's secret that are right now, one after the other; each counts once. */
function codesOfPage() {
  const codes: string[] = [];
  return (fields: ReadonlyMap<string, string>): string => {
    if (codes.length === 0) codes.push(...codesFrom(fields.get('secret') ?? '').slice(1));
    return codes.shift() ?? '';
  };
}

/** The code in the latest mail that has one. */
function codeIn(mails: readonly MailMessage[]): string | undefined {
  return mails
    .map(({ text }) => /\b[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3}\b/.exec(text)?.[0])
    .findLast((code) => code !== undefined);
}

/** The token of the link in a mail; undefined for a mail without a link. */
function linkTokenOf({ text }: MailMessage): string | undefined {
  return /[?&]token=([\w-]+)/.exec(text)?.[1];
}

for (const page of PAGES) {
  test(`the examples of ${page} answer what the page shows`, async (t) => {
    const mails: MailMessage[] = [];
    const sendMail: SendMail = async (message) => {
      mails.push(message);
      return { kind: 'sent' };
    };
    const on = await identityDatabase(lastFirst(t));
    const identity = await startIdentity(t, {
      on,
      sendMail,
      serviceClients: page.endsWith('identity-people.md') ? BOTH_SERVICES : [SERVICE],
      config: { importPassword: new Secret(PASSWORD) },
    });
    await testReferencePage(t, {
      page,
      site: { KEDJA_DATABASE_URL: on.url, KEDJA_DATA_DIR: path.join(tmpdir(), 'kedja-reference-data') },
      variables: {
        ...(await preparePeople(identity)),
        ...(page.endsWith('proxies.md') ? await prepareProxies(identity) : {}),
        IDENTITY: await identity.app.listen({ host: '127.0.0.1', port: 0 }),
        SU_PASSWORD: ADMIN.password,
        CLIENT_ID: SERVICE.clientId,
        CLIENT_SECRET: SERVICE.clientSecret,
        DISPATCH_SECRET: asDispatch['x-sso-client-secret'],
        CODE: codesOfPage(),
        RECOVERY_CODE: (fields) => fields.get('0') ?? '',
        EMAIL_CODE: () => eventually('the mail arrives', async () => codeIn(mails)),
        RESET_TOKEN: () =>
          eventually('the mail arrives', async () => mails.map(linkTokenOf).findLast((token) => token !== undefined)),
      },
    });
  });
}
