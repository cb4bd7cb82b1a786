// The pool of worker threads (docs/adr/0042): it parses, validates and indexes large bodies off the event loop, and
// runs users' definitions on any body.

import type { CustomProfiles } from '#fhir/profiles/custom.ts';
import { r5Profiles } from '#fhir/profiles/registry.ts';
import type { Structure } from '#fhir/profiles/snapshot/structure.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { ResourceWords } from '#fhir/search/extract/words.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { OverlayContent } from '#fhir/search/parameters/overlay.ts';
import { isLong, LONG, type StoreThreads } from '#fhir/store/threads.ts';
import { type ComputedValueSets, EXPRESSION_MS } from '#fhir/validation/context.ts';
import { createValidate, type Validate } from '#fhir/validation/stored-validation.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import type { Issue } from '#lib/errors.ts';
import type { ThreadLimit } from '#lib/jobs/thread-limit.ts';
import { createBudget, createWorkerPool, type WorkBudget } from '#lib/jobs/worker-pool.ts';
import type { SnapshotResult } from '../interactions/snapshot-result.ts';
import type { ReferenceTarget } from '../interactions/write/target-addresses.ts';
import type { ConditionalReference, Relinked } from '../links.ts';
import type { SubsetRequest } from '../subset.ts';
import type { Body } from './body.ts';
import { sourceOf } from './lazy-source.ts';
import type {
  Answers,
  Checked,
  Generations,
  IndexedResource,
  Links,
  PatchKind,
  Question,
  ReadEntry,
  ReadResource,
  SentTask,
  Task,
  ThreadOptions,
  Validated,
  ValidateQuery,
} from './tasks.ts';

/** Bytes. A shorter bundle is parsed on the main thread in a few milliseconds, and carried out in slices. */
const LONG_BUNDLE = 256 * 1024;
const QUEUE = 16;
const IDLE_MS = 60_000;
/**
 * Memory of each thread. A resource of 10 MiB takes 200 MiB. A bundle of 50 MiB does not fit if its entries are tiny.
 */
const MEMORY_MB = 768;

/** The limits that all work of one request shares. */
export interface RequestBudget {
  readonly work: WorkBudget;
  /** Milliseconds that users' expressions may still take. */
  expressionMs: number;
  /** Guid of the caller. */
  readonly owner: string | undefined;
  /** Set for background jobs: their work waits in the queue and is never refused. */
  readonly isPatient?: boolean;
}

export interface WorkerThreadsOptions {
  readonly baseUrl: string;
  /** As for {@link loadSearchParameters}. */
  readonly sortLanguage?: string | undefined;
  /** The number of threads. */
  readonly size: number;
  /** As for {@link createWorkerPool}. */
  readonly limit?: ThreadLimit | undefined;
  /** The module of the threads; a service has its own if they also do its work. */
  readonly url?: URL;
  /** Processor time of one request, in milliseconds. */
  readonly budgetMs: number;
  /** The users' definitions; only R5's own rules apply when left out. */
  readonly defined?: {
    readonly official: SearchParameters;
    readonly profiles: CustomProfiles;
    readonly valueSets: ComputedValueSets;
    /** Changes whenever `valueSets` may answer otherwise. */
    readonly terminologyGeneration: () => number;
    readonly parameters: () => OverlayContent;
  };
}

export interface WorkerThreads extends StoreThreads {
  budget(owner: string | undefined): RequestBudget;
  /** The budget of one step of a background job: as much as a request has. */
  patientBudget(owner: string | undefined): RequestBudget;
  /** The budget of the request with this resource. */
  budgetOf(source: ResourceText): RequestBudget;
  /** Whether a body of this length is parsed in a thread. */
  isLongBody(bytes: number, isBundle: boolean): boolean;
  /** @throws ServiceError as `readResourceText` */
  read(bytes: Uint8Array, budget: RequestBudget): Promise<ResourceText>;
  /** The same for a text. */
  readText(text: string, budget: RequestBudget): Promise<ResourceText>;
  /**
   * Passes the entries to `take` in their order, some at a time.
   * @throws ServiceError as `readResourceText`, also when the resource is no Bundle
   */
  readBundle(
    bytes: Uint8Array,
    budget: RequestBudget,
    take: (entries: readonly ReadEntry[]) => void,
  ): Promise<ReadResource>;
  /** Counts the work on a resource against the budget of a request. */
  share(source: ResourceText, budget: RequestBudget): ResourceText;
  /** As `subsetText`. */
  subset(content: string, subset: SubsetRequest, budget: RequestBudget): Promise<string>;
  /** The resources of this server to which a stored resource refers. */
  targets(content: string): Promise<readonly ReferenceTarget[]>;
  references(source: ResourceText): Promise<readonly ConditionalReference[]>;
  /** Rewrites references; the very same resource when none changes. */
  relink(source: ResourceText, links: Links): Promise<Relinked<ResourceText>>;
  /** Applies a patch; undefined when nothing changes. */
  patch(
    content: string,
    change: { readonly patch: string; readonly how: PatchKind },
    budget: RequestBudget,
  ): Promise<ResourceText | undefined>;
  /** Runs $snapshot on a definition. */
  snapshot(body: Body, budget: RequestBudget): Promise<SnapshotResult>;
  /** Runs $validate on a body. */
  validate(body: Body, wanted: Omit<ValidateQuery, 'expressionMs'>, budget: RequestBudget): Promise<Validated>;
  /** Runs the work of the service's own module. @throws ServiceError what that throws, and as all work in threads */
  perform(work: unknown, budget: RequestBudget): Promise<unknown>;
  close(): Promise<void>;
}

