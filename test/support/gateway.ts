// The gateway in process, before a mock of the services that sends prepared responses and echoes all other requests.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSignInClient } from '#clients/sign-in-client.ts';
import { type Clock, systemClock } from '#lib/clock.ts';
import type { HttpAppOptions } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { nodesFetch } from '#lib/http/upstream/service-fetch.ts';
import { createUpstream } from '#lib/http/upstream/upstream.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import type { ConsoleRenderer } from '../../gateway/console/first-view.ts';
import { type ConsoleSession, createConsoleSession } from '../../gateway/console/session.ts';
import type { LocalServices } from '../../gateway/hand-over.ts';
import { type GatewayOptions, registerGateway } from '../../gateway/plugin.ts';
import { createServiceStatuses } from '../../gateway/service-status.ts';
import type { Hooks } from './hooks.ts';
import { makeTestApp } from './http-app.ts';

const PUBLIC_URL = 'https://kedja.test';
/** No service runs in the gateway's process. */
export const NONE_LOCAL: LocalServices = { find: () => undefined };

/** A gateway before one service with these nodes, in the place of all three. The caller closes it. */
export async function makeGateway(
  nodes: readonly string[],
  changes: Partial<HttpAppOptions> & Partial<Pick<GatewayOptions, 'clock' | 'isRegistrationOpen' | 'local'>> = {},
): Promise<HttpApp> {
  const { clock = systemClock, isRegistrationOpen = true, local = NONE_LOCAL, ...options } = changes;
  const upstream = createUpstream('engine', nodes);
  const upstreams = { identity: upstream, dispatch: upstream, engine: upstream };
  const statuses = createServiceStatuses(upstreams, clock);
  const app = await makeTestApp({}, { readiness: statuses.readiness, ...options });
  const consoleFiles = NO_CONSOLE.files;
  const startPage = () => ({ version: '1', accounts: [], suggestions: [] });
  const publicUrl = PUBLIC_URL;
  const session = testSession(upstream, clock);
  await registerGateway(app, {
    upstreams,
    statuses,
    proof: 'proof',
    local,
    trustProxy: options.trustProxy ?? [],
    publicUrl,
    clock,
    session,
    consoleFiles,
    startPage,
    isRegistrationOpen,
  });
  return app;
}

/** The console's session before a service in the place of identity. */
export function testSession(
  identity: Parameters<typeof nodesFetch>[0],
  clock: Clock,
  publicUrl = PUBLIC_URL,
): ConsoleSession {
  return createConsoleSession({
    publicUrl,
    source: createSignInClient(nodesFetch(identity)),
    keys: fixedKeys(Buffer.alloc(32, 7)),
    clock,
  });
}

/** Never built. */
export const NO_CONSOLE = {
  files: () => undefined,
  start: () => undefined,
  ended: async () => undefined,
  stop: async () => undefined,
};

/** A console of one script, as the build leaves it. */
const SCRIPT = {
  type: 'text/javascript; charset=utf-8',
  plain: Buffer.from('1'),
  packed: new Map([['br', Buffer.from('b')]]),
};
const CONSOLE = {
  page: '<html lang="sv"><meta nonce="__NONCE__">__HEAD__<div id="root">__ROOT__</div>__STATE__ __NO_SCRIPT__',
  renderer: { render: async () => undefined },
  assets: new Map([['a-1.js', SCRIPT]]),
};

/** An origin whose pages may call. */
export const PAGE = 'https://app.example.org';

export interface TestGateway {
  readonly app: HttpApp;
  readonly clock: { time: number; now(): number };
  /** The responses of the services, by path; other requests are echoed. */
  readonly answers: Record<string, { status: number; json: unknown }>;
  /** The bodies of the requests to those paths, the newest last. */
  readonly sent: string[];
}

/** @param renderer of the console; left out, it has no first views */
export async function startTestGateway(
  hooks: Hooks,
  renderer: ConsoleRenderer = CONSOLE.renderer,
): Promise<TestGateway> {
  const answers: TestGateway['answers'] = {};
  const sent: string[] = [];
  const echo = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const prepared = answers[request.url ?? ''];
      if (prepared !== undefined) sent.push(body);
      if (prepared !== undefined)
        return void response
          .writeHead(prepared.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(prepared.json));
      response.writeHead(201, {
        'content-type': 'application/json',
        location: '/made/1',
        link: '</list?page=1>; rel="first", </list?page=2>; rel="next"',
        ...(request.headers['x-answer-caching'] === undefined ? {} : { 'cache-control': 'public, max-age=60' }),
        // As a service says it that allows the same pages.
        ...(request.headers.origin === undefined ? {} : { 'access-control-allow-origin': PAGE, vary: 'Origin' }),
      });
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;

  const echoed = createUpstream('echo', [echoUrl]);
  const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
  const app = await makeTestApp({}, { corsOrigins: [PAGE] });
  const engine = createUpstream('engine', ['http://127.0.0.1:9'], { patienceMs: 0 });
  const upstreams = { identity: echoed, dispatch: echoed, engine };
  await registerGateway(app, {
    upstreams,
    statuses: createServiceStatuses(upstreams, clock),
    proof: 'proof',
    local: NONE_LOCAL,
    trustProxy: [],
    publicUrl: PUBLIC_URL,
    clock,
    session: testSession(echoed, clock),
    consoleFiles: () => ({ ...CONSOLE, renderer }),
    startPage: () => ({
      version: '1.2.3',
      accounts: [
        {
          role: { sv: 'Läkare', en: 'Doctor' },
          name: 'Åsa <Öst>',
          email: 'asa@example.org',
          password: 'p&q',
          href: '/plan',
        },
      ],
      suggestions: [{ title: { sv: 'Titta', en: 'Look' }, text: { sv: 'här', en: 'here' }, href: '/engine/docs/' }],
    }),
    isRegistrationOpen: true,
  });
  hooks.after(async () => {
    await app.close();
    echo.close();
  });
  return { app, clock, answers, sent };
}
