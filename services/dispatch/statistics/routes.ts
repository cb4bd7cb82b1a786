// HTTP of the statistics: GET /api/v1/statistics (docs/reference/statistics.md).
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../shared/actor.ts';
import { Statistics, StatisticsQuery, WAITING_HOURS } from './schema.ts';
import type { StatisticsService } from './service.ts';

export function registerStatisticsRoutes(app: HttpApp, statistics: StatisticsService): void {
  const routes = apiRoutes(app, { tags: ['worklist'], permission: 'worklist:read' });
  routes.get(
    '/statistics',
    'How far the requests of some days came, what waits, and how deliveries and answers went',
    { schema: { querystring: StatisticsQuery, response: { 200: Statistics } } },
    async (request) => {
      const { from, to, asOf, numbers } = await statistics.read(actorOf(request), request.query);
      const limits = [...WAITING_HOURS, null];
      const { steps, exits, waiting, attempts, answers } = numbers;
      return {
        from,
        to,
        as_of: asOf.toISOString(),
        steps,
        exits,
        waiting: waiting.map((count, index) => ({ up_to_hours: limits[index] ?? null, count })),
        attempts: [...attempts],
        answers: [...answers],
      };
    },
  );
}
