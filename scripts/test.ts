// `npm test`: runs every test file, or those named (`npm test -- lib/jobs/batcher.test.ts`; options of `node --test`
// may stand before them). A test file waits for its database about as long as it computes, so there is always one more
// of them than there are cores.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
const ALL = [
  '*.test.ts',
  '{lib,fhir,clients,services,gateway,runtime,demo,cli,scripts,test}/**/*.test.ts',
  'console/{src,build}/**/*.test.ts',
];

const given = process.argv.slice(2);
const isNamed = given.some((word) => !word.startsWith('-'));
const child = spawn(
  process.execPath,
  [
    '--test',
    `--import=${pathToFileURL(join(ROOT, 'test/support/runner/without-hooks.ts')).href}`,
    '--test-global-setup=test/support/database/global-setup.ts',
    `--test-concurrency=${availableParallelism() + 1}`,
    ...given,
    ...(isNamed ? [] : ALL),
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
// Ctrl-C reaches the whole group: the runner ends its files and its server, and this process waits for it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
