// Routes of provider tasks (contract: engine, "Providers and provider tasks"; decision E10). The receipt token in the
// path is the capability. In its place the guid of the request is taken with credentials of the provider
// (docs/adr/0077). Caches must not store these responses.
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { linkToNext, positionOf, writeCursor } from '#lib/http/response/time-position.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../shared/actor.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { parseWithRawBodies, type RawBody } from './inbox/raw-body.ts';
import { receiptHooks } from './receipt-hooks.ts';
import type { ReportListService } from './report-list-service.ts';
import type { Report, ReportService } from './report-service.ts';
import {
  CarePlanDetails,
  OwnCounts,
  OwnCountsQuery,
  RejectInput,
  ReportInput,
  ReportResponse,
  ReportsOfTask,
  ReportsQuery,
  Task,
  TaskCounts,
  TaskQuery,
} from './schema.ts';
import type { TaskAddress } from './task-address.ts';
import type { TaskService } from './task-service.ts';

const ALL = `${BASE_PATH}/provider-tasks`;
const ONE = `${ALL}/:receipt_token`;
const params = Type.Object({ receipt_token: Type.String() });
const tags = ['provider-tasks'];
const HOLDER: FastifyContextConfig = {
  permission: 'receipt:hold',
  ownPermission: 'provider-task:use',
  errors: ['rate_limited', 'conflict'],
};
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

export interface TaskFeatures {
  readonly tasks: TaskService;
  readonly reports: ReportService;
  readonly reportList: ReportListService;
  /** Limits requests below a receipt token. */
  readonly limiter: RateLimiter;
}

export function registerTaskLists(app: HttpApp, tasks: TaskService): void {
  app.get(
    ALL,
    {
      config: { permission: 'provider-task:read-all' },
      schema: { tags, summary: 'List all tasks', querystring: TaskQuery, response: { 200: pageOf(Task) } },
    },
    async (request, reply) => {
      return sendPage(request, reply, await tasks.listAll(request.query, requirePrincipal(request), originOf(request)));
    },
  );
  app.get(
    `${ALL}/my`,
    {
      config: { permission: 'provider-task:read-own' },
      schema: {
        tags,
        summary: "List the provider's own tasks",
        querystring: TaskQuery,
        response: { 200: pageOf(Task) },
      },
    },
    async (request, reply) => {
      return sendPage(request, reply, await tasks.listOwn(request.query, requirePrincipal(request), originOf(request)));
    },
  );
  app.get(
    `${ALL}/my/counts`,
    {
      config: { permission: 'provider-task:read-own' },
      schema: {
        tags,
        summary: "Count the provider's own tasks by their states",
        querystring: OwnCountsQuery,
        response: { 200: OwnCounts },
      },
    },
    async (request) => tasks.countOwn(requirePrincipal(request), request.query.mine === true),
  );
  app.get(
    `${ALL}/debug`,
    {
      config: { permission: 'provider-task:read-all' },
      schema: { tags, summary: 'Counts of tasks and of calls to dispatch', response: { 200: TaskCounts } },
    },
    async () => tasks.counts(),
  );
}

/** Who is responsible for an accepted task; by the guid of its request alone. */
export function registerTakeOver(app: HttpApp, tasks: TaskService): void {
  app.post(
    `${ONE}/take-over`,
    {
      config: { permission: 'provider-task:use', errors: ['conflict'] },
      schema: {
        tags,
        summary: 'Become responsible for an accepted task, named by the guid of its request',
        params,
        response: { 200: Task },
      },
    },
    async (request) => tasks.takeOver(addressOf(request), originOf(request)),
  );
}

export function registerTasks(app: HttpApp, { tasks, reportList, limiter }: TaskFeatures): void {
  const onRequest = receiptHooks(tasks, limiter);
  app.get(
    ONE,
    { config: HOLDER, onRequest, schema: { tags, summary: 'Read a task', params, response: { 200: Task } } },
    async (request) => {
      return tasks.get(addressOf(request), originOf(request));
    },
  );
  app.get(
    `${ONE}/careplan-details`,
    {
      config: HOLDER,
      onRequest,
      schema: {
        tags,
        summary: 'The whole plan of care of an accepted task',
        params,
        response: { 200: CarePlanDetails },
      },
    },
    async (request, reply) => {
      return sendJsonTexts(reply, [await tasks.details(addressOf(request), originOf(request))]);
    },
  );
  app.get(
    `${ONE}/reports`,
    {
      config: HOLDER,
      onRequest,
      schema: {
        tags,
        summary: 'What was reported of an accepted task, the newest first',
        params,
        querystring: ReportsQuery,
        response: { 200: ReportsOfTask },
      },
    },
    async (request, reply) => {
      const { cursor: given, per_page: limit } = request.query;
      const page = { after: positionOf(given), limit };
      const { texts, next } = await reportList.list(addressOf(request), page, originOf(request));
      const cursor = next === null ? null : writeCursor(next);
      if (cursor !== null) reply.header('link', linkToNext(request.url, cursor));
      const items = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]));
      const rest = JSON.stringify({ per_page: limit, next_cursor: cursor }).slice(1);
      return sendJsonTexts(reply, ['{"data":[', ...items, `],${rest}`]);
    },
  );
}

/** Registers the routes with a body in their own scope. */
export function registerTaskChanges(app: HttpApp, features: TaskFeatures): void {
  app.register(async (scope: HttpApp) => {
    const rawBody = parseWithRawBodies(scope, BODY_LIMIT_BYTES);
    registerDecisions(scope, features);
    registerReport(scope, features, rawBody);
  });
}

function registerDecisions(scope: HttpApp, { tasks, limiter }: TaskFeatures): void {
  const onRequest = receiptHooks(tasks, limiter);
  scope.post(
    `${ONE}/accept`,
    {
      config: HOLDER,
      onRequest,
      schema: {
        tags,
        summary: 'Accept a task; 202 while dispatch cannot be reached',
        params,
        body: Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: false, properties: {} }),
        response: { 200: Task, 202: Task },
      },
    },
    async (request, reply) => {
      const task = await tasks.accept(addressOf(request), originOf(request));
      return reply.code(task.pending_decision === null ? 200 : 202).send(task);
    },
  );
  scope.post(
    `${ONE}/reject`,
    {
      config: HOLDER,
      onRequest,
      schema: {
        tags,
        summary: 'Reject a task, or give it back; 202 while dispatch cannot be reached',
        params,
        body: RejectInput,
        response: { 200: Task, 202: Task },
      },
    },
    async (request, reply) => {
      const task = await tasks.reject(addressOf(request), request.body?.reason, originOf(request));
      return reply.code(task.pending_decision === null ? 200 : 202).send(task);
    },
  );
}

function registerReport(scope: HttpApp, { tasks, reports, limiter }: TaskFeatures, rawBody: RawBody): void {
  scope.post(
    `${ONE}/report`,
    {
      config: { ...HOLDER, idempotent: true },
      onRequest: receiptHooks(tasks, limiter),
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        tags,
        summary: 'Report observations and form answers',
        params,
        body: ReportInput,
        response: { 200: ReportResponse },
      },
    },
    async (request) => {
      const { status, note } = request.body;
      const report: Report = { status, note, body: rawBody(request) };
      return reports.report(addressOf(request), report, originOf(request));
    },
  );
}

function addressOf({ params: given, principal }: FastifyRequest<{ Params: Static<typeof params> }>): TaskAddress {
  return { token: given.receipt_token, caller: principal };
}
