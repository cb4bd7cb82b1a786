// The entry of a process that runs several test files, one after the other: `node --entry-url batch.ts?<file>&<file>`
// (decision 95). A process of one file ends when nothing is left to do, and so a file ends here: then the next is
// loaded. Its tests, hooks and open handles never meet those of the file before. Modules stay loaded.
import { tracingChannel } from 'node:diagnostics_channel';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesOf } from './batch-address.ts';

/** Not by `import`, which fixes what the files import: see `keepHooksApart`. */
const runner = process.getBuiltinModule('node:test');
type Hook = NonNullable<Parameters<typeof runner.beforeEach>[0]>;

const waiting = filesOf(import.meta.url);
/** The file that was loaded last. */
let current: string | undefined;
/** The file while it is loaded, and the tests that run. */
const unfinished = new Set<unknown>();
/** Keeps the process while a test waits for something that does not. */
let kept: NodeJS.Timeout | undefined;
/** The runner calls no later clean-up after one that failed, so that the next file would never end. */
let hasFailedCleanUp = false;
let hasEnded = false;

keepHooksApart();
const endReport = takeOverEnd();
const events = tracingChannel('node.test');
events.start.subscribe((test) => unfinished.add(test));
events.end.subscribe(finish);
events.error.subscribe((test) => {
  if (isRoot(test)) hasFailedCleanUp = true;
});
process.on('beforeExit', goOn);
process.on('exit', () => {
  if (hasEnded && waiting.length === 0) return;
  process.exitCode ||= 1;
  const missing = waiting.length === 0 ? 'all tests' : waiting.join(', ');
  process.stderr.write(`The process ended in ${current}, before it had run ${missing}\n`);
});
goOn();

/** Called when the process has nothing to do: loads the next file. After the last one the runner ends its report. */
function goOn(): void {
  if (unfinished.size > 0) {
    keep();
    return;
  }
  const file = hasFailedCleanUp ? undefined : waiting.shift();
  if (file === undefined) {
    process.off('beforeExit', goOn);
    hasEnded = true;
    endReport();
  } else {
    // In a turn of its own: Node asks once in a turn whether there is something to do.
    setImmediate(load, file);
  }
}

async function load(file: string): Promise<void> {
  current = file;
  unfinished.add(file);
  keep();
  try {
    await import(pathToFileURL(path.resolve(file)).href);
  } catch (error) {
    // The runner names a file that cannot be loaded in the same way.
    void runner.test(file, () => {
      throw error;
    });
  }
  finish(file);
}

function finish(item: unknown): void {
  unfinished.delete(item);
  if (unfinished.size > 0) return;
  clearInterval(kept);
  kept = undefined;
}

function keep(): void {
  kept ??= setInterval(() => undefined, 60_000);
}

/** A file's hooks around each test are not for the tests of the files after it. */
function keepHooksApart(): void {
  const { beforeEach, afterEach } = runner;
  runner.beforeEach = (hook, options) => beforeEach(ofCurrent(hook), options);
  runner.afterEach = (hook, options) => afterEach(ofCurrent(hook), options);
}

function ofCurrent(hook: Hook | undefined): Hook {
  const file = current;
  // With one parameter: the runner gives a callback to a hook with two.
  return (context) => (current === file ? hook?.(context, () => undefined) : undefined);
}

/** Whether an event of the runner is of all tests together, which fail only by their clean-up. */
function isRoot(test: unknown): boolean {
  return typeof test === 'object' && test !== null && 'name' in test && test.name === '<root>';
}

/** The runner ends its report when nothing is left to do. Takes that from it, to be called after the last file. */
function takeOverEnd(): () => void {
  const others = new Set(process.listeners('beforeExit'));
  // The runner begins with its first test or hook.
  runner.before(() => undefined);
  const [end] = process.listeners('beforeExit').filter((listener) => !others.has(listener));
  if (end === undefined) throw new Error('node:test does not end its report as this file assumes');
  process.off('beforeExit', end);
  return () => end(0);
}
