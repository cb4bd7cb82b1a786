// HTTP of what providers do (decisions D10, D11): read the feed, report progress, and respond by receipt token.

import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Principal } from '#lib/auth/principal.ts';
import { onlyProviderOf, type StaffPerson } from '#lib/auth/provider-staff.ts';
import { type Issue, ServiceError } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { type BodyFields, checkedBy, isFields } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../shared/actor.ts';
import type { RawBodyOf } from '../shared/json-body.ts';
import { momentIssues, readMoment } from '../shared/moment.ts';
import { cursorIssues } from './feed/feed-cursor.ts';
import { type FeedItem, type FeedPage, type FeedService, mayReadFeed } from './feed/feed-service.ts';
import { type LinkFeatures, registerLinkRoutes } from './links/link-routes.ts';
import { registerQuestionRoutes } from './questions/question-routes.ts';
import type { QuestionService } from './questions/question-service.ts';
import { receiptHooks } from './receipt-limit.ts';
import type { Reported, ReportService } from './report-service.ts';
import type { RespondService } from './respond-service.ts';
import type { FindReportable } from './results/reportable.ts';
import { registerReportable } from './results/reportable-routes.ts';
import {
  FeedQuery,
  FeedView,
  type Person,
  ReportInput,
  ReportParams,
  ReportResponse,
  RespondInput,
  RespondParams,
  RespondResponse,
  TokenReportResponse,
} from './schema.ts';

const TAGS = ['provider requests'];
const RESULTS_LIMIT_BYTES = 10 * 1024 * 1024;

/** The response is joined from stored texts. */
const FeedText = Type.Unsafe<string>(FeedView);

export interface RequestFeatures extends LinkFeatures {
  readonly feed: FeedService;
  readonly reports: ReportService;
  readonly reportable: FindReportable;
  readonly responses: RespondService;
  /** The text of a request's body. */
  readonly bodyText: RawBodyOf;
  readonly questions: QuestionService;
  /** The limit of the respond address: by token, and by client for an unknown token. */
  readonly respondLimiter: RateLimiter;
}

export function registerRequestRoutes(app: HttpApp, features: RequestFeatures): void {
  registerFeed(app, features.feed);
  registerReports(app, features);
  registerReportable(app, features.reportable, features.reports);
  registerRespond(app, features);
  registerLinkRoutes(app, features);
  registerQuestionRoutes(app, features.questions);
}

function registerFeed(app: HttpApp, feed: FeedService): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'feed:read' });
  routes.get(
    '/requests',
    'The feed of a provider',
    { ...checkedBy(feedIssues), schema: { querystring: FeedQuery, response: { 200: FeedText } } },
    async (request, reply) => {
      const actor = actorOf(request);
      const { cursor, since, limit } = request.query;
      const providerGuid = request.query.provider_guid ?? onlyProviderOf(actor.principal) ?? '';
      const wanted = { providerGuid, cursor, since: readMoment(since, 'since'), limit };
      return sendJsonTexts(reply, await feed.read(actor, wanted, feedTexts));
    },
  );
}

/** The issues of the provider and the cursor. Of another provider's feed only that it is another's is reported. */
function feedIssues(_body: BodyFields, request: FastifyRequest): Issue[] {
  const query = isFields(request.query) ? request.query : {};
  const actor = actorOf(request);
  const providerGuid = query['provider_guid'] ?? onlyProviderOf(actor.principal);
  const issues = momentIssues(query, 'since');
  if (providerGuid === undefined) {
    return [...issues, { field: 'provider_guid', message: "query parameter 'provider_guid' is required" }];
  }
  const { cursor } = query;
  if (typeof cursor !== 'string' || typeof providerGuid !== 'string') return issues;
  return mayReadFeed(actor, providerGuid) ? [...issues, ...cursorIssues(providerGuid, cursor)] : issues;
}

