// `kedja database` as an operator runs it.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase } from '#lib/db/pool.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';

const kedja = fileURLToPath(new URL('../kedja.mjs', import.meta.url));
const run = promisify(execFile);

test('kedja database serves the data folder until SIGTERM, and refuses a second one in one line', async (context) => {
  const t = lastFirst(context);
  const dataDir = await temporaryDataDir();
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const child = spawn(process.execPath, [kedja, 'database', dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  });
  await once(createInterface({ input: child.stdout }), 'line');
  const url = (await readFile(path.join(dataDir, 'database', 'url'), 'utf8')).trim();
  const database = createDatabase({ url, schema: 'public' });
  t.after(() => database.close());
  assert.equal((await database.query('SELECT 1')).rowCount, 1);
  await assert.rejects(run(process.execPath, [kedja, 'database', dataDir]), {
    code: 1,
    stderr: /^The data folder .* is in use by process \d+.*\n$/,
  });
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('kedja database explains itself', async () => {
  const { stdout } = await run(process.execPath, [kedja, 'database', '--help']);
  assert.match(stdout, /usage: kedja database \[data folder\]/);
});
