// Work on resources as texts, which may be of megabytes (docs/adr/0058): pure functions of JSON texts, carried out here
// when the texts are short together, and else in a thread. What they give are texts again, so that nothing large is
// ever parsed or written on the event loop.
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { RequestBudget, WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { isLong, LONG } from '#fhir/store/threads.ts';
import type { Actor } from './actor.ts';

/** A pure function of what a message to a thread may hold. */
export interface TextTask<Given, Made> {
  /** By which the thread knows it. */
  readonly name: string;
  /** UTF-16 units from which on it is done in a thread. */
  readonly longFrom: number;
  readonly run: (given: Given) => Made;
}

/** @param longFrom less than for others where a short text may come to a long one */
export function defineTextTask<Given, Made>(
  name: string,
  make: (given: Given) => Made,
  longFrom: number = LONG,
): TextTask<Given, Made> {
  return { name, longFrom, run: make };
}

/** What a thread is told to do. */
export interface TaskMessage {
  readonly name: string;
  readonly input: unknown;
}

export interface TextTasks {
  /**
   * What the work makes of what is given.
   * @param actor whose request it belongs to, which all its work in threads is charged to
   * @throws ServiceError what the work throws; `unprocessable` when it takes too long; `unavailable` when too much
   * waits for threads
   */
  run<Given, Made>(work: TextTask<Given, Made>, given: Given, actor?: Actor): Promise<Made>;
  /** Reads a resource that we have written. @throws ServiceError as `readResourceText` and {@link TextTasks .run} */
  read(text: string, actor?: Actor): Promise<ResourceText>;
}

/** @param aside all is done at once when left out */
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
