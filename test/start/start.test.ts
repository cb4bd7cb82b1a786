// `npm start` as an operator meets it: refusal of a bad configuration, start, several workers, and an orderly end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { call, eventually } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { type KedjaProcess, startKedja, untilLive, untilReady } from '#test/support/system/processes.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-7' };
const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-start-'));
after(() => rm(dataDir, { recursive: true, force: true }));

async function start(
  t: { after(cleanUp: () => Promise<void>): void },
  changes: Record<string, string> = {},
): Promise<{ kedja: KedjaProcess; identity: string; gateway: string }> {
  const { url } = await createSystemDatabase(t);
  const [identityPort, consolePort] = await freePorts(2);
  const identity = `http://127.0.0.1:${identityPort}`;
  const gateway = `http://127.0.0.1:${consolePort}`;
  const kedja = startKedja(['start'], {
    KEDJA_SERVICES: 'identity,console',
    KEDJA_PUBLIC_URL: gateway,
    KEDJA_IDENTITY_PORT: String(identityPort),
    KEDJA_CONSOLE_PORT: String(consolePort),
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
    KEDJA_RATE_LIMIT_LOGIN: '1000',
    ...changes,
  });
  t.after(async () => void (await kedja.end('SIGKILL')));
  await untilReady(kedja, [identity]);
  // The services behind it are not all here, so the gateway is never ready.
  await untilLive(kedja, gateway);
  return { kedja, identity, gateway };
}

test('an empty environment is refused with everything that is missing', async () => {
  const kedja = startKedja(['start'], {});
  assert.equal(await kedja.end('SIGCONT'), 1);
  for (const name of ['KEDJA_PUBLIC_URL', 'KEDJA_ADMIN_EMAIL', 'KEDJA_ADMIN_PASSWORD']) {
    assert.match(kedja.output(), new RegExp(`^  - ${name} is missing`, 'm'));
  }
});

test('a bad configuration is refused with every error at once, and without its secrets', async () => {
  const kedja = startKedja(['start'], {
    KEDJA_PUBLIC_URL: 'http://kedja.example.org',
    KEDJA_ADMIN_EMAIL: 'admin',
    KEDJA_ADMIN_PASSWORD: 'password',
    KEDJA_IDENTITY_PORT: 'http',
    KEDJA_DATABASE_ULR: 'postgres://x',
  });
  assert.equal(await kedja.end('SIGCONT'), 1);
  const issues = kedja.output().match(/^ {2}- KEDJA_\w+/gm) ?? [];
  assert.ok(new Set(issues).size >= 5, kedja.output());
  assert.match(kedja.output(), /KEDJA_DATABASE_URL/, 'the variable that was meant is named');
});

test('a client cannot escape its rate limit by naming another address, to the gateway or to the service itself', async (t) => {
  const { gateway, identity } = await start(t, { KEDJA_RATE_LIMIT_REGISTER: '1' });
  const ask = (origin: string, address: string, expect: number) => {
    const headers = { 'x-forwarded-for': address, 'x-real-ip': address, 'x-kedja-gateway': 'guessed' };
    return call(`${origin}/api/patient/register`, { json: {}, headers, expect });
  };
  await ask(`${gateway}/identity`, '203.0.113.1', 400);
  await ask(`${gateway}/identity`, '203.0.113.2', 429);
  // Nor to the service's own port, from this machine.
  await ask(identity, '203.0.113.3', 429);
  await call(`${identity}/metrics`, { expect: 200 });
  await call(`${gateway}/identity/metrics`, { expect: 404 });
});

test('a taken port ends the start with one clear line', async (t) => {
  const { gateway } = await start(t);
  const { port } = new URL(gateway);
  const [other] = await freePorts(1);
  const { url } = await createSystemDatabase(t);
  const second = startKedja(['start'], {
    KEDJA_SERVICES: 'identity,console',
    KEDJA_PUBLIC_URL: gateway,
    KEDJA_IDENTITY_PORT: String(other),
    KEDJA_CONSOLE_PORT: port,
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
  });
  assert.equal(await second.end('SIGCONT'), 1);
  assert.match(
    second.output(),
    new RegExp(`^Kedja cannot start: console cannot listen on 127.0.0.1:${port}: another program uses it$`, 'm'),
  );
});

test('SIGTERM serves what runs, loses no request, and ends with 0; the log names nobody', async (t) => {
  const { kedja, identity, gateway } = await start(t);
  const login = (origin: string) => call(`${origin}/api/auth/login`, { json: ADMIN }).then(({ status }) => status);
  const running = Promise.allSettled(
    Array.from({ length: 12 }, (_, n) => login(n % 2 === 0 ? identity : `${gateway}/identity`)),
  );
  // Requests that were sent are requests to be answered: wait until all have reached the service.
  await eventually('the requests had arrived', async () => ((await openRequests(identity)) > 0 ? true : undefined));
  const [exitCode, statuses] = await Promise.all([kedja.end('SIGTERM'), running]);
  assert.equal(exitCode, 0, kedja.output());
  const lost = statuses.filter((result) => result.status === 'rejected' && !/answered 503/.test(String(result.reason)));
  assert.deepEqual(lost, []);
  assert.ok(statuses.some((result) => result.status === 'fulfilled'));
  assert.doesNotMatch(kedja.output(), /admin@example\.org|skogens/);
});

