// The workflow with identity, engine and dispatch in processes of their own, on their own ports and schemas.
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { assertNoSecrets } from './log-secrecy.ts';
import { startSystem } from './system.ts';
import { runWorkflow } from './workflow.ts';

test('the main job runs from sign-in to result, each service in its own process', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const system = await startSystem(hooks, { databaseUrl: url, isApart: true });
  const secrets = await runWorkflow(system.addresses);
  for (const service of ['identity', 'engine', 'dispatch'] as const) {
    assertNoSecrets(system.processOf(service).output(), secrets);
  }
});
