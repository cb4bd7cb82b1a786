// The workflow with all services in one process.
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { assertNoSecrets } from './log-secrecy.ts';
import { startSystem } from './system.ts';
import { runWorkflow } from './workflow.ts';

test('the main job runs from sign-in to result, all in one process', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const system = await startSystem(hooks, { databaseUrl: url, isApart: false });
  const secrets = await runWorkflow(system.addresses);
  assertNoSecrets(system.processOf('identity').output(), secrets);
});
