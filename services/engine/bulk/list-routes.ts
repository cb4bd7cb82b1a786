// GET /bulk-jobs: exports and imports that are kept, the newest first (docs/reference/engine/bulk-export.md).
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, PageQuery, pageOf, sendPage } from '#lib/http/response/page.ts';
import { Instant, InstantOrNull, nullable, TextOrNull } from '../shared/fields.ts';
import { Guid } from '../shared/reference-fields.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { readCounts } from './import-job.ts';
import type { JobRow } from './jobs.ts';
import { percentOf } from './manifest.ts';
import type { BulkService } from './service.ts';

const BulkJobQuery = Type.Object(PageQuery, { additionalProperties: false });

const Canceller = Type.Object(
  { name: TextOrNull, is_caller: Type.Boolean() },
  { description: 'Who cancelled it, at `finished_at`; null for a job that was not cancelled' },
);

const BulkJob = Type.Object(
  {
    job_guid: Guid,
    kind: Type.Enum(['export', 'import']),
    state: Type.Enum(['receiving', 'running', 'done', 'failed', 'cancelled'], {
      description: 'receiving: the file is still arriving',
    }),
    percent: nullable<number>(
      Type.Integer({ minimum: 0, maximum: 100, description: 'How much is done; null while the file arrives' }),
    ),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'Of an export `resources`; of an import `created`, `updated`, `unchanged`, `faults`',
    }),
    fault: TextOrNull,
    is_own: Type.Boolean({ description: 'Whether the caller has started it' }),
    created_at: Instant,
    finished_at: InstantOrNull,
    cancelled_by: nullable<Static<typeof Canceller>>(Canceller),
  },
  { title: 'BulkJob' },
);
type BulkJob = Static<typeof BulkJob>;

const BulkJobPage = pageOf(BulkJob);

export function registerBulkList(app: HttpApp, bulk: Pick<BulkService, 'list'>): void {
  apiRoutes(app, { tags: ['bulk'], permission: 'bulk-job:read' }).get(
    `${BASE_PATH}/bulk-jobs`,
    "One's own exports and imports that are kept; an administrator's list has everybody's",
    { schema: { querystring: BulkJobQuery, response: { 200: BulkJobPage } } },
    async (request, reply) => {
      const { jobs, total, owner } = await bulk.list(requirePrincipal(request), limitOf(request.query));
      const items = jobs.map((job) => viewOf(job, owner));
      return sendPage(request, reply, makePage(items, total, request.query));
    },
  );
}

function viewOf(job: JobRow, owner: string): BulkJob {
  const { kind, state, counts } = job;
  return {
    job_guid: job.job_guid,
    kind: kind === 'export' ? 'export' : 'import',
    state,
    percent: state === 'receiving' ? null : state === 'done' ? 100 : percentOf(job),
    counts: kind === 'export' ? { resources: counts['resources'] ?? 0 } : { ...readCounts(counts) },
    fault: job.fault,
    is_own: job.owner === owner,
    created_at: job.created_at.toISOString(),
    finished_at: job.finished_at?.toISOString() ?? null,
    cancelled_by:
      job.cancelled_by === null ? null : { name: job.cancelled_by_name, is_caller: job.cancelled_by === owner },
  };
}
