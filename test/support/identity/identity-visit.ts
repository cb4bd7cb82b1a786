// Identity over HTTP with a browser, and an application to which sign-ins redirect.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { DAY_MS, systemClock } from '#lib/clock.ts';
import { createUpstream } from '#lib/http/upstream/upstream.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import type { IdentityDeps } from '#services/identity/deps.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { gatewayModule } from '../../../runtime/gateway-module.ts';
import { NO_CONSOLE, NONE_LOCAL, testSession } from '../gateway.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { makeTestApp } from '../http-app.ts';
import { complaintsOf, startBrowser } from '../system/browser.ts';
import { type Identity, identityDatabase, startIdentity } from './identity.ts';
import { makeOrganisation, makePatient, PASSWORD, personnummerOf } from './identity-people.ts';

export interface View extends Pick<BrowserContextOptions, 'javaScriptEnabled'> {
  readonly language: 'sv' | 'en';
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

export interface Opened {
  readonly page: Page;
  /** The browser's console errors and violations of the content security policy. */
  readonly complaints: readonly string[];
  readonly requestsElsewhere: readonly string[];
  close(): Promise<void>;
}

export interface Visit {
  readonly identity: Identity;
  readonly origin: string;
  /** The redirect address of the sign-ins of this visit. */
  readonly next: string;
  readonly organisation: string;
  readonly leader: string;
  /** The address of a page with `next`, `state` and the language. */
  href(path: string, query?: Readonly<Record<string, string>>): string;
  registration(): string;
  accessRequest(): string;
  withTemporaryPassword(): Promise<{ email: string; password: string }>;
  /** A patient with proxies and invitations in every state. */
  withProxies(): Promise<{ email: string; password: string }>;
  /** The guid of a child with a guardian. */
  withGuardian(): Promise<string>;
  speaking(language: 'sv' | 'en'): Visit;
  open(view: View): Promise<Opened>;
}

export const STATE = 'as it was given';

const ACCOUNT = {
  role: { sv: 'Läkare', en: 'Doctor' },
  name: 'Åsa Öst',
  email: 'asa.ost@example.org',
  password: 'skogens-grona-stigar',
  href: '/my',
};

export interface VisitOptions {
  /** The browser sees identity at the gateway's prefix. */
  readonly isBehindGateway?: boolean;
  /** Options of the browser's node that differ from those of `identity`. */
  readonly config?: Partial<IdentityDeps['config']>;
}

export async function startVisit(hooks: Hooks, options: VisitOptions = {}): Promise<Visit> {
  const { isBehindGateway = false, config } = options;
  const ordered = lastFirst(hooks);
  const application = await startApplication(ordered);
  const next = `${application}/signed-in`;
  const on = await identityDatabase(ordered);
  const [gatewayPort = 0] = await freePorts(1);
  const gateway = `http://127.0.0.1:${gatewayPort}`;
  const redirects = [`${application}/`, `${gateway}/`];
  // Chromium keeps a cookie for https from no http address.
  const sendMail: SendMail = async () => ({ kind: 'sent' });
  const site = { on, redirects, baseUrl: 'http://127.0.0.1/identity', sendMail };
  const identity = await startIdentity(ordered, site);
  const visited = config === undefined ? identity : await startIdentity(ordered, { ...site, config });
  const own = await visited.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = isBehindGateway
    ? await startGateway(ordered, { identity: own, publicUrl: gateway, port: gatewayPort })
    : own;
  const browser = await startBrowser(ordered);
  const organisation = await makeOrganisation(identity);
  const leaders = (await identity.app.inject('/api/public/group-leaders')).json();
  const leader = String(leaders[0].user_guid);

  function speaking(language: 'sv' | 'en'): Visit {
    const href: Visit['href'] = (path, query = {}) =>
      `${origin}/${path}?${new URLSearchParams({ next, state: STATE, lang: language, ...query })}`;
    const chosen = { organisation_guid: organisation };
    return {
      identity,
      origin,
      next,
      organisation,
      leader,
      href,
      registration: () => href('register', chosen),
      accessRequest: () => href('access-request', { ...chosen, chosen_leader_guid: leader }),
      withTemporaryPassword: () => withTemporaryPassword(identity),
      withProxies: () => withProxies(identity),
      withGuardian: () => withGuardian(identity),
      speaking,
      open,
    };
  }

  async function open({ language, colorScheme, width, ...options }: View): Promise<Opened> {
    const viewport = { width, height: 800 };
    const context = await browser.newContext({ ...options, locale: language, colorScheme, viewport });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const requestsElsewhere: string[] = [];
    page.on('request', (request) => {
      const isOurs = [origin, application].some((allowed) => request.url().startsWith(`${allowed}/`));
      if (!isOurs && !request.url().startsWith('data:')) requestsElsewhere.push(request.url());
    });
    return { page, complaints, requestsElsewhere, close: () => context.close() };
  }

  return speaking('sv');
}

async function startGateway(hooks: Hooks, own: { identity: string; publicUrl: string; port: number }): Promise<string> {
  const { identity, publicUrl, port } = own;
  const upstream = createUpstream('identity', [identity]);
  const module = gatewayModule({
    publicUrl,
    proof: 'proof',
    clock: systemClock,
    upstreams: { identity: upstream, dispatch: upstream, engine: upstream },
    session: testSession(upstream, systemClock, publicUrl),
    local: NONE_LOCAL,
    trustProxy: [],
    consoleBuild: NO_CONSOLE,
    startPage: () => ({ version: '1', accounts: [ACCOUNT], suggestions: [] }),
    isRegistrationOpen: true,
  });
  const app = await makeTestApp({}, { wireFormOf: module.wireFormOf });
  await module.plugin(app);
  hooks.after(() => app.close());
  return `${await app.listen({ host: '127.0.0.1', port })}/identity`;
}

/** A page that shows that it was reached, and nothing else. */
async function startApplication(hooks: Hooks): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>Arrived</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hooks.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function withTemporaryPassword(identity: Identity): Promise<{ email: string; password: string }> {
  const { email, answer } = await makePatient(identity);
  await identity.database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [
    answer.user_guid,
  ]);
  return { email, password: PASSWORD };
}

