// The responses of a node before it is ready (docs/operations/processes.md): it refuses what it cannot check yet. A
// fresh system is ready when its administrator is there; one that is started again is ready when it knows the profiles
// that were stored.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { type KedjaProcess, startKedja, untilReady } from '#test/support/system/processes.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-5' };
const PROFILE = {
  resourceType: 'StructureDefinition',
  url: 'https://example.org/StructureDefinition/named-patient',
  name: 'NamedPatient',
  status: 'active',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  derivation: 'constraint',
  differential: { element: [{ id: 'Patient.name', path: 'Patient.name', min: 1 }] },
};
const NAMELESS = { resourceType: 'Patient', meta: { profile: [PROFILE.url] } };

async function openSite(hooks: Hooks) {
  const { url } = await createTestDatabase(hooks);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-ready-'));
  const [identityPort, enginePort] = await freePorts(2);
  const [identity, engine] = [identityPort, enginePort].map((port) => `http://127.0.0.1:${port}`);
  const started: KedjaProcess[] = [];
  hooks.after(async () => {
    await Promise.all(started.map((each) => each.end('SIGKILL')));
    await rm(dataDir, { recursive: true, force: true });
  });
  const start = (): KedjaProcess => {
    const kedja = startKedja(['start'], {
      KEDJA_SERVICES: 'identity,engine',
      KEDJA_PUBLIC_URL: 'http://localhost:8080',
      KEDJA_IDENTITY_PORT: String(identityPort),
      KEDJA_ENGINE_PORT: String(enginePort),
      KEDJA_DATABASE_URL: url,
      KEDJA_DATA_DIR: dataDir,
      KEDJA_ADMIN_EMAIL: ADMIN.email,
      KEDJA_ADMIN_PASSWORD: ADMIN.password,
    });
    started.push(kedja);
    return kedja;
  };
  return { start, identity: identity ?? '', engine: engine ?? '' };
}

/**
 * Sends the resource again and again until the node is ready; the statuses of the answers until then and of the first
 * one after it.
 */
async function statusesUntilReady(engine: string, token: string): Promise<{ early: Set<number>; ready: number }> {
  const early = new Set<number>();
  const write = () => call(`${engine}/api/v1/Patient`, { token, json: NAMELESS });
  for (;;) {
    const ready = await fetch(`${engine}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    const status = await statusOf(write());
    if (ready && status !== undefined) return { early, ready: status };
    if (status !== undefined) early.add(status);
  }
}

/** Undefined where nobody listens. */
async function statusOf(answer: Promise<{ status: number }>): Promise<number | undefined> {
  try {
    return (await answer).status;
  } catch (error) {
    const status = error instanceof Error ? /answered (\d+)/.exec(error.message)?.[1] : undefined;
    return status === undefined ? undefined : Number(status);
  }
}

test('a fresh system is ready when its administrator is there, and a restarted one when it knows what was stored', async (t) => {
  const hooks = lastFirst(t);
  const { start, identity, engine } = await openSite(hooks);
  const first = start();
  await untilReady(first, [engine]);
  const { token } = (await call(`${identity}/api/auth/login`, { json: ADMIN })).body;
  await call(`${engine}/api/v1/StructureDefinition`, { token, json: PROFILE, expect: 201 });
  assert.equal(await statusOf(call(`${engine}/api/v1/Patient`, { token, json: NAMELESS })), 422);
  await first.end('SIGKILL');
  start();
  const { early, ready } = await statusesUntilReady(engine, token);
  assert.ok(early.size > 0, 'the node was asked before it was ready');
  assert.deepEqual([[...early].filter((status) => status !== 503 && status !== 422), ready], [[], 422]);
  const { total } = (await call(`${engine}/api/v1/Patient?_summary=count`, { token })).body;
  assert.equal(total, 0);
});