/** Thrown where a check on the main thread would read users' definitions, or wait. */
class NeedsThread extends Error {}

export function createWorkerThreads(options: WorkerThreadsOptions): WorkerThreads {
  const { baseUrl, sortLanguage, size, limit, budgetMs, defined } = options;
  const pool = createWorkerPool({
    url: options.url ?? new URL('./worker.ts', import.meta.url),
    data: { baseUrl, sortLanguage, isPlain: defined === undefined } satisfies ThreadOptions,
    size,
    limit,
    queue: QUEUE,
    memoryMb: MEMORY_MB,
    idleMs: IDLE_MS,
    onQuestion: (question) => answerOf(defined, question as Question),
  });
  const budgets = new WeakMap<ResourceText, RequestBudget>();
  const newBudget = (owner: string | undefined): RequestBudget => ({
    work: createBudget(budgetMs),
    expressionMs: EXPRESSION_MS,
    owner,
  });
  const patientBudget = (owner: string | undefined): RequestBudget => ({ ...newBudget(owner), isPatient: true });
  const budgetOf = (source: ResourceText): RequestBudget => budgets.get(source) ?? newBudget(undefined);
  const share = (source: ResourceText, budget: RequestBudget): ResourceText => {
    budgets.set(source, budget);
    return source;
  };
  const run = (task: Task, budget: RequestBudget, take?: (piece: unknown) => void): Promise<unknown> => {
    const message: SentTask = { ...task, generations: generationsOf(defined) };
    const { work, owner, isPatient } = budget;
    return pool.run({ message, budget: work, owner, isPatient, take });
  };
  const readAs = async (task: Task, budget: RequestBudget): Promise<ResourceText> =>
    share(sourceOf((await run(task, budget)) as ReadResource), budget);
  const spend = (budget: RequestBudget, { issues, expressionMs }: Checked): readonly Issue[] => {
    budget.expressionMs -= expressionMs;
    return issues;
  };
  return {
    budget: newBudget,
    patientBudget,
    share,
    budgetOf,
    isLongBody: (bytes, isBundle) => bytes > (isBundle ? LONG_BUNDLE : LONG),
    checkNow: checkNow(defined),
    check: async (source, follows = []) => {
      const budget = budgetOf(source);
      const { expressionMs } = budget;
      const task = { kind: 'check', text: source.text, follows, expressionMs } as const;
      return spend(budget, (await run(task, budget)) as Checked);
    },
    index: async (source, id) => {
      const found = (await run({ kind: 'index', text: source.text, id }, budgetOf(source))) as IndexedResource;
      return { ...NO_ROWS, ...found };
    },
    indexAgain: async (text, by) => {
      const task = { kind: 'indexAgain', text, by } as const;
      return { ...NO_ROWS, ...((await run(task, patientBudget(undefined))) as IndexedResource) };
    },
    isVisible: async (filter, version, { owner, isPatient } = {}) => {
      const budget = isPatient === true ? patientBudget(owner) : newBudget(owner);
      return (await run({ kind: 'visible', filter, version }, budget)) as boolean;
    },
    patients: async (text) => (await run({ kind: 'patients', text }, patientBudget(undefined))) as readonly string[],
    words: async (text) => (await run({ kind: 'words', text }, patientBudget(undefined))) as ResourceWords,
    read: (bytes, budget) => readAs({ kind: 'read', body: { bytes } }, budget),
    readText: (text, budget) => readAs({ kind: 'read', body: { text } }, budget),
    readBundle: async (bytes, budget, take) =>
      (await run({ kind: 'bundle', body: { bytes } }, budget, (piece) =>
        take(piece as readonly ReadEntry[]),
      )) as ReadResource,
    subset: async (text, subset, budget) => (await run({ kind: 'subset', text, subset }, budget)) as string,
    targets: async (text) => {
      const found: ReferenceTarget[] = [];
      await run({ kind: 'targets', text }, newBudget(undefined), (piece) => {
        for (const target of piece as readonly ReferenceTarget[]) found.push(target);
      });
      return found;
    },
    references: async (source) =>
      (await run({ kind: 'references', text: source.text }, budgetOf(source))) as readonly ConditionalReference[],
    relink: async (source, links) => {
      const budget = budgetOf(source);
      const task = { kind: 'relink', text: source.text, links } as const;
      const found = (await run(task, budget)) as Relinked<ReadResource | undefined>;
      const changed = found.source === undefined ? source : share(sourceOf(found.source), budget);
      return { source: changed, dangling: found.dangling };
    },
    patch: async (content, { patch, how }, budget) => {
      const found = (await run({ kind: 'patch', content, patch, how }, budget)) as ReadResource | undefined;
      return found && share(sourceOf(found), budget);
    },
    snapshot: async (body, budget) =>
      (await run({ kind: 'snapshot', body, expressionMs: budget.expressionMs }, budget)) as SnapshotResult,
    validate: async (body, wanted, budget) => {
      const task = { kind: 'validate', body, wanted: { ...wanted, expressionMs: budget.expressionMs } } as const;
      const found = (await run(task, budget)) as Validated;
      if (found.kind === 'validated') spend(budget, found.checked);
      return found;
    },
    perform: (work, budget) => run({ kind: 'own', work }, budget),
    close: pool.close,
  };
}