async function withProxies(identity: Identity): Promise<{ email: string; password: string }> {
  const [patient, other] = [await makePatient(identity), await makePatient(identity)];
  const until = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  const url = '/api/patient/proxies';
  const ask = (headers: { authorization: string }, path: string, payload: object = {}) =>
    identity.app.inject({ method: 'POST', url: `${url}${path}`, headers, payload });
  const invite = async (from: typeof patient, to: typeof patient, may: string) =>
    (await ask(from.headers, '', { email: to.email, may, until })).json().proxy_guid;
  await invite(patient, other, 'read');
  await invite(other, patient, 'act');
  await ask(other.headers, `/${await invite(patient, other, 'act')}/accept`);
  await ask(patient.headers, `/${await invite(other, patient, 'read')}/accept`);
  const ended = await invite(other, patient, 'read');
  await identity.app.inject({ method: 'DELETE', url: `${url}/${ended}`, headers: other.headers });
  return { email: patient.email, password: PASSWORD };
}

let children = 0;

async function withGuardian(identity: Identity): Promise<string> {
  const guardian = await makePatient(identity);
  const eightYearsOld = Math.floor((Date.now() - 8 * 365 * DAY_MS - Date.UTC(1960, 0, 1)) / DAY_MS) * 1000;
  children += 1;
  const personnummer = personnummerOf(eightYearsOld + children);
  const email = `child-${children}@example.org`;
  const payload = { email, password: PASSWORD, personnummer, organisation_guid: guardian.organisation_guid };
  const child = (await identity.app.inject({ method: 'POST', url: '/api/patient/register', payload })).json();
  await identity.app.inject({
    method: 'POST',
    url: `/api/admin/patients/${child.patient_guid}/guardians`,
    headers: await identity.asAdmin(),
    payload: { guardian_patient_guid: guardian.answer.patient_guid },
  });
  return child.patient_guid;
}
