// GET /api/health (contract: identity, Health): always 200, telling whether the database answers.
import Type from 'typebox';
import type { Database } from '#lib/db/database.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';

const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded']),
  database: Type.Enum(['connected', 'unreachable']),
  version: Type.String(),
});

export function registerHealthRoutes(app: HttpApp, site: { database: Database; version: string }): void {
  const routes = apiRoutes(app, { tags: ['operations'], permission: 'public' });
  routes.get('/api/health', 'Health and version', { schema: { response: { 200: Health } } }, async () => {
    const isConnected = await site.database.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const { version } = site;
    return isConnected
      ? { status: 'ok' as const, database: 'connected' as const, version }
      : { status: 'degraded' as const, database: 'unreachable' as const, version };
  });
}
