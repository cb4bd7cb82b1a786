// What the engine asks and tells of patients' reports (docs/adr/0072): to whom one belongs, and what was reported.
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { PlacementService } from './placement-service.ts';
import type { ReportNoticeService } from './report-notice-service.ts';

const PatientIds = Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 250 });
const PlanReference = Type.String({ pattern: '^(?:CarePlan|ServiceRequest)/[A-Za-z0-9\\-.]{1,64}$' });
const PlacementBody = Type.Object(
  {
    patient_ids: PatientIds,
    based_on: Type.Array(PlanReference, {
      maxItems: 100,
      description: 'Plans and requests; none: the Patients themselves',
    }),
  },
  { additionalProperties: false },
);
const NoticeBody = Type.Object(
  {
    notices: Type.Array(
      Type.Object(
        {
          patient_ids: PatientIds,
          organisation_guid: Type.String({ minLength: 1, maxLength: 64, description: 'The owner of the report' }),
          resource_type: Type.Enum(['Observation', 'QuestionnaireResponse']),
          based_on: Type.Array(PlanReference, { maxItems: 100, description: 'Plans and requests, here or not' }),
          is_withdrawn: Type.Optional(Type.Boolean({ description: 'Whether the patient has taken it back' })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { additionalProperties: false },
);
const PlacementView = Type.Object({
  records: Type.Array(Type.Object({ patient_guid: Type.String(), organisation_guid: Type.String() })),
  missing: Type.Array(Type.String({ description: 'What is not there, or is about another patient' })),
});

export function registerPlacementRoutes(
  app: HttpApp,
  { placement, reports }: { readonly placement: PlacementService; readonly reports: ReportNoticeService },
): void {
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
  routes.post(
    '/patient-reports/notices',
    'For the engine: have planners notified of what patients have reported or withdrawn',
    { schema: { body: NoticeBody, response: { 204: Type.Null() } } },
    async ({ body }, reply) => {
      await reports.notice(
        body.notices.map((each) => ({
          patientIds: each.patient_ids,
          organisationGuid: each.organisation_guid,
          resourceType: each.resource_type,
          basedOn: each.based_on,
          isWithdrawn: each.is_withdrawn === true,
        })),
      );
      return reply.code(204).send(null);
    },
  );
}
