import type { Database, Transaction } from '#lib/db/database.ts';
import { isUniqueViolation } from '#lib/db/failure.ts';
import { conflict, type Issue, notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ServerService } from '../servers/service.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import { UNWRITTEN_TYPES } from '../shared/definition-types.ts';
import { storePrincipal } from '../shared/principal-json.ts';
import { requireGuid } from '../shared/sql.ts';
import { firstCheckpoint, readCheckpoint } from './checkpoint.ts';
import { NO_COUNTS } from './counts.ts';
import {
  deleteJob,
  findJob,
  insertJob,
  listJobs,
  lockJob,
  type SyncJob,
  type SyncState,
  setState,
  transferJob,
} from './job-store.ts';
import { listConflicts } from './link-store.ts';
import type { SyncConflict, SyncDetail, SyncInput, SyncQuery, SyncView } from './schema.ts';

export interface SyncService {
  /**
   * Starts a synchronisation, and returns the guid of the job.
   * @throws ServiceError `not_found` for an unknown server, `validation_error`, `conflict`
   */
  start(input: SyncInput, actor: Actor): Promise<string>;
  /** Returns the issues of an input that its schema does not find. The fields may have any type. */
  issuesOf(fields: BodyFields): Issue[];
  list(query: SyncQuery & PageRequest): Promise<Page<SyncView>>;
  /** @throws ServiceError `not_found` */
  get(guid: string): Promise<SyncDetail>;
  /** @throws ServiceError `not_found` */
  conflicts(guid: string, request: PageRequest): Promise<Page<SyncConflict>>;
  /** @throws ServiceError `not_found`, `conflict` for a job that has ended */
  stop(guid: string, actor: Actor): Promise<SyncDetail>;
  /** @throws ServiceError `not_found`, `conflict` for a job that is done, and while another one with the server runs */
  resume(guid: string, actor: Actor): Promise<SyncDetail>;
  /** @throws ServiceError `not_found`, `conflict` for a job that runs */
  remove(guid: string, actor: Actor): Promise<void>;
}

export interface SyncServiceDependencies extends WriteDependencies {
  readonly servers: ServerService;
  readonly resourceTypes: ReadonlySet<string>;
  /** Makes the loop check for work now. */
  readonly wake: () => void;
}

const SHOWN_CONFLICTS = 100;