test('the services of a process drain at the same time', async (t) => {
  const { kedja, identity, gateway } = await start(t, { KEDJA_DRAIN_SECONDS: '5' });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const idle = [gateway, identity].map(async (origin) => {
    const asked = get(`${origin}/livez`, { agent });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return asked.socket ?? assert.fail('the connection is gone');
  });
  const ends = (await Promise.all(idle)).map((socket) => once(socket, 'close').then(() => performance.now()));
  assert.equal(await kedja.end('SIGTERM'), 0, kedja.output());
  const [ofGateway = 0, ofIdentity = 0] = await Promise.all(ends);
  assert.ok(Math.abs(ofIdentity - ofGateway) < 4_000, 'identity did not wait for the end of the gateway to begin');
});

/** Logins that identity has answered so far. */
async function openRequests(identity: string): Promise<number> {
  const { text } = await call(`${identity}/metrics`);
  const line = /kedja_http_request_duration_seconds_count\{[^}]*route="\/api\/auth\/login"[^}]*\} (\d+)/.exec(text);
  return Number(line?.[1] ?? 0);
}

test('a database that cannot be used ends the start with one clear line', async (t) => {
  const { url } = await createSystemDatabase(t);
  const wrong = new URL(url);
  wrong.pathname = '/nowhere';
  const environment = { KEDJA_PUBLIC_URL: 'http://127.0.0.1', KEDJA_DATA_DIR: dataDir };
  const administrator = { KEDJA_ADMIN_EMAIL: ADMIN.email, KEDJA_ADMIN_PASSWORD: ADMIN.password };
  for (const [address, reason] of [
    ['postgresql://kedja:hidden-word@127.0.0.1:1/kedja', /connect ECONNREFUSED 127\.0\.0\.1:1$/m],
    [wrong.href, /database "nowhere" does not exist$/m],
  ] as const) {
    const kedja = startKedja(['start'], { ...environment, ...administrator, KEDJA_DATABASE_URL: address });
    assert.equal(await kedja.end('SIGCONT'), 1);
    assert.match(kedja.output(), /^Kedja cannot start: the database cannot be used: /m);
    assert.match(kedja.output(), reason);
    assert.doesNotMatch(kedja.output(), /hidden-word/);
  }
});

test('workers that are signalled together with their primary serve what runs; the database may be named by a file', async (t) => {
  const { url } = await createSystemDatabase(t);
  const file = path.join(dataDir, 'database-url');
  await writeFile(file, `${url}\n`);
  const { kedja, identity } = await start(t, {
    KEDJA_WORKERS: '2',
    KEDJA_DATABASE_URL: '',
    KEDJA_DATABASE_URL_FILE: file,
  });
  const workers = await eventually('two workers had started', async () => pidsOf(kedja, 2));
  // Settled from the start: a connection that no worker has taken up when both stop is reset, which is no failure of
  // this test.
  const running = Promise.allSettled(
    Array.from({ length: 60 }, () => call(`${identity}/api/auth/login`, { json: ADMIN })),
  );
  await eventually('a request was answered', async () => ((await openRequests(identity)) > 0 ? true : undefined));
  // As a terminal or a service manager does: everybody in the group, and then the primary its workers once more.
  for (const pid of workers) process.kill(pid, 'SIGTERM');
  const stopping = () => kedja.output().match(/"event":"process\.stopping"/g)?.length ?? 0;
  await eventually('both workers had heard', async () => (stopping() >= 2 ? true : undefined));
  const [exitCode] = await Promise.all([kedja.end('SIGTERM'), running]);
  assert.equal(exitCode, 0, kedja.output());
  assert.equal(kedja.output().match(/"event":"process\.stopped"/g)?.length, 3, 'primary and workers ended in order');
});

/** The pids of so many processes that say they have started. */
function pidsOf(kedja: KedjaProcess, count: number): number[] | undefined {
  const found = [...kedja.output().matchAll(/"event":"process\.started"[^\n]*?"pid":(\d+)/g)];
  return found.length < count ? undefined : found.map(([, pid]) => Number(pid));
}

test('workers that cannot start end the whole process with 1', async (t) => {
  const { url } = await createSystemDatabase(t);
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const kedja = startKedja(['start'], {
    KEDJA_SERVICES: 'identity',
    KEDJA_WORKERS: '2',
    KEDJA_PUBLIC_URL: 'http://127.0.0.1',
    KEDJA_IDENTITY_PORT: String(port),
    KEDJA_DATABASE_URL: url,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
  });
  assert.equal(await kedja.end('SIGCONT'), 1);
  assert.match(kedja.output(), /^Kedja cannot start: identity cannot listen on .* another program uses it$/m);
  assert.match(kedja.output(), /^Kedja cannot start: the workers cannot be kept running$/m);
});

test('with several workers the service outlives one of them', async (t) => {
  const { kedja, identity } = await start(t, { KEDJA_WORKERS: '2' });
  const [first] = await eventually('two workers had started', async () => pidsOf(kedja, 2));
  assert.ok(first !== undefined);
  process.kill(first, 'SIGKILL');
  await eventually('the worker was replaced', async () => pidsOf(kedja, 3));
  assert.equal((await call(`${identity}/api/auth/login`, { json: ADMIN })).status, 200);
  assert.equal(await kedja.end('SIGTERM'), 0, kedja.output());
});
