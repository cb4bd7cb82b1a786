// Tries an image as it is meant to run: read-only, without rights, without any program but Node.js, on a PostgreSQL of
// its own. What is started here is removed again.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { freePorts } from '../free-ports.ts';
import { type Outcome, output, succeed } from './builder.ts';

const SERVICES = ['CONSOLE', 'IDENTITY', 'DISPATCH', 'ENGINE'] as const;
const ADMIN = 'admin@example.org';
const READY_MS = 180_000;
/** A stop takes 10 s at most (docs/operations/processes.md), and longer where other programs keep the machine busy. */
const STOP_SECONDS = 20;

/** What comes of writing a file in each folder. */
const WRITES = {
  '/': 'EROFS',
  '/app': 'EROFS',
  '/etc': 'EROFS',
  '/usr/local/bin': 'EROFS',
  '/tmp': 'written',
  '/var/lib/kedja': 'written',
};
/** And of starting each program. */
const STARTS = {
  '/bin/sh': 'ENOENT',
  '/usr/bin/env': 'ENOENT',
  '/usr/bin/npm': 'ENOENT',
  '/usr/local/bin/npm': 'ENOENT',
};
/** What a build must not take from the folder of the sources (.dockerignore). */
const NOT_THERE = ['.git', '.env', 'data', 'docs', 'test', 'deploy/container/.env', 'deploy/container/secrets'];

/** Run in the container: who it is, what it can write and start, and what it has that it must not have. */
const PROBE = `
  const fs = require('node:fs');
  const write = (file) => { try { fs.writeFileSync(file, ''); fs.unlinkSync(file); return 'written'; } catch (e) { return e.code; } };
  const start = (file) => require('node:child_process').spawnSync(file).error?.code ?? 'started';
  const status = fs.readFileSync('/proc/1/status', 'utf8');
  const field = (name) => new RegExp('^' + name + ':\\\\s*(.*)$', 'm').exec(status)[1].split(/\\s+/);
  console.log(JSON.stringify({
    uids: field('Uid'), gids: field('Gid'), capabilities: field('CapEff'), noNewPrivileges: field('NoNewPrivs'),
    writes: Object.fromEntries(${JSON.stringify(Object.keys(WRITES))}.map((f) => [f, write(f + '/probe')])),
    starts: Object.fromEntries(${JSON.stringify(Object.keys(STARTS))}.map((f) => [f, start(f)])),
    tooMuch: ${JSON.stringify(NOT_THERE)}.filter((f) => fs.existsSync('/app/' + f)),
  }));`;

interface Site {
  readonly runner: string;
  readonly image: string;
  /** Of the container, and of its volume. */
  readonly name: string;
  readonly gateway: string;
  readonly password: string;
  readonly options: readonly string[];
}

/**
 * Runs `kedja migrate` and then Kedja from the image, and uses it. `report` gets a line for each thing that was right.
 * @throws AssertionError for the first that was not, and Error when the container cannot be run or does not get ready
 */
export async function smokeTest(runner: string, image: string, report: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-image-'));
  const name = `kedja-smoke-${randomBytes(4).toString('hex')}`;
  const remove = async () => {
    await output(runner, ['rm', '--force', name]);
    await output(runner, ['volume', 'rm', '--force', name]);
  };
  const interrupted = () => void remove().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const database = await startEmbeddedPostgres({
      dataDir: path.join(folder, 'data'),
      log: () => {},
      temporary: true,
    });
    try {
      await trySite(await prepare(runner, image, { folder, name, databaseUrl: database.url('kedja') }), report);
    } finally {
      await remove();
      await database.stop();
    }
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly name: string;
  readonly databaseUrl: string;
}

async function prepare(runner: string, image: string, { folder, name, databaseUrl }: Place): Promise<Site> {
  const ports = await freePorts(SERVICES.length);
  const password = randomBytes(18).toString('base64url');
  const environment = {
    KEDJA_DATABASE_URL: databaseUrl,
    KEDJA_PUBLIC_URL: 'https://kedja.example.org',
    KEDJA_TRUST_PROXY: '127.0.0.1',
    KEDJA_HOST: '127.0.0.1',
    KEDJA_ADMIN_EMAIL: ADMIN,
    KEDJA_ADMIN_PASSWORD: password,
    ...Object.fromEntries(SERVICES.map((service, index) => [`KEDJA_${service}_PORT`, String(ports[index])])),
  };
  const file = path.join(folder, 'environment');
  const lines = Object.entries(environment).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
  const empty = path.join(folder, 'empty');
  await mkdir(empty);
  const options = [
    ...[
      '--read-only',
      '--tmpfs',
      '/tmp',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
      '--network',
      'host',
    ],
    // Over the programs of the image: a shell, or any other, would be missed.
    ...['--volume', `${empty}:/usr/bin:ro`, '--volume', `${empty}:/usr/sbin:ro`],
    ...['--volume', `${name}:/var/lib/kedja`, '--env-file', file],
  ];
  return { runner, image, name, password, options, gateway: `http://127.0.0.1:${ports[0]}` };
}

