// `kedja keys` as an operator runs it: on its own database, and on the embedded one, running or not.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { migrations } from '#services/identity/migrations.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { identityDatabase } from '#test/support/identity/identity.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });

const keys = (environment: Record<string, string>, ...args: string[]) =>
  startCommand(['keys', ...args], environment).ended;

/** A data folder with the key that identity's nodes share. */
async function dataFolder(): Promise<string> {
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  await mkdir(path.join(dataDir, 'keys'), { recursive: true });
  await writeFile(path.join(dataDir, 'keys', 'personnummer.key'), Buffer.alloc(32, 7).toString('base64'));
  return dataDir;
}

test('keys are created, rotated once, listed and revoked', async () => {
  const { url } = await identityDatabase(hooks);
  const site = { KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: await dataFolder() };
  const made = await keys(site, 'rotate');
  const first = /Key (\S+) is published/.exec(made.stdout)?.[1] ?? '';
  assert.deepEqual([made.code, first.length > 20], [0, true]);
  const rotated = await keys(site, 'rotate');
  const second = /Key (\S+) is published and signs from \S+Z on/.exec(rotated.stdout)?.[1] ?? '';
  const [again, another] = await Promise.all([keys(site, 'rotate'), keys(site, 'rotate')]);
  for (const { code, stdout } of [again, another]) {
    assert.deepEqual([code, stdout.includes(`under way: key ${second}`)], [0, true], stdout);
  }
  const [signing = '', sealing = ''] = (await keys(site, 'list')).stdout.trimEnd().split('\n\n');
  assert.match(sealing, /^NAME .*\npersonnummer {2}1 .*seals/);
  const listed = signing.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(
    listed.map((cells) => cells.slice(0, 2)),
    [
      ['KEY', 'STATE'],
      [first, 'signing'],
      [second, 'published'],
    ],
  );
  const unknown = await keys(site, 'rotate', '--revoke', 'nobody');
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'There is no key nobody; see kedja keys list\n']);
  const revoked = await keys(site, 'rotate', '--revoke', first);
  assert.match(revoked.stdout, new RegExp(`Key ${first} is revoked; 0 tokens of 0 users .*\nKey ${second} signs now`));
});

test('an error is printed in one line, and nothing is created', async () => {
  const dataDir = await temporaryDataDir();
  hooks.after(() => rm(dataDir, { recursive: true, force: true }));
  const nowhere = await keys({ KEDJA_DATA_DIR: dataDir }, 'list');
  assert.deepEqual([nowhere.code, nowhere.stderr.trimEnd().split('\n').length], [1, 1]);
  assert.match(nowhere.stderr, /There is no database in/);
  const { url } = await identityDatabase(hooks);
  const keyless = await keys({ KEDJA_DATABASE_URL: url, KEDJA_DATA_DIR: dataDir }, 'rotate');
  assert.deepEqual([keyless.code, /There is no .*personnummer\.key/.test(keyless.stderr)], [1, true], keyless.stderr);
  for (const args of [[], ['rotate', 'x'], ['list', '--revoke', 'x'], ['rotate', '--revoke'], ['--what']]) {
    const { code, stderr } = await keys({}, ...args);
    assert.deepEqual([code, stderr.includes('\n\nusage: kedja keys')], [1, true], args.join(' '));
  }
  assert.equal((await keys({}, '--help')).code, 0);
});

test('the embedded database is found while it runs, and started for the command when it does not', async () => {
  const dataDir = await dataFolder();
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, durable: false });
  try {
    const unready = await keys({ KEDJA_DATA_DIR: dataDir }, 'list');
    assert.match(unready.stderr, /start identity once/);
    await migrate({ url: server.url('kedja'), schema: 'identity', sources: migrations });
    assert.match((await keys({ KEDJA_DATA_DIR: dataDir }, 'rotate')).stdout, /is published/);
  } finally {
    await server.stop();
  }
  const { code, stdout } = await keys({ KEDJA_DATA_DIR: dataDir }, 'list');
  assert.deepEqual([code, stdout.split('\n')[1]?.split(/ {2,}/)[1]], [0, 'signing']);
});
