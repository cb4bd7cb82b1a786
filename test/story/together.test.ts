// The story with everything in one process.
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { assertDiscreet } from './discretion.ts';
import { startStorySystem } from './stages.ts';
import { playTheStory } from './story.ts';

test('the main job runs from sign-in to result, all in one process', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const theatre = await startStorySystem(hooks, { databaseUrl: url, isApart: false });
  const secrets = await playTheStory(theatre.world);
  assertDiscreet(theatre.processOf('identity').output(), secrets);
});
