// Tasks on long JSON texts (docs/adr/0058): pure functions from texts to texts. Short texts are processed at once, long
// ones in a worker thread, so that nothing large is parsed or written on the event loop.
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { RequestBudget, WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { isLong, LONG } from '#fhir/store/threads.ts';
import type { Actor } from './actor.ts';

/** A pure function whose input and output can be sent to a thread. */
export interface TextTask<Given, Made> {
  /** The name by which the thread finds it. */
  readonly name: string;
  /** UTF-16 units of input above which it runs in a thread. */
  readonly longFrom: number;
  readonly run: (given: Given) => Made;
}

/** @param longFrom lower than the default where a short input may give a long output */
export function defineTextTask<Given, Made>(
  name: string,
  make: (given: Given) => Made,
  longFrom: number = LONG,
): TextTask<Given, Made> {
  return { name, longFrom, run: make };
}

/** The message that makes a thread run a task. */
export interface TaskMessage {
  readonly name: string;
  readonly input: unknown;
}

export interface TextTasks {
  /**
   * Runs the task.
   * @param actor the caller to whom all its work in threads is charged
   * @throws ServiceError what the task throws; `unprocessable` when it takes too long; `unavailable` when too much
   * waits for threads
   */
  run<Given, Made>(work: TextTask<Given, Made>, given: Given, actor?: Actor): Promise<Made>;
  /** Reads a resource that we stored. @throws ServiceError as `readResourceText` and {@link TextTasks.run} */
  read(text: string, actor?: Actor): Promise<ResourceText>;
}

/** @param workerThreads without it every task runs at once */
export function createTextWork(workerThreads?: WorkerThreads): TextTasks {
  const budgets = new WeakMap<Actor, RequestBudget>();
  const budgetOf = (threads: WorkerThreads, actor: Actor | undefined): RequestBudget => {
    if (actor === undefined) return threads.budget(undefined);
    const budget = budgets.get(actor) ?? threads.budget(actor.principal.id);
    budgets.set(actor, budget);
    return budget;
  };
  return {
    async run<Given, Made>(work: TextTask<Given, Made>, given: Given, actor?: Actor): Promise<Made> {
      if (workerThreads === undefined || lengthOf(given) <= work.longFrom) return work.run(given);
      const message: TaskMessage = { name: work.name, input: given };
      return (await workerThreads.perform(message, budgetOf(workerThreads, actor))) as Made;
    },
    async read(text, actor) {
      if (workerThreads === undefined || !isLong({ text })) return readResourceText(text);
      return workerThreads.readText(text, budgetOf(workerThreads, actor));
    },
  };
}

/** UTF-16 units of all texts in it. */
function lengthOf(given: unknown): number {
  if (typeof given === 'string') return given.length;
  if (typeof given !== 'object' || given === null) return 0;
  return Object.values(given).reduce<number>((sum, each) => sum + lengthOf(each), 0);
}
