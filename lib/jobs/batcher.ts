// Batches concurrent calls (as DataLoader does). While a group runs, further items queue and form the next group. A
// single call runs at once.
import cluster from 'node:cluster';
import { type RecordedCaller, recordedCaller, shareStep } from '../traces/shared-step.ts';
import { outsideOfRequests } from './pace.ts';

/** The outcome of one item of a group; undefined when the item must run alone. */
export type GroupOutcome<R> = { readonly value: R } | { readonly error: unknown } | undefined;

/**
 * The most groups of a read that run at the same time. They are two, so that the database has work while this process
 * forms the next group. In one of several workers (KEDJA_WORKERS) one: the others give it work, and larger groups cost
 * less.
 */
export const GROUPS_OF_READS = cluster.isWorker ? 1 : 2;

export interface BatcherOptions<T, R> {
  /** What a group does, as the name of its span; `group` when left out. */
  readonly name?: string;
  /** Runs the whole group, or rejects and has no effect. Returns the outcome of each item, in order. */
  readonly together: (items: readonly T[]) => Promise<readonly GroupOutcome<R>[]>;
  /**
   * Runs one item alone after its group left it out or failed. Without it, all items of a failed group fail.
   */
  readonly single?: SingleOptions<T, R>;
  /** A group holds at most one item of each key. */
  readonly keyOf?: (item: T) => string | undefined;
  /** 1 when left out. */
  readonly sizeOf?: (item: T) => number;
  readonly limits: BatcherLimits;
}

export interface SingleOptions<T, R> {
  readonly alone: (item: T) => Promise<R>;
  /** Whether an error of the group would also fail each single item, so that trying them alone is useless. */
  readonly isCommon: (error: unknown) => boolean;
}

export interface BatcherLimits {
  /** The most items of one group; only `size` limits it when left out. */
  readonly items?: number;
  /** The most sizes of a group, added up. A larger item runs alone. */
  readonly size: number;
  /** The most groups that run at the same time. */
  readonly groups: number;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly caller: RecordedCaller | undefined;
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns the function that takes an item. Its promise settles with the outcome of the item. */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const { limits } = options;
  // A group belongs to none of the requests whose items it holds.
  const runOutside = outsideOfRequests();
  let waiting: Waiting<T, R>[] = [];
  let running = 0;
  let isPlanned = false;

  /** After the requests that have already arrived are read. */
  function plan(): void {
    if (isPlanned || running >= limits.groups || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      const { group, rest } = nextGroup(waiting, options);
      waiting = rest;
      running += 1;
      const callers = group.flatMap(({ caller }) => caller ?? []);
      const step = { name: options.name ?? 'group', size: group.length };
      void shareStep(callers, step, () => runGroup(group, options)).finally(() => {
        running -= 1;
        plan();
      });
      plan();
    });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, caller: recordedCaller(), resolve, reject });
      if (!isPlanned && running < limits.groups) runOutside(plan);
    });
}

function nextGroup<T, R>(
  waiting: readonly Waiting<T, R>[],
  { limits: { items = Number.POSITIVE_INFINITY, size: maxSize }, keyOf, sizeOf = () => 1 }: BatcherOptions<T, R>,
): { readonly group: Waiting<T, R>[]; readonly rest: Waiting<T, R>[] } {
  const group: Waiting<T, R>[] = [];
  const rest: Waiting<T, R>[] = [];
  const keys = new Set<string>();
  let size = 0;
  for (const each of waiting) {
    const key = keyOf?.(each.item);
    const isFull = group.length >= items || (group.length > 0 && size + sizeOf(each.item) > maxSize);
    if (isFull || (key !== undefined && keys.has(key))) {
      rest.push(each);
      continue;
    }
    if (key !== undefined) keys.add(key);
    size += sizeOf(each.item);
    group.push(each);
  }
  return { group, rest };
}

async function runGroup<T, R>(
  group: readonly Waiting<T, R>[],
  { together, single }: BatcherOptions<T, R>,
): Promise<void> {
  try {
    const outcomes = await together(group.map(({ item }) => item));
    const left = group.filter((each, place) => !isSettled(each, outcomes[place]));
    if (left.length > 0) await Promise.all(left.map((each) => settleAlone(each, single)));
  } catch (error) {
    if (group.length === 1 || (single?.isCommon(error) ?? true)) for (const { reject } of group) reject(error);
    else await Promise.all(group.map((each) => settleAlone(each, single)));
  }
}

/** Settles the promise of the item. False when its outcome is not known yet. */
function isSettled<T, R>({ resolve, reject }: Waiting<T, R>, outcome: GroupOutcome<R>): boolean {
  if (outcome === undefined) return false;
  if ('error' in outcome) reject(outcome.error);
  else resolve(outcome.value);
  return true;
}

async function settleAlone<T, R>(
  { item, resolve, reject }: Waiting<T, R>,
  single: SingleOptions<T, R> | undefined,
): Promise<void> {
  if (single === undefined) reject(new Error('There is no outcome for an item'));
  else await single.alone(item).then(resolve, reject);
}
