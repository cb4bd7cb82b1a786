// GET /careplans/{guid}/context (contract: dispatch, "Endpoints"; decision D1).
import Type from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../shared/actor.ts';
import type { CarePlanService } from './service.ts';

export function registerCarePlanRoutes(app: HttpApp, carePlans: CarePlanService): void {
  app.get(
    '/careplans/:guid/context',
    {
      config: { permission: 'patient-record:read', answerType: 'application/json' },
      schema: {
        tags: ['CarePlan'],
        summary: 'A CarePlan with what it was made from: concepts, transactions, goals and timing',
        params: Type.Object({ guid: Type.String() }),
      },
    },
    (request) => carePlans.readContext(actorOf(request), request.params.guid),
  );
}
