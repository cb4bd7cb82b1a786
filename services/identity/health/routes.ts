// GET /api/health (contract: identity, Health): always 200, telling whether the database answers in time. GET
// /api/admin/status: figures for operators.
import Type from 'typebox';
import type { Database } from '#lib/db/database.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { readMailQueue } from '#lib/mail/metrics.ts';
import { boundedRead } from '#lib/metrics/bounded-read.ts';
import { createServiceStatus, QueueFigures, serviceStatusFields } from '#lib/metrics/service-status.ts';
import type { IdentityDeps } from '../deps.ts';

const Health = Type.Object({
  status: Type.Enum(['ok', 'degraded']),
  database: Type.Enum(['connected', 'unreachable']),
  version: Type.String(),
});

const IdentityStatus = Type.Object({ ...serviceStatusFields, mails: QueueFigures }, { title: 'ServiceStatus' });

/** For administrators: what runs here, and what waits. */
export function registerStatusRoute(
  app: HttpApp,
  site: Pick<IdentityDeps, 'clock' | 'database' | 'metrics' | 'version'>,
) {
  const readStatus = createServiceStatus(site);
  apiRoutes(app, { tags: ['operations'], permission: 'directory:administer' }).get(
    '/api/admin/status',
    'What runs here, and what waits in queues',
    { schema: { response: { 200: IdentityStatus } } },
    async () => ({ ...(await readStatus()), mails: await readMailQueue(site.database, site.clock) }),
  );
}

export function registerHealthRoutes(app: HttpApp, site: { database: Database; version: string }): void {
  const routes = apiRoutes(app, { tags: ['operations'], permission: 'public' });
  const ask = boundedRead(async () => {
    await site.database.query('SELECT 1');
    return true;
  });
  routes.get('/api/health', 'Health and version', { schema: { response: { 200: Health } } }, async () => {
    const isConnected = (await ask()) === true;
    const { version } = site;
    return isConnected
      ? { status: 'ok' as const, database: 'connected' as const, version }
      : { status: 'degraded' as const, database: 'unreachable' as const, version };
  });
}
