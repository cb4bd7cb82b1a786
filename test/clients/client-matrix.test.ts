// Which client may call what (docs/adr/0044, decision G7). The test calls every address that the OpenAPI documents of
// the three services name, with each kind of client credentials, configured and on record (docs/adr/0054).
// What is listed neither as open nor as granted must be refused, so that a new address is refused by default.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { CLIENT_CALLS } from '#lib/auth/principal.ts';
import { eventually } from '#test/support/http.ts';
import { ADMIN, signInAsAdmin, startWholeSystem } from '#test/support/system/whole-system.ts';

const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
const AT_ONCE = 16;

const SECRETS = { identity: 'secret-of-identity', engine: 'secret-of-the-engine', dispatch: 'secret-of-dispatch' };
const headersOf = (id: string, secret: string) => ({ 'x-sso-client-id': id, 'x-sso-client-secret': secret });
const CLIENTS: Record<string, Readonly<Record<string, string>>> = {
  nobody: {},
  application: headersOf('journal', 'secret-of-the-journal'),
  wrongSecret: headersOf('engine', 'not-its-secret'),
  halfOfThem: { 'x-sso-client-secret': SECRETS.engine },
  identity: headersOf('identity', SECRETS.identity),
  engine: headersOf('engine', SECRETS.engine),
  dispatch: headersOf('dispatch', SECRETS.dispatch),
};

const pairs = (given: Readonly<Record<string, string>>) =>
  Object.entries(given)
    .map(([id, secret]) => `${id}:${secret}`)
    .join(',');
const system = await startWholeSystem(
  { after },
  {
    KEDJA_SERVICE_CLIENTS: pairs(SECRETS),
    KEDJA_SSO_CLIENTS: pairs({ journal: 'secret-of-the-journal' }),
    KEDJA_RATE_LIMIT_CLIENT: '1000000',
    KEDJA_RATE_LIMIT_LOGIN: '1000',
    KEDJA_RATE_LIMIT_REGISTER: '1000',
    KEDJA_RATE_LIMIT_CATALOGUE: '1000',
    KEDJA_RATE_LIMIT_ACCESS_REQUEST: '1000',
    KEDJA_LOG_LEVEL: 'error',
  },
);

const asAdmin = await signInAsAdmin(system);

