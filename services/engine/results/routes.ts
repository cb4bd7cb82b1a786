// The route to which dispatch sends the results that providers reported (decision L9, docs/adr/0078).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { Guid } from '../shared/reference-fields.ts';
import { BASE_PATH } from '../shared/routes.ts';
import type { ResultService } from './service.ts';

const BODY_LIMIT_BYTES = 20 * 1024 * 1024;

const Report = Type.Object(
  {
    report_guid: Guid,
    request_guid: Guid,
    provider_guid: Type.String({ minLength: 1, maxLength: 64 }),
    patient_guid: Type.String({ minLength: 1, maxLength: 64 }),
    organisation_guid: Guid,
    resources: Type.Array(
      Type.String({ maxLength: 10 * 1024 * 1024, description: 'A FHIR resource as JSON text, with its id' }),
      {
        minItems: 1,
        maxItems: 501,
      },
    ),
  },
  { additionalProperties: false },
);

export function registerResults(app: HttpApp, results: ResultService): void {
  const routes = apiRoutes(app, { tags: ['provider-tasks'], permission: 'result:store' });
  routes.post(
    `${BASE_PATH}/results`,
    'Store the results that a provider reported to dispatch; a report that is stored already is left as it is',
    {
      config: { errors: ['unprocessable'] },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: { body: Report, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { body } = request;
      const report = {
        reportGuid: body.report_guid,
        requestGuid: body.request_guid,
        providerGuid: body.provider_guid,
        patientGuid: body.patient_guid,
        organisationGuid: body.organisation_guid,
        resources: body.resources,
      };
      await results.store(requirePrincipal(request), report, { address: request.ip, requestId: request.id });
      return reply.code(204).send(null);
    },
  );
}
