// Routes of health, metrics and status (contract: engine, "Monitoring and metadata"; decision E12).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { readAccept, weightOf } from '#lib/http/response/accept.ts';
import { varyBy } from '#lib/http/response/vary.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { Health, MetricsView, SystemStatus } from './schema.ts';
import type { MonitoringService } from './service.ts';

export function registerMonitoring(app: HttpApp, service: MonitoringService): void {
  const routes = apiRoutes(app, { tags: ['monitoring'], permission: 'monitoring:read' });
  routes.get(
    `${BASE_PATH}/health`,
    'Whether the engine and what it needs are well; 503 when requests are not served',
    { config: { permission: 'public' }, schema: { response: { 200: Health, 503: Health } } },
    async (_request, reply) => {
      const health = await service.health();
      if (health.status !== 'down') return health;
      return reply.code(503).header('retry-after', '2').send(health);
    },
  );
  routes.get(
    `${BASE_PATH}/metrics`,
    'Requests, latencies, resources, jobs and caches; Prometheus text with `Accept: text/plain`',
    {
      schema: {
        response: {
          200: {
            content: { 'application/json': { schema: MetricsView }, 'text/plain': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      varyBy(reply, 'Accept');
      if (!wantsText(request.headers.accept)) return service.metrics();
      const { type, text } = await service.text();
      return reply
        .type(type)
        .serializer(String)
        .send(text as never);
    },
  );
  routes.get(
    `${BASE_PATH}/status`,
    'What runs here and what it holds',
    { schema: { response: { 200: SystemStatus } } },
    async () => service.status(),
  );
}

const TEXT = new Set(['text/plain', 'application/openmetrics-text']);
const JSON_TYPE = new Set(['application/json']);

/**
 * Whether `Accept` prefers text or OpenMetrics to JSON: by a higher weight, or by the same weight and an earlier place.
 */
function wantsText(accept = ''): boolean {
  const ranges = readAccept(accept);
  const text = weightOf(ranges, TEXT);
  const json = weightOf(ranges, JSON_TYPE);
  const first = ranges.find(({ name }) => TEXT.has(name) || JSON_TYPE.has(name));
  return text > json || (text === json && text > 0 && first !== undefined && TEXT.has(first.name));
}
