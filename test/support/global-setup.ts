// Given to `node --test --test-global-setup`: one database server for all test files. It needs no teardown: it ends with the runner.
import { shareTestServer } from './server.ts';

export async function globalSetup(): Promise<void> {
  await shareTestServer();
}
