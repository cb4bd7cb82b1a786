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

/** Bytes. A bundle up to this is read in a few milliseconds; what it asks for is done in slices. */
const LONG_BUNDLE = 256 * 1024;
const QUEUE = 16;
const IDLE_MS = 60_000;
/** Of each thread. A resource of 10 MiB takes 200 MiB; a bundle of 50 MiB in the smallest pieces does not fit. */
const MEMORY_MB = 768;

/** What all the work of one request shares. */
export interface RequestBudget {
  readonly work: WorkBudget;
  /** Milliseconds that users' expressions may still take. */
  expressionMs: number;
  /** Guid of the caller. */
  readonly owner: string | undefined;
  /** Of a job in the background: its work waits for its turn, and is never refused. */
  readonly isPatient?: boolean;
}

export interface WorkerThreadsOptions {
  readonly baseUrl: string;
  /** As of {@link loadSearchParameters}. */
  readonly sortLanguage?: string | undefined;
  /** Threads. */
  readonly size: number;
  /** Their module, where a service has them do more than FHIR asks for. */
  readonly url?: URL;
  /** Processor time of one request, in milliseconds. */
  readonly budgetMs: number;
  /** What users have defined; R5's own rules are all when left out. */
  readonly defined?: {
    readonly official: SearchParameters;
    readonly profiles: CustomProfiles;
    readonly valueSets: ComputedValueSets;
    /** Another number whenever `valueSets` may answer otherwise. */
    readonly terminologyGeneration: () => number;
    readonly parameters: () => OverlayContent;
  };
}

export interface WorkerThreads extends StoreThreads {
  budget(owner: string | undefined): RequestBudget;
  /** Of a piece of a job in the background, which is as much as one request. */
  patientBudget(owner: string | undefined): RequestBudget;
  /** Of the request that brought the resource. */
  budgetOf(source: ResourceText): RequestBudget;
  /** Whether a body is read in a thread. */
  isLongBody(bytes: number, isBundle: boolean): boolean;
  /** @throws ServiceError as `readResourceText` */
  read(bytes: Uint8Array, budget: RequestBudget): Promise<ResourceText>;
  /** The same of a text. */
  readText(text: string, budget: RequestBudget): Promise<ResourceText>;
  /**
   * Gives the entries in their order, some at a time.
   * @throws ServiceError as `readResourceText`, for another resource too
   */
  readBundle(
    bytes: Uint8Array,
    budget: RequestBudget,
    take: (entries: readonly ReadEntry[]) => void,
  ): Promise<ReadResource>;
  /** Makes the work on a resource part of a request's. */
  share(source: ResourceText, budget: RequestBudget): ResourceText;
  /** As `subsetText`. */
  subset(content: string, subset: SubsetRequest, budget: RequestBudget): Promise<string>;
  /** What a stored resource refers to on this server. */
  targets(content: string): Promise<readonly ReferenceTarget[]>;
  references(source: ResourceText): Promise<readonly ConditionalReference[]>;
  /** The very same one when no link is another. */
  relink(source: ResourceText, links: Links): Promise<Relinked<ResourceText>>;
  /** Undefined when nothing changes. */
  patch(
    content: string,
    change: { readonly patch: string; readonly how: PatchKind },
    budget: RequestBudget,
  ): Promise<ResourceText | undefined>;
  /** What $snapshot makes of a definition. */
  snapshot(body: Body, budget: RequestBudget): Promise<SnapshotResult>;
  /** The errors of what a call of $validate is about. */
  validate(body: Body, wanted: Omit<ValidateQuery, 'expressionMs'>, budget: RequestBudget): Promise<Validated>;
  /** What the service's own module does with it. @throws ServiceError what that throws; as for all work in threads */
  perform(work: unknown, budget: RequestBudget): Promise<unknown>;
  close(): Promise<void>;
}

/** Thrown where the main thread would have to look at what a user defines, or to wait. */
class NeedsThread extends Error {}

export function createWorkerThreads(options: WorkerThreadsOptions): WorkerThreads {
  const { baseUrl, sortLanguage, size, budgetMs, defined } = options;
  const pool = createWorkerPool({
    url: options.url ?? new URL('./worker.ts', import.meta.url),
    data: { baseUrl, sortLanguage, isPlain: defined === undefined } satisfies ThreadOptions,
    size,
    queue: QUEUE,
    memoryMb: MEMORY_MB,
    idleMs: IDLE_MS,
    answer: (question) => answerOf(defined, question as Question),
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

/** What the main thread judges itself: short resources about which no user's definition says anything. */
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

/** Of a profile that are copied for a thread in one turn. */
const ELEMENTS_AT_ONCE = 200;

function withoutElements(profile: Structure | undefined): Structure | undefined {
  if (profile === undefined) return undefined;
  const { snapshot, differential } = profile;
  return { ...profile, snapshot: snapshot && [], differential: differential && [] };
}

/**
 * The codes of a value set; where they are being computed, as soon as they are known, or why they are not known in
 * time.
 */
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
