// Given to `node --test --test-global-setup`: one database server for all test files, and one compile cache of their
// modules, which halves the start of a file. An aborted run needs no teardown: the server ends with its process.
import path from 'node:path';
import { shareTestServer, stopTestServer } from './server.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

export async function globalSetup(): Promise<void> {
  // Entries are found by the content of their modules: changed modules are compiled again. Processes that tests start
  // inherit it too.
  process.env['NODE_COMPILE_CACHE'] ??= path.join(ROOT, 'node_modules/.cache/compiled-for-tests');
  await shareTestServer();
}

export async function globalTeardown(): Promise<void> {
  await stopTestServer();
}
