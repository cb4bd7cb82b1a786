// HTTP of notifications: /api/v1/notifications (docs/reference/notifications.md).
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { NotificationPage, NotificationParams, NotificationQuery, ReadAllResponse, ReadResponse } from './schema.ts';
import type { NotificationService } from './service.ts';
import { toNotificationWire } from './view.ts';

export function registerNotificationRoutes(app: HttpApp, notifications: NotificationService): void {
  const routes = apiRoutes(app, { tags: ['notifications'], permission: 'notification:read-own' });
  routes.get(
    '/notifications',
    'What needs the caller’s attention, newest first',
    { schema: { querystring: NotificationQuery, response: { 200: NotificationPage } } },
    async (request, reply) => {
      const { unread, kind, service_request_id: serviceRequestId } = request.query;
      const filter = { isUnread: unread, kind, serviceRequestId };
      const found = await notifications.list(actorOf(request), filter, limitOf(request.query));
      const items = found.notifications.map(toNotificationWire);
      const page = sendPage(request, reply, makePage(items, found.total, request.query));
      return { ...page, unread: found.unread, cursor: found.cursor };
    },
  );
  routes.post(
    '/notifications/:guid/read',
    'Mark a notification as read; again changes nothing',
    { schema: { params: NotificationParams, response: { 200: ReadResponse } } },
    async (request) => {
      const { guid } = request.params;
      const readAt = await notifications.read(actorOf(request), guid);
      return { notification_guid: guid, read_at: readAt.toISOString() };
    },
  );
  routes.post(
    '/notifications/read-all',
    'Mark all notifications as read',
    { schema: { response: { 200: ReadAllResponse } } },
    async (request) => ({ read: await notifications.readAll(actorOf(request)) }),
  );
}