const NO_ROWS = { tokens: [], references: [], strings: [], dates: [], quantities: [], uris: [], composites: [] };

/** Checks short resources on the main thread, as long as no user's definition says anything about them. */
function checkNow(defined: WorkerThreadsOptions['defined']): StoreThreads['checkNow'] {
  const validate: Validate =
    defined === undefined
      ? (resource, follows = []) => validateResource(resource, { follows })
      : validateAtOnce(defined);
  return (source, follows) => {
    if (isLong(source)) return undefined;
    try {
      return validate(source.resource, follows);
    } catch (error) {
      if (error instanceof NeedsThread) return undefined;
      throw error;
    }
  };
}

function validateAtOnce({ official, profiles, valueSets }: NonNullable<WorkerThreadsOptions['defined']>): Validate {
  const r5 = r5Profiles();
  const known = (canonical: string): undefined => {
    if (profiles.custom(canonical) !== undefined) throw new NeedsThread();
  };
  const problemsOf = (): never => {
    throw new NeedsThread();
  };
  const find = (canonical: string) => r5.find(canonical) ?? known(canonical);
  const findCodes = (canonical: string) => {
    const found = valueSets.find(canonical);
    if (valueSets.underWay(canonical) !== undefined) throw new NeedsThread();
    return found;
  };
  return createValidate(official, {
    profiles: { find, problemOf: known, problemsOf },
    valueSets: { ...valueSets, find: findCodes },
  });
}

function generationsOf(defined: WorkerThreadsOptions['defined']): Generations {
  if (defined === undefined) return { profiles: 0, valueSets: 0, parameters: 0 };
  return {
    profiles: defined.profiles.generation,
    valueSets: defined.terminologyGeneration(),
    parameters: defined.parameters().version,
  };
}

/** Elements of a profile in one answer: they are copied without a pause. */
const ELEMENTS_AT_ONCE = 200;

function withoutElements(profile: Structure | undefined): Structure | undefined {
  if (profile === undefined) return undefined;
  const { snapshot, differential } = profile;
  return { ...profile, snapshot: snapshot && [], differential: differential && [] };
}

/** The codes of a value set, or why there are none. It waits up to `waitMs` while they are being computed. */
async function codesWithin(
  valueSets: ComputedValueSets,
  { canonical, waitMs }: Extract<Question, { kind: 'valueSet' }>,
): Promise<Answers['valueSet']> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve();
    }, waitMs).unref();
  });
  for (;;) {
    const found = valueSets.find(canonical);
    const underWay = valueSets.underWay(canonical);
    if (underWay === undefined || isOver) {
      clearTimeout(timer);
      return found;
    }
    await Promise.race([underWay, end]);
  }
}

function answerOf(
  defined: WorkerThreadsOptions['defined'],
  question: Question,
): Answers[Question['kind']] | Promise<Answers['valueSet']> {
  if (defined === undefined) throw new Error('Users define nothing here');
  switch (question.kind) {
    case 'profileUrls':
      return defined.profiles.urls();
    case 'profile':
      return withoutElements(defined.profiles.custom(question.canonical));
    case 'elements':
      return (
        defined.profiles
          .custom(question.canonical)
          ?.[question.view]?.slice(question.from, question.from + ELEMENTS_AT_ONCE) ?? []
      );
    case 'valueSet':
      return codesWithin(defined.valueSets, question);
    case 'code':
      return defined.valueSets.hasCode(question.system, question.code);
    case 'parameters':
      return defined.parameters();
    default:
      return question satisfies never;
  }
}
