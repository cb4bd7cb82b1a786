// Given to `node --test --test-global-setup`: one database server for all test files. A run that is broken off needs no teardown: the
// server ends with its process.
import { shareTestServer, stopTestServer } from './server.ts';

export async function globalSetup(): Promise<void> {
  await shareTestServer();
}

export async function globalTeardown(): Promise<void> {
  await stopTestServer();
}
