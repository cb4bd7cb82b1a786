// Work on resources as texts, which may be of megabytes (docs/adr/0058): pure functions of JSON texts, carried out here
// when the texts are short together, and else in a thread. What they give are texts again, so that nothing large is
// ever parsed or written on the event loop.
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { RequestBudget, WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { isLong, LONG } from '#fhir/store/threads.ts';
import type { Actor } from './actor.ts';

/** A pure function of what a message to a thread may hold. */
export interface Work<Given, Made> {
  /** By which the thread knows it. */
  readonly name: string;
  /** UTF-16 units from which on it is done in a thread. */
  readonly longFrom: number;
  readonly make: (given: Given) => Made;
}

/** @param longFrom less than for others where a short text may come to a long one */
export function defineWork<Given, Made>(
  name: string,
  make: (given: Given) => Made,
  longFrom: number = LONG,
): Work<Given, Made> {
  return { name, longFrom, make };
}

/** What a thread is told to do. */
export interface NamedWork {
  readonly name: string;
  readonly given: unknown;
}

export interface TextWork {
  /**
   * What the work makes of what is given.
   * @param actor whose request it belongs to, which all its work in threads is charged to
   * @throws ServiceError what the work throws; `unprocessable` when it takes too long; `unavailable` when too much
   * waits for threads
   */
  run<Given, Made>(work: Work<Given, Made>, given: Given, actor?: Actor): Promise<Made>;
  /** Reads a resource that we have written. @throws ServiceError as `readResourceText` and {@link TextWork.run} */
  read(text: string, actor?: Actor): Promise<ResourceText>;
}

/** @param aside all is done at once when left out */
export function createTextWork(workerThreads?: WorkerThreads): TextWork {
  const budgets = new WeakMap<Actor, RequestBudget>();
  const budgetOf = (threads: WorkerThreads, actor: Actor | undefined): RequestBudget => {
    if (actor === undefined) return threads.budget(undefined);
    const budget = budgets.get(actor) ?? threads.budget(actor.principal.id);
    budgets.set(actor, budget);
    return budget;
  };
  return {
    async run<Given, Made>(work: Work<Given, Made>, given: Given, actor?: Actor): Promise<Made> {
      if (workerThreads === undefined || lengthOf(given) <= work.longFrom) return work.make(given);
      const message: NamedWork = { name: work.name, given };
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
