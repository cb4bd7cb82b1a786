// GET /api/admin/audit (decision G9): always one page. The page is selected by a cursor, which stays in place while
// events are added, or by number (G5).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { linkToNext, momentOf, readCursor, writeCursor } from '#lib/http/response/time-position.ts';
import { actorOf } from '../actor.ts';
import { describeList, listRange } from '../list-page.ts';
import { OptionalText } from '../shared/routes/schema.ts';
import { offsetTimestamp } from '../time.ts';
import type { AuditFilter, AuditList, AuditPosition, ListedEvent } from './service.ts';

const PER_PAGE = 20;
const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));
const Query = Type.Object(
  {
    user_guid: Type.Optional(Type.String({ description: 'Who did it, or whose account it was' })),
    event: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Such as `user.sign-in`' })),
    outcome: Type.Optional(Type.Enum(['success', 'failure'])),
    since: Moment('From then on'),
    until: Moment('Before then'),
    cursor: Type.Optional(Type.String({ maxLength: 128, description: 'From the `Link` to the next page' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Page number, from 1' })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Items per page (20)' })),
  },
  { additionalProperties: false },
);
type Query = Static<typeof Query>;

const Item = Type.Object(
  {
    audit_guid: Type.String(),
    recorded_at: Type.String(),
    event: Type.String(),
    action: Type.Enum(['C', 'R', 'U', 'D', 'E']),
    outcome: Type.Enum(['success', 'failure']),
    actor: Type.Object({
      user_guid: OptionalText,
      email: OptionalText,
      service: OptionalText,
      operator: OptionalText,
      roles: Type.Array(Type.String()),
    }),
    subject: Type.Union([Type.Object({ user_guid: Type.String(), email: OptionalText }), Type.Null()]),
    patient_guid: OptionalText,
    entities: Type.Array(Type.String()),
    address: OptionalText,
    request_id: OptionalText,
    detail: OptionalText,
  },
  { title: 'AuditEntry' },
);

export function registerAuditListRoutes(app: HttpApp, audit: AuditList): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.get(
    '/api/admin/audit',
    'What has been recorded, the newest first',
    { schema: { querystring: Query, response: { 200: Type.Array(Item) } } },
    async (request, reply) => {
      const { query } = request;
      const filter = filterOf(query);
      const before = positionOf(query);
      const limit = query.per_page ?? PER_PAGE;
      const { offset } = query.page === undefined ? { offset: 0 } : listRange(query);
      const { events, hasMore } = await audit.page(actorOf(request), filter, { before, limit, offset });
      if (query.cursor === undefined) await describeList(request, reply, () => audit.count(filter));
      if (query.page === undefined) linkNext(request, reply, hasMore ? events.at(-1) : undefined);
      return events.map(toItem);
    },
  );
}

/** @throws ServiceError `validation_error` */
function filterOf({ user_guid, event, outcome, since, until }: Query): AuditFilter {
  if (user_guid !== undefined && !isGuid(user_guid)) {
    throw validationError([{ field: 'user_guid', message: "'user_guid' must be a guid" }]);
  }
  return {
    userGuid: user_guid ?? null,
    event: event ?? null,
    outcome: outcome ?? null,
    since: momentOf(since, 'since'),
    until: momentOf(until, 'until'),
  };
}

function positionOf({ cursor, page }: Query): AuditPosition | null {
  if (cursor === undefined) return null;
  const position = readCursor(cursor);
  if (page === undefined && position !== undefined) return position;
  const message = page === undefined ? "'cursor' must be one that a Link gave" : "'cursor' cannot go with 'page'";
  throw validationError([{ field: 'cursor', message }]);
}

/** Replaces the links to numbered pages, which shift while events are added. */
function linkNext(request: FastifyRequest, reply: FastifyReply, last: ListedEvent | undefined): void {
  if (last === undefined) {
    reply.removeHeader('link');
    return;
  }
  reply.header(
    'link',
    linkToNext(request.url, writeCursor({ recordedAt: last.recorded_at, eventGuid: last.event_guid })),
  );
}

function toItem(event: ListedEvent): Static<typeof Item> {
  const { actor_guid, actor_email, subject_guid, subject_email, service, operator, roles } = event;
  return {
    audit_guid: event.event_guid,
    recorded_at: offsetTimestamp(event.recorded_at),
    event: event.event,
    action: event.action,
    outcome: event.outcome,
    actor: { user_guid: actor_guid, email: actor_email, service, operator, roles: [...roles] },
    subject: subject_guid === null ? null : { user_guid: subject_guid, email: subject_email },
    patient_guid: event.patientGuid,
    entities: [...event.entities],
    address: event.address,
    request_id: event.requestId,
    detail: event.detail,
  };
}
