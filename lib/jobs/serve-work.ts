// The worker thread's side of ./worker-pool.ts.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import type { FromThread, SentError, ThreadData, ToThread } from './thread-messages.ts';

/** Asks the main thread and blocks until it responds. @throws Error when it responds with an error */
export type Ask = (question: unknown) => unknown;

/**
 * Does one piece of work. It yields the chunks of the result; each is sent when the main thread has taken the one
 * before.
 */
export type Handle = (message: unknown) => Generator<unknown, unknown, void>;

/** A main thread that does not respond for so long, in milliseconds, has ended. */
const PATIENCE_MS = 60_000;

/** @param make makes the handler from the value that the pool was given */
export function serveWork(make: (given: unknown, ask: Ask) => Handle): void {
  const { given, questions, memory } = workerData as ThreadData;
  const ask: Ask = (question) => {
    Atomics.store(memory.cell, 0, 0);
    questions.postMessage(question);
    if (Atomics.wait(memory.cell, 0, 0, PATIENCE_MS) === 'timed-out') throw new Error('Nobody answers');
    const received = receiveMessageOnPort(questions)?.message as { answer?: unknown; failure?: string } | undefined;
    if (received === undefined || received.failure !== undefined) throw new Error(received?.failure ?? 'No answer');
    return received.answer;
  };
  const handle = make(given, ask);
  const send = (message: FromThread): void => parentPort?.postMessage(message);
  let work: Generator<unknown, unknown, void> | undefined;
  let startedAt = 0;
  const goOn = (): void => {
    try {
      const step = work?.next();
      if (step === undefined) return;
      if (step.done === true) send({ kind: 'done', result: step.value, usedMs: usedMs() - startedAt });
      else send({ kind: 'piece', piece: step.value });
    } catch (error) {
      send({ kind: 'failed', error: sentError(error), usedMs: usedMs() - startedAt });
    }
  };
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'work') {
      startedAt = usedMs();
      work = handle(message.message);
    }
    goOn();
  });
  send({ kind: 'ready' });
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function sentError(error: unknown): SentError {
  if (error instanceof ServiceError) return { code: error.code, message: error.message, issues: error.issues };
  return error instanceof Error
    ? { message: error.message, stack: error.stack }
    : { message: String(error), stack: undefined };
}
