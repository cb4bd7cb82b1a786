// Loaded before each test file (scripts/test.ts): keeps the runner of `node:test` from following every promise.
//
// The runner enables `async_hooks` in each file, only to name the test in which an uncaught error began. The hooks cost
// a fifth to a third of the processor time of a test that sends many requests. Without them an uncaught error still
// fails its file, as a diagnostic of the file instead of a failure of one test. The runner takes `createHook` from the
// public module while `node:test` is loaded; a later caller gets the real one.
import hooks, { type AsyncHook } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

/** A test that waits for what failed elsewhere would wait for ever: the file ends so long after an uncaught error. */
const END_AFTER_MS = 20_000;

if (isMainThread) {
  loadRunner();
  process.on('uncaughtException', endSoon);
  process.on('unhandledRejection', endSoon);
}

function loadRunner(): void {
  const { createHook } = hooks;
  const disabled: AsyncHook = { enable: () => disabled, disable: () => disabled };
  hooks.createHook = () => disabled;
  try {
    process.getBuiltinModule('node:test');
  } finally {
    hooks.createHook = createHook;
  }
}

/** Before the first test is registered these listeners are the only ones, and Node ends with 0 after a listener. */
function endSoon(error: unknown): void {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  setTimeout(() => process.exit(1), END_AFTER_MS).unref();
}
