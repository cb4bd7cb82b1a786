// The tests of the store, of the engine's contract, of dispatch and of upgrades, with each schema distributed to one
// node of a Citus cluster. They run where KEDJA_TEST_CITUS_URL names its coordinator (docs/operations/citus.md).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CITUS_VARIABLE, requireCitus } from '#test/support/database/citus.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const PRELOAD = pathToFileURL(path.join(ROOT, 'test/support/runner/without-hooks.ts')).href;
const SETUP = 'test/support/database/global-setup.ts';
/** Files at once: each makes databases on every node. */
const AT_ONCE = 2;

const cluster = process.env[CITUS_VARIABLE] ?? '';
const skip = cluster === '' && `${CITUS_VARIABLE} names no cluster: docs/operations/citus.md`;

test('the tests of the store pass on Citus', { skip }, (t) => runOnCluster(t, 'fhir/store/**/*.test.ts'));
test('the contract tests of the engine pass on Citus', { skip }, (t) =>
  runOnCluster(t, 'test/engine/contract/**/*.test.ts'),
);
test('the contract tests of dispatch pass on Citus', { skip }, (t) => runOnCluster(t, 'test/dispatch/**/*.test.ts'));
test('deliveries, notifications and all else of dispatch pass on Citus', { skip }, (t) =>
  runOnCluster(t, 'services/dispatch/**/*.test.ts'),
);
test('the data of a release are saved, restored and migrated on Citus', { skip }, (t) =>
  runOnCluster(t, 'test/upgrade/upgrade.test.ts'),
);

async function runOnCluster(t: TestContext, pattern: string): Promise<void> {
  await requireCitus(cluster);
  const files = globSync(pattern, { cwd: ROOT }).sort();
  assert.ok(files.length > 0, pattern);
  const args = ['--test', '--test-reporter=spec', `--import=${PRELOAD}`, `--test-global-setup=${SETUP}`];
  // The runner within would else report to this one, and its server would be that of the other tests.
  const { NODE_TEST_CONTEXT: _context, KEDJA_TEST_SERVICE_URL: _service, ...environment } = process.env;
  const child = spawn(process.execPath, [...args, `--test-concurrency=${AT_ONCE}`, ...files], {
    cwd: ROOT,
    env: { ...environment, KEDJA_TEST_DATABASE_URL: cluster },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const counts = output.match(/^ℹ (tests|pass|fail|skipped) \d+$/gm) ?? [];
  t.diagnostic(`${pattern}: ${counts.join(', ').replaceAll('ℹ ', '')}`);
  assert.equal(code, 0, output.slice(Math.max(0, output.indexOf('✖ failing tests'))));
}
