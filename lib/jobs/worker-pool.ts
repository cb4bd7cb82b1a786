// A pool of worker threads for work that would block the event loop (docs/adr/0042). Threads start on first use and can
// be terminated. The queue, the memory, and the processor time of each request are bounded. A thread's result arrives
// in chunks, one for each turn of the event loop.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { hasErrorCode } from '../error-code.ts';
import { ServiceError } from '../errors.ts';
import { requestTime } from './request-time.ts';
import { makeThread } from './spare-memory.ts';
import type { ThreadLimit, ThreadMember } from './thread-limit.ts';
import { createThreadMemory, type FromThread, type ThreadData, type ToThread } from './thread-messages.ts';

export interface WorkerPoolOptions {
  /** The module of the thread, which calls `serveWork`. */
  readonly url: URL;
  /** The data that the module gets when it starts. */
  readonly data: unknown;
  /** Threads. */
  readonly size: number;
  /** What the threads of several pools together may not exceed. */
  readonly limit?: ThreadLimit | undefined;
  /** The longest queue; further work is refused. */
  readonly queue: number;
  /** Megabytes of each thread's heap, without its young generation. */
  readonly memoryMb: number;
  /** A thread ends after so long without work. */
  readonly idleMs: number;
  /**
   * Responds to a question that a thread asks during its work. The thread waits for it, for at most a minute.
   */
  readonly onQuestion: (question: unknown) => unknown;
}

/** Processor time in milliseconds that the request may still use, for all its work together. */
export interface WorkBudget {
  readonly ms: number;
  leftMs: number;
}

export interface Work {
  readonly message: unknown;
  readonly budget: WorkBudget;
  /** The owner of the work. One owner may take at most half of the queue. */
  readonly owner?: string | undefined;
  /** It may wait also when the queue is full. For background jobs, each of which has one piece of work at a time. */
  readonly isPatient?: boolean | undefined;
  /** Takes a chunk of the result. The next is sent when it returns. */
  readonly take?: ((piece: unknown) => void) | undefined;
}

export interface WorkerPool {
  /**
   * The result of the thread.
   * @throws ServiceError what the thread throws; `unprocessable` when the budget or the memory is spent; `unavailable`
   * when too much waits
   */
  run(work: Work): Promise<unknown>;
  close(): Promise<void>;
}

interface Job extends Work {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly questions: MessagePort;
  /** When it began, by `performance.now()`. */
  readonly since: number;
  isReady: boolean;
  job: Job | undefined;
  /** Processor time of the thread when the job began. */
  usedMs: number;
  watch: NodeJS.Timeout | undefined;
  idle: NodeJS.Timeout | undefined;
}

const RETRY_AFTER_SECONDS = 5;
/** Megabytes of a thread's young generation. With more, collections are rarer, but each thread keeps the memory. */
const YOUNG_MB = 16;
/** A thread goes on for so long, in milliseconds, before another pool gets its place. To start one takes 100 ms. */
const TURN_MS = 1_000;
/** How often the processor time of a thread is checked, in milliseconds. */
const WATCH_MS = 100;

export function createBudget(ms: number): WorkBudget {
  return { ms, leftMs: ms };
}

