// What the steps of a synchronisation share: their dependencies, and how the result of a step is stored in one
// transaction.
import { isDeepStrictEqual } from 'node:util';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { Access } from '#fhir/store/access.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ServerService } from '../servers/service.ts';
import type { CurrentRights } from '../shared/current-rights.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';
import type { Upstream } from '../shared/upstream/upstream.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ContentHasher } from './content-hash.ts';
import { addOutcomes, moveOutcomes, type Outcome } from './counts.ts';
import { type ConflictKind, messageOf, type Side } from './decide.ts';
import { holdJob, moveJob, type SyncJob } from './job-store.ts';
import { type Conflict, dropConflicts, restateConflicts, type Site, saveConflicts, saveLinks } from './link-store.ts';

export interface SyncDependencies extends WriteDependencies {
  readonly store: FhirStore;
  readonly servers: ServerService;
  readonly upstream: Upstream;
  readonly rights: CurrentRights;
  readonly metrics: SyncMetrics;
  readonly hash: ContentHasher;
  /** For long resources. All are read on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}

export interface SyncMetrics {
  carried(direction: 'pull' | 'push', outcome: Outcome, count: number): void;
}

/** One step of a job that this process holds. */
export interface Step {
  readonly job: SyncJob;
  readonly holder: string;
  readonly server: ServerDefinition;
  readonly checkpoint: Checkpoint;
  readonly resourceType: string;
  /** Aborted when the process ends. The step is then left undone. */
  readonly signal: AbortSignal;
}

export function siteOf({ server, resourceType }: Step): Site {
  return { site: server.url, type: resourceType };
}

/** The outcomes of a step's resources. */
export interface StepResult {
  readonly outcomes: Outcome[];
  readonly conflicts: Conflict[];
  readonly links: { readonly id: string; readonly hash: Buffer }[];
  /** The patients whose data was transferred. */
  readonly patients: Set<string>;
  /** Ids that are counted and stored as conflicts already, and were retried. */
  readonly again?: readonly string[];
}

export function emptyResult(): StepResult {
  return { outcomes: [], conflicts: [], links: [], patients: new Set() };
}

export function addConflict(
  result: StepResult,
  { resourceType: type }: Step,
  { id, kind, detail }: { readonly id: string; readonly kind: ConflictKind; readonly detail?: string },
): void {
  result.outcomes.push('conflicts');
  const message = detail === undefined ? messageOf(kind) : `${messageOf(kind)}: ${detail}`;
  result.conflicts.push({ type, id, kind, message: message.slice(0, MAX_MESSAGE) });
}

const MAX_MESSAGE = 1000;

/** The job is stopped, or another node holds it by now. The result is not stored, and a repetition changes nothing. */
export class LostJob extends Error {}

/** @throws LostJob */
async function requireJob(tx: Transaction, { job, holder, checkpoint }: Step): Promise<SyncJob> {
  const held = await holdJob(tx, job.job_guid, holder);
  if (held === undefined || !isDeepStrictEqual(held.checkpoint, checkpoint)) throw new LostJob();
  return held;
}

/** Stores the result of a step, and the checkpoint of the next. `held` is the job under its lock. */
async function saveResult(
  tx: Transaction,
  { step, held, next, result, until }: StepOutcome,
  { clock, audit }: SyncDependencies,
): Promise<void> {
  const { job, checkpoint } = step;
  const again = result.again ?? [];
  if (!job.dry_run) await saveLinks(tx, siteOf(step), result.links);
  await (again.length > 0 ? saveRetried(tx, step, result) : saveConflicts(tx, job.job_guid, result.conflicts));
  const principal = restorePrincipal(job.principal);
  const action = checkpoint.phase === 'pull' ? 'U' : 'R';
  const entries = [...result.patients].filter(isGuid).map((patientGuid) => ({
    action: action as 'U' | 'R',
    event: `synchronize.${checkpoint.phase}`,
    principal,
    patientGuid,
    entities: [`server/${job.server}`, `synchronization/${job.job_guid}`, step.resourceType],
  }));
  await audit.record(tx, ...entries);
  const add = again.length > 0 ? moveOutcomes : addOutcomes;
  const counts = add(held.counts, checkpoint.phase, result.outcomes);
  await moveJob(tx, job.job_guid, { checkpoint: next, counts, at: new Date(clock.now()), until });
}

interface StepOutcome {
  readonly step: Step;
  readonly held: SyncJob;
  readonly next: Checkpoint;
  readonly result: StepResult;
  /** When the job continues; at once when left out. */
  readonly until?: Date | undefined;
}

/** Replaces the stored conflicts of retried resources by their new results, and deletes those that are settled. */
async function saveRetried(tx: Transaction, { job, resourceType }: Step, result: StepResult): Promise<void> {
  const still = new Set(result.conflicts.map(({ id }) => id));
  const settled = (result.again ?? []).filter((id) => !still.has(id));
  await restateConflicts(tx, job.job_guid, result.conflicts);
  await dropConflicts(tx, { job: job.job_guid, type: resourceType }, settled);
  // Resources that were deleted here meanwhile and never existed there count as skipped.
  const settledNow = result.outcomes.filter((outcome) => outcome !== 'conflicts').length;
  for (let more = settledNow; more < settled.length; more += 1) result.outcomes.push('skipped');
}

/**
 * Does a step in one transaction: holds the job, runs `work`, notes the result and the checkpoint that `work` returns.
 * @throws LostJob
 */
export async function commitStep(
  step: Step,
  work: (tx: Transaction, result: StepResult) => Promise<Checkpoint>,
  deps: SyncDependencies,
): Promise<void> {
  const result = emptyResult();
  await deps.database.transaction(async (tx) => {
    const held = await requireJob(tx, step);
    const next = await work(tx, result);
    await saveResult(tx, { step, held, next, result }, deps);
  });
  countOutcomes(step, result, deps);
}

/** Locks the engine's version of a resource, and returns what it is now. */
export async function lockSide(
  tx: Transaction,
  address: { readonly resourceType: string; readonly id: string },
  access: Access,
  { store, hash }: SyncDependencies,
): Promise<Side> {
  const current = await store.lock(tx, address, access);
  if (current === undefined) return 'nothing';
  return current.isDeleted ? 'deleted' : { hash: await hash(current.content) };
}

/** Notes a result in a transaction of its own. @throws LostJob */
export async function saveStep(
  step: Step,
  noted: Omit<StepOutcome, 'step' | 'held'>,
  deps: SyncDependencies,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const held = await requireJob(tx, step);
    await saveResult(tx, { step, held, ...noted }, deps);
  });
  countOutcomes(step, noted.result, deps);
}

function countOutcomes({ checkpoint: { phase } }: Step, { outcomes }: StepResult, { metrics }: SyncDependencies): void {
  for (const [outcome, found] of Map.groupBy(outcomes, (each) => each)) metrics.carried(phase, outcome, found.length);
}

/** Returns an error that the resource caused; throws any other. */
export async function refusalOr<T>(work: () => Promise<T>): Promise<T | ServiceError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) return error;
    throw error;
  }
}