/** What an administrator does with the clients on record. */
async function administer(path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${system.identity}/api/admin/clients${path}`, {
    method: 'POST',
    headers: { ...asAdmin, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const made = (await answer.json()) as Record<string, unknown>;
  assert.ok(answer.ok, JSON.stringify(made));
  return made;
}

/** Puts a client on record; answers its credentials. */
async function onRecord(client_id: string, settings: object): Promise<Readonly<Record<string, string>>> {
  const { client_secret: secret } = await administer('', { client_id, name: client_id, ...settings });
  return headersOf(client_id, String(secret));
}

const matching = { kind: 'service', calls: ['contract:match'] };
const REDIRECT = 'https://records.example.org/callback';
CLIENTS['recordOfApplication'] = await onRecord('records', { kind: 'application', redirects: [REDIRECT] });
CLIENTS['recordOfService'] = await onRecord('planner', matching);
CLIENTS['recordOfFollower'] = await onRecord('follower', { kind: 'service', calls: ['revocation:follow'] });
CLIENTS['disabled'] = await onRecord('retired', { kind: 'service', calls: [...CLIENT_CALLS] });
await administer('/retired/disable');
CLIENTS['oldSecret'] = await onRecord('rotated', { kind: 'service', calls: [...CLIENT_CALLS] });
await administer('/rotated/rotate-secret', { grace_hours: 0 });

const OPERATIONS = ['GET /livez', 'GET /readyz', 'GET /metrics'];

/** What dispatch asks of its plan service (clients/plan-client.ts), and nothing else of these types. */
const PLAN_READS = [
  ...['PlanDefinition', 'ActivityDefinition', 'ValueSet', 'Questionnaire'].flatMap((type) => [
    `GET /api/v1/${type}`,
    `POST /api/v1/${type}/_search`,
  ]),
  'GET /api/v1/Questionnaire/{id}',
  'GET /api/v1/ValueSet/$expand',
  'POST /api/v1/ValueSet/$expand',
];

interface Expectation {
  /** Open to anybody, or with credentials of its own in path or body: a client's credentials make no difference. */
  readonly open: readonly string[];
  /** Open by a receipt token in the path, or to staff of the provider; a client's credentials open nothing there. */
  readonly byToken?: readonly string[];
  /** The services that are let in; everybody else is refused. */
  readonly granted: Readonly<Record<string, readonly string[]>>;
}

const EXPECTED: Readonly<Record<'identity' | 'engine' | 'dispatch', Expectation>> = {
  identity: {
    open: [
      ...OPERATIONS,
      'GET /.well-known/jwks.json',
      'GET /api/health',
      'GET /fhir/metadata',
      'POST /api/auth/login',
      'POST /api/auth/login/second-factor',
      'POST /api/auth/password-reset',
      'POST /api/auth/password-reset/confirm',
      'POST /api/patient/register',
      'GET /api/public/organisations',
      'GET /api/public/groups',
      'GET /api/public/group-leaders',
      'POST /api/public/access-request',
    ],
    granted: {
      'GET /api/auth/revocations': ['dispatch', 'engine', 'recordOfFollower'],
      'POST /api/auth/clients/introspect': ['dispatch', 'engine'],
      'POST /api/auth/registered-ids': ['dispatch', 'engine'],
      'POST /api/auth/patient-records': ['dispatch', 'engine'],
      'GET /api/auth/patient-links': ['dispatch'],
      'GET /api/auth/users/{user_guid}/access': ['dispatch', 'engine'],
      'GET /api/auth/users/{user_guid}/proxies': ['dispatch', 'engine'],
      'POST /api/auth/names': ['dispatch', 'engine'],
      'POST /api/auth/browser-session/end': ['dispatch', 'engine'],
      'GET /api/auth/records/{record_id}': ['engine'],
      'POST /api/auth/accounts/sign-in': ['engine'],
      'POST /api/auth/accounts/known': ['engine'],
      'POST /api/auth/accounts/outcomes': ['engine'],
    },
  },
  engine: {
    open: [
      ...OPERATIONS,
      'GET /api/v1/health',
      'GET /api/v1/metadata',
      'GET /api/v1/$versions',
      'POST /api/v1/auth/login',
      'POST /api/v1/auth/register',
      'POST /api/v1/provider-tasks/inbox',
    ],
    byToken: [
      'GET /api/v1/provider-tasks/{receipt_token}',
      'GET /api/v1/provider-tasks/{receipt_token}/careplan-details',
      'GET /api/v1/provider-tasks/{receipt_token}/reports',
      'POST /api/v1/provider-tasks/{receipt_token}/accept',
      'POST /api/v1/provider-tasks/{receipt_token}/reject',
      'POST /api/v1/provider-tasks/{receipt_token}/report',
    ],
    granted: {
      'POST /api/v1/audit-events': ['identity', 'dispatch'],
      'POST /api/v1/api-keys/introspect': ['dispatch'],
      'POST /api/v1/api-keys/usage': ['dispatch'],
      'POST /api/v1/contracts/match': ['dispatch', 'recordOfService'],
      'POST /api/v1/results': ['dispatch'],
      ...Object.fromEntries(PLAN_READS.map((address) => [address, ['dispatch']])),
    },
  },
  dispatch: {
    open: [
      ...OPERATIONS,
      'GET /api/v1/metadata',
      'POST /api/v1/ServiceRequest/receipt/{token}/respond',
      'POST /api/v1/ServiceRequest/receipt/{token}/status',
    ],
    granted: {
      'PUT /api/v1/providers/{provider_guid}/endpoint': ['engine'],
      'POST /api/v1/providers/{provider_guid}/endpoint/rotate-secret': ['engine'],
      'POST /api/v1/requests/reportable': ['engine'],
      'POST /api/v1/requests/{request_guid}/results': ['engine'],
      'PUT /api/v1/requests/{request_guid}/status': ['engine'],
      'POST /api/v1/requests/{request_guid}/status': ['engine'],
      'POST /api/v1/patient-reports/place': ['engine'],
      'POST /api/v1/patient-reports/notices': ['engine'],
    },
  },
};

/** Of the engine’s types, which one code serves, these with every client; the others with the one that may most. */
const WHOLLY = /^\S+ \/api\/v1\/(?![A-Z])|\/(Patient|AuditEvent|CodeSystem|PlanDefinition|ValueSet|Questionnaire)\b/;
const FEW = ['dispatch'];

async function statusOf(origin: string, address: string, client: string): Promise<number> {
  const [method = '', path = ''] = address.split(' ');
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const isSearch = path.endsWith('/_search');
  const type = isSearch ? 'application/x-www-form-urlencoded' : 'application/json';
  const answer = await fetch(origin + path.replaceAll(/\{\w+\}/g, UNKNOWN), {
    method,
    headers: { ...CLIENTS[client], ...(hasBody ? { 'content-type': type } : {}) },
    ...(hasBody ? { body: isSearch ? '_count=1' : '{}' } : {}),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function inTurns<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function servedBy(origin: string): Promise<string[]> {
  const { paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** What differs from the expectation; `open`: whether all clients got the same answer. */
async function checkAccess(origin: string, address: string, expectation: Expectation): Promise<string[]> {
  const { open, byToken = [], granted } = expectation;
  const clients = WHOLLY.test(address) ? Object.keys(CLIENTS) : FEW;
  const statuses = new Map<string, number>();
  for (const client of clients) statuses.set(client, await statusOf(origin, address, client));
  if (open.includes(address)) {
    return new Set(statuses.values()).size === 1 ? [] : [`${address} is open: ${JSON.stringify([...statuses])}`];
  }
  const isByToken = byToken.includes(address);
  return [...statuses].flatMap(([client, status]) => {
    const isRefused = status === 401 || status === 403 || (isByToken && status === 404);
    const isExpected = (granted[address] ?? []).includes(client) ? !isRefused && status < 500 : isRefused;
    return isExpected ? [] : [`${address} answers ${client} ${status}`];
  });
}

/** They check clients themselves: see the tests below. */
const APART = new Set(['GET /api/auth/me/service', 'POST /api/auth/token']);

for (const service of ['identity', 'engine', 'dispatch'] as const) {
  test(`${service}: every address lets in just the clients that call it`, async () => {
    const expectation = EXPECTED[service];
    const served = (await servedBy(system[service])).filter((address) => !APART.has(address));
    const { open, byToken = [], granted } = expectation;
    const listed = [...open, ...byToken, ...Object.keys(granted)];
    assert.deepEqual(
      listed.filter((address) => !served.includes(address)),
      [],
      'what is listed is served',
    );
    const issues: string[] = [];
    await inTurns(served, async (address) => {
      issues.push(...(await checkAccess(system[service], address, expectation)));
    });
    assert.deepEqual(issues, []);
  });
}

test('/api/auth/me/service: the token is checked first (401), then the client (403); applications, dispatch and engine are let in', async () => {
  const token = asAdmin.authorization.slice('Bearer '.length);
  const ask = async (client: string, bearer: string | undefined) => {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const answer = await fetch(`${system.identity}/api/auth/me/service`, {
      headers: { ...CLIENTS[client], ...authorization },
    });
    const { error } = (await answer.json()) as { error?: string };
    return [answer.status, error];
  };
  for (const client of Object.keys(CLIENTS)) {
    assert.deepEqual(await ask(client, undefined), [401, 'unauthorized'], client);
    assert.deepEqual(await ask(client, 'no.good.token'), [401, 'unauthorized'], client);
    const isKnown = ['application', 'recordOfApplication', 'dispatch', 'engine'].includes(client);
    const expected = isKnown ? [200, undefined] : [403, 'invalid_service_credentials'];
    assert.deepEqual(await ask(client, token), expected, client);
  }
});

test('/api/auth/token: a code for a client is exchanged by that client alone; credentials that prove none are refused', async () => {
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const proof = { response_mode: 'code', code_challenge: challenge, code_challenge_method: 'S256' };
  const signIn = async () => {
    const body = JSON.stringify({ ...ADMIN, client_id: 'records', next: REDIRECT, ...proof });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${system.identity}/api/auth/login`, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
    });
    return new URL(String(answer.headers.get('location'))).searchParams.get('code');
  };
  for (const [client, shown] of Object.entries(CLIENTS)) {
    const body = JSON.stringify({ code: await signIn(), next: REDIRECT, code_verifier: verifier });
    const headers = { 'content-type': 'application/json', ...shown };
    const answer = await fetch(`${system.identity}/api/auth/token`, { method: 'POST', headers, body });
    const expected = client === 'recordOfApplication' ? 200 : ['nobody', 'application'].includes(client) ? 401 : 403;
    assert.equal(answer.status, expected, client);
  }
});