export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { size, limit, queue, url, data, memoryMb, idleMs, onQuestion: answer } = options;
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let isClosed = false;

  const remove = (thread: Thread): void => {
    threads.delete(thread);
    clearInterval(thread.watch);
    clearTimeout(thread.idle);
    thread.questions.close();
    limit?.release();
  };
  /** Terminates a thread and rejects its job. */
  const end = (thread: Thread, error: unknown): void => {
    const { job } = thread;
    thread.job = undefined;
    remove(thread);
    thread.worker.terminate().catch(() => {});
    job?.reject(error);
    // Otherwise a module that cannot be loaded would be loaded again for ever.
    if (!thread.isReady) for (const each of waiting.splice(0)) each.reject(error);
    goOn();
  };
  const settle = (thread: Thread, usedMs: number, finish: (job: Job) => void): void => {
    const { job } = thread;
    thread.job = undefined;
    clearInterval(thread.watch);
    if (job === undefined) return;
    job.budget.leftMs -= usedMs;
    finish(job);
    if (mustYield(thread)) {
      end(thread, undefined);
      return;
    }
    thread.idle = setTimeout(() => end(thread, undefined), idleMs).unref();
    goOn();
  };
  /** Whether another pool's work is due: of a thread without work at once, else after its turn. */
  const mustYield = ({ since }: Thread): boolean =>
    limit?.isWanted(member) === true && (waiting.length === 0 || performance.now() - since >= TURN_MS);
  const take = (thread: Thread, message: FromThread): void => {
    switch (message.kind) {
      case 'ready':
        thread.isReady = true;
        goOn();
        return;
      case 'piece':
        try {
          thread.job?.take?.(message.piece);
          thread.worker.postMessage({ kind: 'next' } satisfies ToThread);
        } catch (error) {
          end(thread, error);
        }
        return;
      case 'done':
        settle(thread, message.usedMs, ({ resolve }) => resolve(message.result));
        return;
      case 'failed':
        settle(thread, message.usedMs, ({ reject }) => reject(errorOf(message)));
        return;
      default:
        message satisfies never;
    }
  };
  const start = (): void => {
    const { port1, port2 } = new MessageChannel();
    const memory = createThreadMemory();
    const workerData: ThreadData = { given: data, questions: port2, memory: { cell: memory.cell } };
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = makeThread(() => new Worker(url, { workerData, transferList: [port2], resourceLimits }));
    const thread: Thread = {
      worker,
      questions: port1,
      since: performance.now(),
      isReady: false,
      job: undefined,
      usedMs: 0,
      watch: undefined,
      idle: undefined,
    };
    threads.add(thread);
    port1.on('message', async (question: unknown) => {
      port1.postMessage(await respondTo(answer, question));
      memory.wake();
    });
    worker.on('message', (message: FromThread) => take(thread, message));
    worker.on('error', (error) => end(thread, hasErrorCode(error, 'ERR_WORKER_OUT_OF_MEMORY') ? tooLarge() : error));
    worker.on('exit', () => {
      if (threads.has(thread)) end(thread, new Error('A thread ended before its work'));
    });
    // A thread does not keep the process running.
    worker.unref();
    port1.unref();
  };
  const begin = (thread: Thread, job: Job): void => {
    clearTimeout(thread.idle);
    thread.job = job;
    thread.worker.postMessage({ kind: 'work', message: job.message } satisfies ToThread);
    watch(thread, job, (error) => {
      if (thread.job === job) end(thread, error);
    });
  };
  /** Cancels the work of an aborted request: it leaves the queue, and its thread is terminated. */
  const giveUp = (job: Job, why: unknown): void => {
    const place = waiting.indexOf(job);
    if (place !== -1) waiting.splice(place, 1);
    for (const thread of threads) if (thread.job === job) end(thread, why);
    job.reject(why);
  };
  const goOn = (): void => {
    if (isClosed) return;
    for (const thread of threads) {
      if (waiting.length === 0) return;
      if (!thread.isReady || thread.job !== undefined) continue;
      const job = waiting.shift();
      if (job !== undefined) begin(thread, job);
    }
    while (isThreadMissing() && (limit === undefined || limit.take(member))) start();
  };
  const isThreadMissing = (): boolean => {
    const starting = [...threads].filter(({ isReady }) => !isReady).length;
    return !isClosed && waiting.length > starting && threads.size < size;
  };
  const member: ThreadMember = {
    usePlace: () => {
      if (!isThreadMissing()) return false;
      start();
      // For the next one, if the work is for several.
      queueMicrotask(goOn);
      return true;
    },
    yieldIdle: () => {
      const idle = [...threads].find(({ isReady, job }) => isReady && job === undefined);
      if (idle === undefined || waiting.length > 0) return false;
      end(idle, undefined);
      return true;
    },
  };
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        if (work.budget.leftMs <= 0) return reject(spent(work.budget));
        const isTooMuch = waiting.length >= queue || isGreedy(work, waiting, queue);
        if (isClosed || (isTooMuch && work.isPatient !== true)) return reject(busy());
        let forget = (): void => {};
        const job: Job = {
          ...work,
          resolve: (result) => {
            forget();
            resolve(result);
          },
          reject: (error) => {
            forget();
            reject(error);
          },
        };
        waiting.push(job);
        forget = requestTime()?.onOver((why) => giveUp(job, why)) ?? forget;
        goOn();
      }),
    close: async () => {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(busy());
      const ended = [...threads].map((thread) => {
        thread.job?.reject(busy());
        remove(thread);
        return thread.worker.terminate();
      });
      limit?.forget(member);
      await Promise.all(ended);
    },
  };
}

/** Whether the owner has half of the queue already. */
function isGreedy({ owner }: Work, waiting: readonly Job[], queue: number): boolean {
  return owner !== undefined && waiting.filter((each) => each.owner === owner).length >= Math.ceil(queue / 2);
}

/** Checks the processor time of the thread until its job is done. */
function watch(thread: Thread, { budget }: Job, spend: (error: unknown) => void): void {
  const used = async (): Promise<number> => {
    const { user, system } = await thread.worker.cpuUsage();
    return (user + system) / 1000;
  };
  let atStart: number | undefined;
  const check = async (): Promise<void> => {
    const now = await used();
    atStart ??= now;
    if (now - atStart > budget.leftMs) {
      budget.leftMs = 0;
      spend(spent(budget));
    }
  };
  // A thread that has ended reports no time.
  const checkAgain = (): void => void check().catch(() => {});
  checkAgain();
  thread.watch = setInterval(checkAgain, WATCH_MS).unref();
}

async function respondTo(answer: WorkerPoolOptions['onQuestion'], question: unknown) {
  try {
    return { answer: await answer(question) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function errorOf({ error }: Extract<FromThread, { kind: 'failed' }>): Error {
  if (!('code' in error)) return new Error(error.message, { cause: error.stack });
  const { code, message, issues } = error;
  return new ServiceError(code, message, { issues });
}

function costly(message: string): ServiceError {
  return new ServiceError('unprocessable', message, { issues: [{ message, code: 'too-costly' }] });
}

function spent({ ms }: WorkBudget): ServiceError {
  return costly(`The request takes more than ${ms / 1000} s of processor time and was given up: send less at a time`);
}

function tooLarge(): ServiceError {
  return costly('The request takes more memory than one request may have and was given up: send less at a time');
}

function busy(): ServiceError {
  return new ServiceError('unavailable', 'Too many large requests are running; this one was not carried out', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
