// GET /careplans/{guid}/context (contract: dispatch, "Endpoints"; decision D1).
import Type from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { actorOf } from '../shared/actor.ts';
import type { CarePlanService } from './service.ts';

export function registerCarePlanRoutes(app: HttpApp, carePlans: CarePlanService): void {
  app.get(
    '/careplans/:guid/context',
    {
      config: { permission: 'patient-record:read', responseType: 'application/json' },
      schema: {
        tags: ['CarePlan'],
        summary: 'A CarePlan with what it was made from: concepts, transactions, goals and timing',
        params: Type.Object({ guid: Type.String() }),
      },
    },
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
