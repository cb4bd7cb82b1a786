// The usage counts of API keys survive an orderly end (decision E8). A real process is stopped while a key is in use at
// engine and dispatch. What it has answered is counted, all of it and once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { call } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { startKedja, untilReady } from '#test/support/system/processes.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';

const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-7' };
const CALLERS = 4;
/** So many answers on either service before the end: it comes in the midst of others. */
const ENOUGH = 20;
const dataDir = await mkdtemp(path.join(tmpdir(), 'kedja-usage-'));
after(() => rm(dataDir, { recursive: true, force: true }));

interface Tally {
  /** Requests that were answered, whatever the answer. */
  answered: number;
  /**
   * Requests of which the caller cannot tell whether they were counted: the answer was lost, or the service turned them
   * away.
   */
  uncertain: number;
}

/**
 * Asks with the key, again and again, until nobody answers any more once the end has begun. A busy machine answers some
 * 503 before that, too.
 */
async function ask(url: string, key: string, tally: Tally, end: AbortSignal): Promise<void> {
  for (;;) {
    const isEnding = end.aborted;
    const status = await fetch(url, { headers: { 'x-api-key': key } })
      .then(async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      })
      .catch(() => undefined);
    if (status !== undefined && status !== 503) {
      tally.answered += 1;
      continue;
    }
    tally.uncertain += 1;
    if (isEnding || status === undefined) return;
  }
}

test('SIGTERM loses no count of a key that is in use, at the engine and at dispatch', async (t) => {
  const { url: databaseUrl } = await createSystemDatabase(t);
  const [identityPort, dispatchPort, enginePort] = await freePorts(3);
  const [engine, dispatch] = [`http://127.0.0.1:${enginePort}`, `http://127.0.0.1:${dispatchPort}`];
  const origins = [engine, dispatch];
  const start = async () => {
    const kedja = startKedja(['start'], {
      KEDJA_SERVICES: 'identity,dispatch,engine',
      KEDJA_PUBLIC_URL: 'http://127.0.0.1',
      KEDJA_IDENTITY_PORT: String(identityPort),
      KEDJA_DISPATCH_PORT: String(dispatchPort),
      KEDJA_ENGINE_PORT: String(enginePort),
      KEDJA_DATABASE_URL: databaseUrl,
      KEDJA_DATA_DIR: dataDir,
      KEDJA_ADMIN_EMAIL: ADMIN.email,
      KEDJA_ADMIN_PASSWORD: ADMIN.password,
    });
    t.after(async () => void (await kedja.end('SIGKILL')));
    await untilReady(kedja, origins);
    return kedja;
  };
  const signIn = async () => (await call(`${engine}/api/v1/auth/login`, { json: ADMIN })).body.token;
  const kedja = await start();
  const input = { name: 'Laboratory', scopes: ['system/*.cruds'] };
  const made = await call(`${engine}/api/v1/api-keys`, { json: input, token: await signIn() });
  const { key, key_guid: guid } = made.body;

  const tallies = [
    { answered: 0, uncertain: 0 },
    { answered: 0, uncertain: 0 },
  ] as const;
  const end = new AbortController();
  const addresses = [`${engine}/api/v1/Patient?_count=1`, `${dispatch}/api/v1/ServiceRequest`] as const;
  const asking = tallies.flatMap((tally, place) =>
    Array.from({ length: CALLERS }, () => ask(addresses[place] ?? '', key, tally, end.signal)),
  );
  while (tallies.some(({ answered }) => answered < ENOUGH)) await fetch(`${engine}/livez`);
  const ended = kedja.end('SIGTERM');
  end.abort();
  assert.equal(await ended, 0, kedja.output());
  await Promise.all(asking);
  assert.doesNotMatch(kedja.output(), /key-usage\.lost/);

  await start();
  const usage = await call(`${engine}/api/v1/api-keys/${guid}/usage`, { token: await signIn() });
  const answered = tallies.reduce((sum, tally) => sum + tally.answered, 0);
  const uncertain = tallies.reduce((sum, tally) => sum + tally.uncertain, 0);
  const { total } = usage.body;
  assert.ok(total >= answered && total <= answered + uncertain, `${total} counted of ${JSON.stringify(tallies)}`);
});