export function createSyncService(deps: SyncServiceDependencies): SyncService {
  const { database, clock, audit, servers, resourceTypes, wake } = deps;
  const now = () => new Date(clock.now());

  async function record(
    tx: Transaction,
    actor: Actor,
    event: string,
    job: Pick<SyncJob, 'job_guid' | 'server' | 'resource_types'>,
  ) {
    const entities = [`synchronization/${job.job_guid}`, `server/${job.server}`, ...job.resource_types];
    await audit.record(tx, auditedBy(actor, { action: 'E', event: `synchronize.${event}`, entities }));
  }

  async function detail(guid: string): Promise<SyncDetail> {
    const job = await findJob(database, requireGuid(guid, 'Synchronization'));
    if (job === undefined) throw notFound('Synchronization');
    const conflicts = await listConflicts(database, guid, { page: 1, per_page: SHOWN_CONFLICTS });
    return { ...toView(job, conflicts.total), conflicts: conflicts.data.map(toConflict) };
  }

  /** Changes the state; does nothing when the job has the new state already. */
  async function move(guid: string, actor: Actor, change: Move): Promise<SyncDetail> {
    requireGuid(guid, 'Synchronization');
    await oneAtATime(() =>
      database.transaction(async (tx) => {
        const job = await lockJob(tx, guid);
        if (job === undefined) throw notFound('Synchronization');
        if (job.state === change.to) return;
        if (!change.from.includes(job.state)) throw conflict(`The synchronization is ${job.state}`);
        await setState(tx, guid, { state: change.to, at: now() });
        // It runs with the rights of the caller who resumes it, and no longer with those of the first caller.
        if (change.to === 'running') await transferJob(tx, guid, storePrincipal(actor.principal));
        await record(tx, actor, change.event, job);
      }),
    );
    wake();
    return detail(guid);
  }

  return {
    issuesOf: (fields) => typeIssues(fields, resourceTypes),
    async start(input, actor) {
      const server = await servers.definition(input.server);
      const issues = typeIssues(input, resourceTypes);
      if (issues.length > 0) throw validationError(issues);
      const job = {
        job_guid: newGuid(clock.now()),
        server: server.name,
        principal: storePrincipal(actor.principal),
        resource_types: input.resource_types,
        direction: input.direction,
        since: typeof input.since === 'string' ? new Date(input.since) : null,
        dry_run: input.dry_run ?? false,
        checkpoint: firstCheckpoint(input.direction),
        created_at: now(),
      };
      await oneAtATime(() =>
        database.transaction(async (tx) => {
          await insertJob(tx, job);
          await record(tx, actor, 'start', job);
        }),
      );
      wake();
      return job.job_guid;
    },
    async list(query) {
      const page = await listJobs(database, query);
      const data: SyncView[] = [];
      for (const job of page.data) data.push(toView(job, await conflictCount(database, job.job_guid)));
      return { ...page, data };
    },
    get: detail,
    async conflicts(guid, request) {
      await detail(guid);
      const page = await listConflicts(database, guid, request);
      return { ...page, data: page.data.map(toConflict) };
    },
    stop: (guid, actor) => move(guid, actor, { event: 'stop', from: ['running'], to: 'stopped' }),
    resume: (guid, actor) => move(guid, actor, { event: 'resume', from: ['stopped', 'failed'], to: 'running' }),
    async remove(guid, actor) {
      requireGuid(guid, 'Synchronization');
      await database.transaction(async (tx) => {
        const job = await lockJob(tx, guid);
        if (job === undefined) throw notFound('Synchronization');
        if (job.state === 'running') throw conflict('The synchronization is running');
        await deleteJob(tx, guid);
        await record(tx, actor, 'delete', job);
      });
    },
  };
}

interface Move {
  readonly event: string;
  readonly from: readonly SyncState[];
  readonly to: SyncState;
}

async function conflictCount(database: Database, guid: string): Promise<number> {
  return (await listConflicts(database, guid, { page: 1, per_page: 1 })).total;
}

/** @throws ServiceError `conflict` while another job with the server runs */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'sync_job_running'))
      throw conflict('Another synchronization with this server is running');
    throw error;
  }
}

/** Checks texts only. The schema reports other values. */
function typeIssues({ resource_types: given }: BodyFields, known: ReadonlySet<string>): Issue[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((type: unknown, index): Issue[] => {
    if (typeof type !== 'string' || (known.has(type) && !UNWRITTEN_TYPES.has(type))) return [];
    const field = `resource_types[${index}]`;
    return [{ field, message: `'${field}' must be a resource type that clients may write: ${type} is not` }];
  });
}

function toConflict({
  type,
  id,
  kind,
  message,
}: {
  type: string;
  id: string;
  kind: SyncConflict['kind'];
  message: string;
}): SyncConflict {
  return { resource_type: type, id, kind, message };
}

function toView(job: SyncJob, conflicts: number): SyncView {
  const { type, phase, seen, total } = readCheckpoint(job);
  const resourceType = job.resource_types[type];
  return {
    job_guid: job.job_guid,
    server: job.server,
    resource_types: [...job.resource_types],
    direction: job.direction,
    since: job.since?.toISOString() ?? null,
    dry_run: job.dry_run,
    state: job.state,
    progress: {
      types_done: Math.min(type, job.resource_types.length),
      types_total: job.resource_types.length,
      resource_type: resourceType ?? null,
      phase: resourceType === undefined ? null : phase,
      seen,
      total,
    },
    counts: { pull: { ...NO_COUNTS, ...job.counts.pull }, push: { ...NO_COUNTS, ...job.counts.push } },
    conflict_count: conflicts,
    failures: job.failures,
    fault: job.fault,
    created_at: job.created_at.toISOString(),
    updated_at: job.updated_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
  };
}
