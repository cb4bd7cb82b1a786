// Runs the processes of a test run, each with one file or a batch, and prints one report of all (decision 95).
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** So long after the last sign of any test the run has hung. The longest test takes a tenth of it on a busy machine. */
const SILENCE_MS = 15 * 60_000;

/** So long after its end an interrupted run waits for its processes. */
const END_AFTER_MS = 30_000;

export interface RunOptions {
  readonly root: string;
  /** How many processes run at once. */
  readonly concurrency: number;
  /** The address of a module that each process loads first. */
  readonly preload: string;
  /** The path of a module that prepares the run (`globalSetup`, `globalTeardown`), from the root. */
  readonly setup?: string;
  readonly silenceMs?: number;
}

/**
 * Starts a process for each entry: a test file, or the address of a batch. Sets the exit code to 1 when a test or a
 * process fails. Ctrl-C and a long silence end the run, and name what still ran.
 */
export function runProcesses(entries: readonly string[], options: RunOptions): void {
  const stop = new AbortController();
  const settings = {
    files: [...entries],
    concurrency: options.concurrency,
    cwd: options.root,
    ...(options.setup === undefined ? {} : { globalSetupPath: path.join(options.root, options.setup) }),
    // The address of a batch is a URL, which is still an experiment of Node.
    execArgv: [`--import=${options.preload}`, '--entry-url', '--disable-warning=ExperimentalWarning'],
    signal: stop.signal,
  };
  const events = run(settings);
  const isEntry = new Set(entries);
  const running = new Set<string>();
  const silence = setTimeout(() => end('No test has ended for long'), options.silenceMs ?? SILENCE_MS);
  function end(reason: string): void {
    clearTimeout(silence);
    if (stop.signal.aborted) return;
    process.exitCode = 1;
    process.stderr.write(`${reason}. Still running:\n${[...running].map((entry) => `  ${entry}\n`).join('')}`);
    stop.abort();
    // A test may have left a handler of signals in its process, which then stays.
    setTimeout(() => process.exit(), END_AFTER_MS).unref();
  }
  events.on('test:dequeue', ({ name }) => isEntry.has(name) && running.add(name));
  events.on('test:complete', ({ name }) => {
    running.delete(name);
    silence.refresh();
  });
  events.on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1;
  });
  events.on('end', () => clearTimeout(silence));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  events.compose(new spec()).pipe(process.stdout);
}
