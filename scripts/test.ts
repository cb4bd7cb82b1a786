// `npm test`: runs every test file, those of folders (`npm test -- lib/jobs`), or those named one by one (`npm test --
// lib/jobs/batcher.test.ts`; options of `node --test` may be before them). Of all files and of folders, several run
// in one process, one after the other (decision 95). A test file waits for its database or its browser about as long as
// it computes. So there are always three processes more than there are cores.
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { planProcesses } from './batches/plan.ts';
import { runProcesses } from './batches/run.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['lib', 'fhir', 'clients', 'services', 'gateway', 'runtime', 'demo', 'cli', 'bench', 'scripts', 'test'];
const ALL = ['*.test.ts', ...[...FOLDERS, 'console/src', 'console/build'].map(filesIn)];
const PRELOAD = pathToFileURL(join(ROOT, 'test/support/runner/without-hooks.ts')).href;
const SETUP = 'test/support/database/global-setup.ts';
const CONCURRENCY = availableParallelism() + 3;

const given = process.argv.slice(2);
if (given.every(isFolder)) runInBatches(given.length === 0 ? ALL : given.map(filesIn));
else runNamed();

function filesIn(folder: string): string {
  return `${folder.replace(/\/$/, '')}/**/*.test.ts`;
}

function isFolder(word: string): boolean {
  return statSync(join(ROOT, word), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function runInBatches(patterns: readonly string[]): void {
  const files = globSync(patterns, { cwd: ROOT });
  runProcesses(planProcesses(ROOT, files), { root: ROOT, concurrency: CONCURRENCY, preload: PRELOAD, setup: SETUP });
}

function runNamed(): void {
  const isNamed = given.some((word) => !word.startsWith('-'));
  const args = [`--import=${PRELOAD}`, `--test-global-setup=${SETUP}`, `--test-concurrency=${CONCURRENCY}`];
  const child = spawn(process.execPath, ['--test', ...args, ...given, ...(isNamed ? [] : ALL)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  // Ctrl-C reaches the whole group: the runner ends its files and its server, and this process waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
