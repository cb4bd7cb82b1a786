// The route that publishes a plan (decision E7). Clients read the published plan at /PlanDefinition.
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { BASE_PATH, created } from '../shared/routes.ts';
import { PlanInput, PublishedPlan } from './schema.ts';
import type { PlanService } from './service.ts';

export function registerPlans(app: HttpApp, service: PlanService): void {
  const routes = apiRoutes(app, { tags: ['library'] });
  routes.post(
    `${BASE_PATH}/plan-definitions`,
    'Publish activities and goals as a PlanDefinition',
    {
      config: { permission: 'definition:write', idempotent: true },
      ...checkedOnSchemaError(service.issuesOf),
      schema: { body: PlanInput, response: { 201: PublishedPlan } },
    },
    async (request, reply) => {
      const plan = await service.publish(request.body, requirePrincipal(request));
      return created(reply, `/PlanDefinition/${plan.plan_definition_id}`, plan);
    },
  );
}