test('a token for one application alone opens nothing at dispatch and the engine; its client, and nobody else, hears whose it is', async () => {
  const portal = await onRecord('portal', { kind: 'application', audience: 'portal', redirects: [REDIRECT] });
  const verifier = 'w'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const proof = { response_mode: 'code', code_challenge: challenge, code_challenge_method: 'S256' };
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${system.identity}/api/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ ...ADMIN, client_id: 'portal', next: REDIRECT, ...proof }),
    redirect: 'manual',
  });
  const code = new URL(String(login.headers.get('location'))).searchParams.get('code');
  const exchanged = await fetch(`${system.identity}/api/auth/token`, {
    method: 'POST',
    headers: { ...json, ...portal },
    body: JSON.stringify({ code, next: REDIRECT, code_verifier: verifier }),
  });
  const { token } = (await exchanged.json()) as { token: string };
  const authorization = `Bearer ${token}`;
  const statusAt = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
    (await fetch(url, { headers: { authorization, ...headers } })).status;
  const me = `${system.identity}/api/auth/me/service`;
  assert.equal(await statusAt(me, portal), 200);
  for (const client of ['application', 'recordOfApplication', 'dispatch', 'engine']) {
    assert.equal(await statusAt(me, CLIENTS[client]), 401, client);
  }
  for (const url of [
    `${system.identity}/api/auth/me`,
    `${system.identity}/api/auth/sessions`,
    `${system.engine}/api/v1/Patient`,
    `${system.engine}/api/v1/concepts`,
    `${system.dispatch}/api/v1/ServiceRequest`,
    `${system.dispatch}/api/v1/CarePlan`,
  ]) {
    assert.equal(await statusAt(url), 401, url);
    assert.equal((await fetch(url, { headers: asAdmin })).status, 200, url);
  }
});

