// When a screen is whole: nothing is read for the first time any more, or it has been waited for long enough.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { whenRead } from './whole.ts';

const FRAME_MS = 16;

/** Frames of the browser, by mocked timers. */
function mockFrames(context: TestContext): void {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const given = { request: globalThis.requestAnimationFrame, cancel: globalThis.cancelAnimationFrame };
  const frames = new Map<number, NodeJS.Timeout>();
  globalThis.requestAnimationFrame = (callback) => {
    const id = frames.size + 1;
    frames.set(
      id,
      setTimeout(() => callback(0), FRAME_MS),
    );
    return id;
  };
  globalThis.cancelAnimationFrame = (id) => clearTimeout(frames.get(id));
  context.after(() => {
    globalThis.requestAnimationFrame = given.request;
    globalThis.cancelAnimationFrame = given.cancel;
  });
}

/** A query that a component reads, and what ends it. */
function reading(
  queries: QueryClient,
  name: string,
  options: { enabled?: boolean; meta?: Record<string, unknown> } = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const observer = new QueryObserver(queries, { queryKey: [name], queryFn: () => promise, retry: false, ...options });
  observer.subscribe(() => undefined);
  return { resolve: () => resolve(name), reject: () => reject(new Error(name)) };
}

/** Lets the time pass, and what waits for promises run. */
async function pass(context: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += FRAME_MS) {
    await new Promise(setImmediate);
    context.mock.timers.tick(FRAME_MS);
  }
}

/** `watch` begins to wait, anew where it has begun before. */
function start(context: TestContext) {
  const queries = new QueryClient();
  const seen = { isDone: false };
  let end = (): void => undefined;
  context.after(() => {
    end();
    queries.clear();
  });
  mockFrames(context);
  const watch = () => {
    end();
    seen.isDone = false;
    end = whenRead(queries, () => (seen.isDone = true));
  };
  return { queries, seen, watch };
}

test('it is whole when the last thing is read, also what begins to be read only then; a failure counts as read', async (context) => {
  const { queries, seen, watch } = start(context);
  const [first, second] = [reading(queries, 'first'), reading(queries, 'second')];
  watch();
  await pass(context, 200);
  assert.equal(seen.isDone, false);
  first.resolve();
  await pass(context, 200);
  assert.equal(seen.isDone, false, 'the second is not there');
  second.resolve();
  // A part that is rendered now reads more.
  await pass(context, FRAME_MS);
  const third = reading(queries, 'third');
  await pass(context, 200);
  assert.equal(seen.isDone, false, 'the third is not there');
  third.reject();
  await pass(context, 100);
  assert.equal(seen.isDone, true);
});

test('what nobody waits for does not hold it up, and what takes long does for two seconds', async (context) => {
  const { queries, seen, watch } = start(context);
  reading(queries, 'later', { meta: { isLater: true } });
  reading(queries, 'not yet', { enabled: false });
  watch();
  await pass(context, 100);
  assert.equal(seen.isDone, true);
  reading(queries, 'slow');
  watch();
  await pass(context, 1_900);
  assert.equal(seen.isDone, false);
  await pass(context, 200);
  assert.equal(seen.isDone, true);
});
