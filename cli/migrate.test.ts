// `kedja migrate`: applies what is pending, says so, and does nothing the second time.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });

test('pending migrations are applied once, and a database that is away is an error', async () => {
  const { url } = await createTestDatabase(hooks);
  const cwd = await temporaryDataDir();
  const site = { KEDJA_DATABASE_URL: url, KEDJA_SERVICES: 'identity' };
  const first = await startCommand(['migrate'], site, cwd).ended;
  assert.match(first.stdout, /^identity: applied \d+ files\n$/, first.stderr);
  const second = await startCommand(['migrate'], site, cwd).ended;
  assert.deepEqual([second.code, second.stdout], [0, 'identity: nothing was pending\n']);
  const away = await startCommand(['migrate'], { ...site, KEDJA_DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }, cwd)
    .ended;
  assert.deepEqual([away.code, away.stderr.trimEnd().split('\n').length], [1, 1], away.stderr);
  const embedded = await startCommand(['migrate'], {}, cwd).ended;
  assert.match(embedded.stderr, /^KEDJA_DATABASE_URL is missing/);
});
