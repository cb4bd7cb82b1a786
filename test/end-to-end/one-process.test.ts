// The story with all services in one process.
import { test } from 'node:test';
import { tellStory } from './story.ts';

test('everybody does their part, from sign-in to result, all in one process', (t) => tellStory(t, { isApart: false }));
