// GET /api/v1/status: what runs here, and what waits (docs/reference/dispatch-delivery.md).
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { DispatchStatus } from './schema.ts';
import type { ReadDispatchStatus } from './service.ts';

export function registerStatusRoute(app: HttpApp, readStatus: ReadDispatchStatus): void {
  apiRoutes(app, { tags: ['monitoring'], permission: 'monitoring:read' }).get(
    '/status',
    'What runs here, and what waits in queues',
    { schema: { response: { 200: DispatchStatus } } },
    async () => readStatus(),
  );
}
