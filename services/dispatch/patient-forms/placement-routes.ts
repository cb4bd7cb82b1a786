// The engine's question to whom a patient's report belongs (docs/adr/0072).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { PlacementService } from './placement-service.ts';

const PlacementBody = Type.Object(
  {
    patient_ids: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 250 }),
    based_on: Type.Array(Type.String({ pattern: '^(?:CarePlan|ServiceRequest)/[A-Za-z0-9\\-.]{1,64}$' }), {
      maxItems: 100,
      description: 'Plans and requests; none: the Patients themselves',
    }),
  },
  { additionalProperties: false },
);
const PlacementView = Type.Object({
  records: Type.Array(Type.Object({ patient_guid: Type.String(), organisation_guid: Type.String() })),
  missing: Type.Array(Type.String({ description: 'What is not there, or is about another patient' })),
});

export function registerPlacementRoute(app: HttpApp, placement: PlacementService): void {
  const routes = apiRoutes(app, { tags: ['Patient forms'], permission: 'patient-report:place' });
  routes.post(
    '/patient-reports/place',
    'For the engine: to which organisations the plans, requests and records of a patient belong',
    { schema: { body: PlacementBody, response: { 200: PlacementView } } },
    async ({ body }) => {
      const { records, missing } = await placement.place(body.patient_ids, body.based_on);
      const shown = records.map((each) => ({
        patient_guid: each.patientGuid,
        organisation_guid: each.organisationGuid,
      }));
      return { records: shown, missing: [...missing] };
    },
  );
}
