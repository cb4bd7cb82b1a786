// The story, with identity, engine and dispatch in processes of their own. They have their own ports and schemas, and
// are behind a PgBouncer where it is installed.
import { test } from 'node:test';
import { tellStory } from './story.ts';

test('everybody does their part, from sign-in to result, each service in its own process', (t) =>
  tellStory(t, { isApart: true }));