test('at the engine a client on record counts from when it is made, and no more when it is disabled or has another secret', async () => {
  const shown = await onRecord('lately', matching);
  const status = async (headers: Readonly<Record<string, string>>) => {
    const match = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{"codes":[]}' };
    return (await fetch(`${system.engine}/api/v1/contracts/match`, match)).status;
  };
  const becomes = (isLetIn: boolean, headers = shown) =>
    eventually(
      `the engine lets in: ${isLetIn}`,
      async () => ((await status(headers)) !== 403) === isLetIn || undefined,
    );
  await becomes(true);
  await administer('/lately/disable');
  await becomes(false);
  await administer('/lately/enable');
  await becomes(true);
  const { client_secret: next } = await administer('/lately/rotate-secret', {});
  await becomes(false);
  await becomes(true, headersOf('lately', String(next)));
});

test("the sign-in of developers at the gateway, by identity's page and back; the code is of no use to another browser", async () => {
  const start = await (await fetch(`${system.gateway}/developer?lang=en`)).text();
  const href = /href="([^"]+\/sign-in\?[^"]*)"/.exec(start)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const begun = await fetch(href, { redirect: 'manual' });
  const cookie = String(begun.headers.getSetCookie()[0]?.split(';')[0]);
  const place = new URL(String(begun.headers.get('location')));
  const page = await fetch(place);
  assert.equal(page.status, 200);
  const login = async () => {
    const body = new URLSearchParams([...place.searchParams, ...Object.entries(ADMIN)]);
    const headers = { accept: 'text/html' };
    const url = `${system.gateway}/identity/api/auth/login`;
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
    return String(answer.headers.get('location'));
  };
  const back = await login();
  assert.equal(new URL(back).pathname, '/signed-in');
  const code = new URL(back).searchParams.get('code');
  const json = { code, next: place.searchParams.get('next') };
  const stolen = await fetch(`${system.identity}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  assert.equal(stolen.status, 401, 'without the verifier');
  const again = await login();
  assert.equal((await fetch(again)).status, 400, 'without the cookie');
  const done = await fetch(again, { headers: { cookie } });
  assert.match(await done.text(), /You are signed in as <strong>admin@example\.org<\/strong>/);
});

test('the sign-in of each service, opened at localhost while the public address says 127.0.0.1, begins there and ends in a session', async () => {
  for (const service of ['dispatch', 'engine']) {
    const typed = `${system.gateway.replace('127.0.0.1', 'localhost')}/${service}/auth/login?lang=en`;
    const led = await fetch(typed, { redirect: 'manual' });
    assert.deepEqual([led.status, led.headers.getSetCookie()], [303, []]);
    const begun = await fetch(String(led.headers.get('location')), { redirect: 'manual' });
    const cookie = String(begun.headers.getSetCookie()[0]?.split(';')[0]);
    const { searchParams } = new URL(String(begun.headers.get('location')));
    const login = await fetch(`${system.gateway}/identity/api/auth/login`, {
      method: 'POST',
      body: new URLSearchParams([...searchParams, ...Object.entries(ADMIN)]),
      redirect: 'manual',
    });
    const done = await fetch(String(login.headers.get('location')), { headers: { cookie }, redirect: 'manual' });
    assert.deepEqual([done.status, done.headers.getSetCookie().length], [303, 2], service);
  }
});
