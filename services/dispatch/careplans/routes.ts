// GET /careplans/{guid}/context (contract: dispatch, "Endpoints"; decision D1).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { actorOf } from '../shared/actor.ts';
import type { CarePlanService } from './service.ts';

export function registerCarePlanRoutes(app: HttpApp, carePlans: CarePlanService): void {
  const routes = apiRoutes(app, { tags: ['CarePlan'], permission: 'patient-record:read' });
  routes.get(
    '/careplans/:guid/context',
    'A CarePlan with what it was made from: concepts, transactions, goals and timing',
    { config: { responseType: 'application/json' }, schema: { params: Type.Object({ guid: Type.String() }) } },
    async (request, reply) => {
      const { guid } = request.params;
      const { carePlan, snapshot } = await carePlans.readContext(actorOf(request), guid);
      const head = [`{"careplan_guid":${JSON.stringify(guid)},"careplan":`, carePlan, ',"snapshot":'];
      if (snapshot === undefined) return sendJsonTexts(reply, [...head, 'null}']);
      // The other members of the resolved plan follow in the same JSON object.
      const rest = snapshot.resolved.slice(1);
      return sendJsonTexts(reply, [...head, '{"plan_definition":', snapshot.planDefinition, ',', rest, '}']);
    },
  );
}