async function trySite(site: Site, report: (line: string) => void): Promise<void> {
  const { runner, image, name, options } = site;
  const user = (await succeed(runner, ['image', 'inspect', '--format', '{{.Config.User}}', image])).trim();
  assert.match(user, /^[1-9]\d*(?::[1-9]\d*)?$/, 'the user of the image is a number above 0');
  await succeed(runner, ['run', '--rm', ...options, image, 'migrate']);
  report('`kedja migrate` made the schemas');

  await succeed(runner, ['run', '--detach', '--name', name, ...options, image]);
  await untilReady(site);
  report('it is ready, on a read-only root file system and with no program but Node.js');
  checkProbe(JSON.parse(await inside(site, ['--eval', PROBE])));
  report('it is user 1000 without capabilities, writes /tmp and /var/lib/kedja alone, and finds no shell');
  report('it has no secret of compose, and nothing that Git leaves out');
  await inside(site, ['/app/deploy/container/healthcheck.mjs']);
  report('its health check succeeds');
  const doctor = await output(runner, ['exec', name, 'node', '/app/kedja.mjs', 'doctor']);
  assert.match(doctor.stdout, /^0 errors/m, doctor.stdout + doctor.stderr);
  report('`kedja doctor` finds no error');

  const written = await ask(site, '/engine/api/v1/Basic', { resourceType: 'Basic', code: { text: 'smoke test' } });
  const address = `/engine/api/v1/Basic/${written.id}`;
  assert.deepEqual(await ask(site, address), written);
  report('a resource was written and read');
  await stop(site, report);
  await succeed(runner, ['start', name]);
  await untilReady(site);
  assert.deepEqual(await ask(site, address), written);
  report('started again, it has its keys, and the resource');
  await stop(site, report);
}

function inside({ runner, name }: Site, args: readonly string[]): Promise<string> {
  return succeed(runner, ['exec', name, 'node', ...args]);
}

function checkProbe(found: Readonly<Record<string, unknown>>): void {
  assert.deepEqual(found, {
    uids: Array(4).fill('1000'),
    gids: Array(4).fill('1000'),
    capabilities: ['0'.repeat(16)],
    noNewPrivileges: ['1'],
    writes: WRITES,
    starts: STARTS,
    tooMuch: [],
  });
}

async function untilReady({ runner, name, gateway }: Site): Promise<void> {
  const until = performance.now() + READY_MS;
  for (;;) {
    const isReady = await fetch(`${gateway}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    const running = await output(runner, ['inspect', '--format', '{{.State.Running}}', name]);
    if (running.stdout.trim() !== 'true' || performance.now() > until)
      throw new Error(`The container did not get ready:\n${textOf(await output(runner, ['logs', name]))}`);
    await sleep(200);
  }
}

/** As the administrator, through a proxy with TLS. A body is posted. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions check what comes over the wire
async function ask(site: Site, address: string, body?: object): Promise<any> {
  const login = await send(site, '/identity/api/auth/login', {}, { email: ADMIN, password: site.password });
  return send(site, address, { authorization: `Bearer ${login.token}` }, body);
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions check what comes over the wire
async function send({ gateway }: Site, address: string, headers: Record<string, string>, body?: object): Promise<any> {
  const response = await fetch(gateway + address, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': address.startsWith('/engine') ? 'application/fhir+json' : 'application/json',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'kedja.example.org',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${address} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function stop({ runner, name }: Site, report: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  await succeed(runner, ['stop', '--time', String(STOP_SECONDS), name]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const code = (await succeed(runner, ['inspect', '--format', '{{.State.ExitCode}}', name])).trim();
  const logs = textOf(await output(runner, ['logs', name]));
  assert.equal(code, '0', `it ended with ${code} after SIGTERM:\n${logs}`);
  assert.match(logs.trimEnd().split('\n').at(-1) ?? '', /"event":"process\.stopped"/);
  assert.doesNotMatch(logs, /"level":"(?:error|fatal)"/);
  report(`SIGTERM ended it with exit code 0 in ${seconds} s`);
}

const textOf = ({ stdout, stderr }: Outcome) => stdout + stderr;
