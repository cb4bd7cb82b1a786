// HTTP of notifications: /api/v1/notifications (docs/reference/notifications.md).
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, linkHeader, makePage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { NotificationPage, NotificationParams, NotificationQuery, ReadAllResponse, ReadResponse } from './schema.ts';
import type { NotificationService } from './service.ts';
import { toNotificationWire } from './view.ts';

const CONFIG = { permission: 'notification:read-own' } as const;
const TAGS = ['notifications'];

export function registerNotificationRoutes(app: HttpApp, notifications: NotificationService): void {
  app.get(
    '/notifications',
    {
      config: CONFIG,
      schema: {
        tags: TAGS,
        summary: 'What needs the caller’s attention, newest first',
        querystring: NotificationQuery,
        response: { 200: NotificationPage },
      },
    },
    async (request, reply) => {
      const { unread, kind, service_request_id: serviceRequestId } = request.query;
      const filter = { isUnread: unread, kind, serviceRequestId };
      const found = await notifications.list(actorOf(request), filter, limitOf(request.query));
      reply.header('link', linkHeader(request.url, request.query, found.total));
      const page = makePage(found.notifications.map(toNotificationWire), found.total, request.query);
      return { ...page, unread: found.unread, cursor: found.cursor };
    },
  );
  app.post(
    '/notifications/:guid/read',
    {
      config: CONFIG,
      schema: {
        tags: TAGS,
        summary: 'Mark a notification as read; again changes nothing',
        params: NotificationParams,
        response: { 200: ReadResponse },
      },
    },
    async (request) => {
      const { guid } = request.params;
      const readAt = await notifications.read(actorOf(request), guid);
      return { notification_guid: guid, read_at: readAt.toISOString() };
    },
  );
  app.post(
    '/notifications/read-all',
    {
      config: CONFIG,
      schema: { tags: TAGS, summary: 'Mark all notifications as read', response: { 200: ReadAllResponse } },
    },
    async (request) => ({ read: await notifications.readAll(actorOf(request)) }),
  );
}
