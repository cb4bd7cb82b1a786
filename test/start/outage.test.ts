// What a running service does when its database goes away and comes back, and when several nodes start at once on an
// empty one.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { call, promptly } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { type KedjaProcess, startKedja, systemPorts, untilReady } from '#test/support/system/processes.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-7' };

async function keyFolder(hooks: Hooks): Promise<string> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-node-'));
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function startNode(
  hooks: Hooks,
  { databaseUrl, dataDir }: { databaseUrl: string; dataDir: string },
): Promise<{ kedja: KedjaProcess; origin: string }> {
  const [port] = await freePorts(1);
  const origin = `http://127.0.0.1:${port}`;
  const kedja = startKedja(['start'], {
    KEDJA_SERVICES: 'identity',
    KEDJA_PUBLIC_URL: 'http://localhost:8080',
    KEDJA_IDENTITY_PORT: String(port),
    KEDJA_DATABASE_URL: databaseUrl,
    KEDJA_DATA_DIR: dataDir,
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
  });
  hooks.after(async () => void (await kedja.end('SIGKILL')));
  return { kedja, origin };
}

test('without its database a service answers 503 with Retry-After, and heals by itself', async (t) => {
  const hooks = lastFirst(t);
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  const { kedja, origin } = await startNode(hooks, {
    databaseUrl: first.url('kedja'),
    dataDir: await keyFolder(hooks),
  });
  await untilReady(kedja, [origin]);
  const login = (expect: number) => call(`${origin}/api/auth/login`, { json: ADMIN, expect });
  await login(200);

  await first.stop();
  const lost = await login(503);
  assert.equal(lost.body.error, 'unavailable');
  assert.ok(Number(lost.headers.get('retry-after')) >= 1);
  assert.match((await call(`${origin}/readyz`, { expect: 503 })).body.reasons.join(), /database/);
  assert.equal((await call(`${origin}/livez`)).status, 200);

  const again = await startEmbeddedPostgres({ dataDir, log: () => undefined, port: first.port });
  hooks.after(() => again.stop());
  await untilReady(kedja, [origin]);
  await login(200);
});

test('without its database a process of all services ends at SIGTERM', async (t) => {
  const hooks = lastFirst(t);
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const database = await startEmbeddedPostgres({ dataDir, log: () => undefined, durable: false });
  const { environment, ports } = await systemPorts();
  const kedja = startKedja(['start'], {
    ...environment,
    KEDJA_PUBLIC_URL: 'http://localhost:8080',
    KEDJA_DATABASE_URL: database.url('kedja'),
    KEDJA_DATA_DIR: await keyFolder(hooks),
    KEDJA_ADMIN_EMAIL: ADMIN.email,
    KEDJA_ADMIN_PASSWORD: ADMIN.password,
  });
  hooks.after(async () => void (await kedja.end('SIGKILL')));
  await untilReady(
    kedja,
    Object.values(ports).map((port) => `http://127.0.0.1:${port}`),
  );
  await database.stop();
  const gateway = `http://127.0.0.1:${ports.gateway}`;
  const isKnown = async () => (await fetch(`${gateway}/readyz`)).status === 503 || undefined;
  await promptly('the outage is known', isKnown, 60_000);
  assert.equal(await kedja.end('SIGTERM'), 0, kedja.output());
});

test('nodes that start at once on an empty database agree on the migrations, the keys and the administrator', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const site = { databaseUrl: url, dataDir: await keyFolder(hooks) };
  const nodes = await Promise.all([startNode(hooks, site), startNode(hooks, site), startNode(hooks, site)]);
  await Promise.all(nodes.map(({ kedja, origin }) => untilReady(kedja, [origin])));
  const [first, second, third] = nodes.map(({ origin }) => origin);
  const { body } = await call(`${first}/api/auth/login`, { json: ADMIN });
  for (const origin of [first, second, third]) {
    assert.equal((await call(`${origin}/api/auth/me`, { token: body.token })).body.is_su_admin, true);
  }
  await call(`${second}/api/auth/logout`, { method: 'POST', token: body.token });
  await call(`${second}/api/auth/me`, { token: body.token, expect: 401 });
  const isRefused = async () => {
    const { status } = await fetch(`${third}/api/auth/me`, { headers: { authorization: `Bearer ${body.token}` } });
    return status === 401 ? true : undefined;
  };
  await promptly('the sign-out reached every node', isRefused, 2_000);
});

test('a node whose keys are not those of the database refuses to start, and says so in one line', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createSystemDatabase(hooks);
  const first = await startNode(hooks, { databaseUrl: url, dataDir: await keyFolder(hooks) });
  await untilReady(first.kedja, [first.origin]);
  const refusal = async (dataDir: string) => {
    const { kedja } = await startNode(hooks, { databaseUrl: url, dataDir });
    assert.equal(await kedja.end('SIGCONT'), 1);
    return kedja.output();
  };
  const dataDir = await keyFolder(hooks);
  assert.match(await refusal(dataDir), /^Kedja cannot start: There is no .*\/keys\/personnummer\.key/m);
  await mkdir(path.join(dataDir, 'keys'), { recursive: true });
  const other = `${randomBytes(32).toString('base64')}\n`;
  await writeFile(path.join(dataDir, 'keys', 'personnummer.key'), other, { mode: 0o600 });
  assert.match(await refusal(dataDir), /^Kedja cannot start: The key for personnummer is not the one/m);
});
