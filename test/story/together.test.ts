// The story with everything in one process.
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { openTheatre } from './stages.ts';
import { playTheStory } from './story.ts';

test('the main job runs from sign-in to result, all in one process', async (t) => {
  const hooks = lastFirst(t);
  const { url } = await createTestDatabase(hooks);
  const { world } = await openTheatre(hooks, { databaseUrl: url, isApart: false });
  await playTheStory(world);
});
