// The story with identity, engine and dispatch in processes of their own, on their own ports and schemas.
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { assertDiscreet } from './discretion.ts';
import { startStorySystem } from './stages.ts';
import { playTheStory } from './story.ts';

test('the main job runs from sign-in to result, each service in its own process', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const theatre = await startStorySystem(hooks, { databaseUrl: url, isApart: true });
  const secrets = await playTheStory(theatre.world);
  for (const service of ['identity', 'engine', 'dispatch'] as const) {
    assertDiscreet(theatre.processOf(service).output(), secrets);
  }
});
