// Runs the examples of the page on publishing plans against the engine over HTTP, with a library that has what a heart
// failure plan needs.
import { test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makeLibrary } from '#test/support/engine/engine-library.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/engine/plans.md';

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const engine = await startTestEngine(t);
  const library = await makeLibrary(engine);
  const draft = { name: 'Walking', concept: library.weight, status: 'draft' };
  await testReferencePage(t, {
    page,
    variables: {
      ENGINE: `${await engine.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`,
      TOKEN: 'planner',
      ACTIVITY: library.weighing,
      GOAL: library.goal,
      DRAFT: String((await engine.call('planner', 'POST', '/activities', draft)).body.activity_guid),
    },
  });
});