function registerReports(app: HttpApp, { reports, responses, respondLimiter, bodyText }: RequestFeatures): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'receipt:hold' });
  const momentOf = checkedBy((body) => {
    const { occurred_at: given } = body;
    const issues = momentIssues(body, 'occurred_at');
    return issues.length > 0 || typeof given !== 'string' ? issues : reports.momentIssues(new Date(given));
  });
  const read = (request: FastifyRequest, body: Static<typeof ReportInput>) => ({
    ...fieldsOf(body),
    resultsIn: Array.isArray(body.results) || body.results === undefined ? undefined : bodyText(request),
  });
  for (const method of ['PUT', 'POST'] as const) {
    app.route({
      method,
      url: '/requests/:request_guid/status',
      // The contract's PUT takes as much as other bodies outside FHIR.
      ...(method === 'POST' ? { bodyLimit: RESULTS_LIMIT_BYTES } : {}),
      config: { permission: 'request:report', errors: ['conflict', 'expired', 'unprocessable'] },
      ...momentOf,
      schema: {
        tags: TAGS,
        summary:
          method === 'PUT' ? 'Report the progress of a request' : 'Report the progress of a request with results',
        params: ReportParams,
        body: ReportInput,
        response: { 200: ReportResponse },
      },
      handler: async (request) => {
        const { request_guid } = request.params;
        const actor = actorOf(request);
        const by = personNamed(request.body.by, actor.principal);
        const reported = await reports.report(actor, request_guid, { ...read(request, request.body), by });
        return { request_guid, ...withoutUndefined(reported) };
      },
    });
  }
  routes.post(
    '/ServiceRequest/receipt/:token/status',
    'Report the progress of a request by its receipt token, with results',
    {
      bodyLimit: RESULTS_LIMIT_BYTES,
      config: { errors: ['conflict', 'expired', 'rate_limited', 'unprocessable'] },
      onRequest: receiptHooks(responses, respondLimiter),
      ...momentOf,
      schema: { params: RespondParams, body: ReportInput, response: { 200: TokenReportResponse } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      personNamed(request.body.by, undefined);
      const holder = { token: request.params.token, address: request.ip, requestId: request.id };
      return withoutUndefined(await reports.reportByToken(holder, read(request, request.body)));
    },
  );
}

function fieldsOf({ status, reason, note, occurred_at, results }: Static<typeof ReportInput>) {
  const references = Array.isArray(results) ? results : [];
  return { status, reason, note, occurredAt: readMoment(occurred_at, 'occurred_at'), results: references };
}

function withoutUndefined({ status, results }: Reported) {
  return { status, ...(results === undefined ? {} : { results: [...results] }) };
}

function registerRespond(app: HttpApp, { responses, respondLimiter }: RequestFeatures): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'receipt:hold' });
  routes.post(
    '/ServiceRequest/receipt/:token/respond',
    'Accept or reject a request by its receipt token; by its guid with credentials of the provider',
    {
      config: { ownPermission: 'request:report', errors: ['conflict', 'expired', 'rate_limited'] },
      onRequest: receiptHooks(responses, respondLimiter),
      schema: { params: RespondParams, body: RespondInput, response: { 200: RespondResponse } },
    },
    async (request, reply) => {
      const { decision, reason, by } = request.body;
      reply.header('cache-control', 'no-store');
      const { token } = request.params;
      const origin = { address: request.ip, requestId: request.id };
      const { principal } = request;
      const answer = { token, principal, decision, reason, by: personNamed(by, principal), ...origin };
      const requestGuid = await responses.respond(answer);
      return { request_guid: requestGuid, status: decision };
    },
  );
}

/** Only the engine names a person other than the caller. @throws ServiceError `forbidden` */
function personNamed(by: Static<typeof Person> | undefined, principal: Principal | undefined): StaffPerson | undefined {
  if (by === undefined) return undefined;
  if (principal?.kind !== 'service') throw new ServiceError('forbidden', "Only the engine names a person in 'by'");
  return { userGuid: by.user_guid, name: by.name };
}

/** The bundles are sent as the stored texts, without parsing them. */
function feedTexts({ items, nextCursor, hasMore }: FeedPage): string[] {
  const end = `"next_cursor":${JSON.stringify(nextCursor)},"has_more":${String(hasMore)}`;
  const texts = items.flatMap((item, index) => [...(index === 0 ? [] : [',']), ...itemTexts(item)]);
  return ['{"requests":[', ...texts, `],${end}}`];
}

function itemTexts({ entry, status, token, bundle }: FeedItem): string[] {
  const head = JSON.stringify({
    request_guid: entry.requestGuid,
    service_request_id: entry.serviceRequestId,
    status,
    receipt_token: token ?? null,
  });
  const tail = JSON.stringify({
    dispatched_at: entry.dispatchedAt.toISOString(),
    updated_at: entry.updatedAt.toISOString(),
  });
  return [`${head.slice(0, -1)},"bundle":`, bundle ?? 'null', `,${tail.slice(1)}`];
}
