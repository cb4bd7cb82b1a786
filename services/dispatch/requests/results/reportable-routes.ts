// Routes for the engine (docs/adr/0078). It asks whether providers may write about ServiceRequests, once for all that a
// transaction is about. Afterwards it reports what they have written.
import Type, { type Static } from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../../shared/actor.ts';
import { nullable, PROVIDER_GUID_PATTERN } from '../../shared/wire.ts';
import type { ReportService } from '../report-service.ts';
import { Person, RESULT_PATTERN, ReportParams } from '../schema.ts';
import { REQUEST_STATUSES } from '../status.ts';
import type { FindReportable, Reportable } from './reportable.ts';

const Question = Type.Object(
  {
    provider_guids: Type.Array(Type.String({ pattern: PROVIDER_GUID_PATTERN }), { minItems: 1, maxItems: 100 }),
    service_request_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 1000 }),
  },
  { additionalProperties: false },
);

const View = Type.Object(
  {
    service_request_id: Type.String(),
    provider_guid: Type.String(),
    request_guid: Type.String(),
    patient_guid: Type.String(),
    organisation_guid: Type.String({ description: 'The organisation that ordered' }),
    provider_name: Type.String(),
    provider_organisation_guid: nullable(Type.String()),
    status: Type.Enum([...REQUEST_STATUSES]),
    may_report: Type.Boolean({ description: 'Whether results would be taken with a status' }),
  },
  { title: 'ReportableRequest' },
);

const Written = Type.Object(
  {
    results: Type.Array(Type.String({ maxLength: 1024, pattern: RESULT_PATTERN }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Absolute references to the FHIR resources',
    }),
    by: Type.Optional(Person),
  },
  { additionalProperties: false },
);

export function registerReportable(app: HttpApp, find: FindReportable, reports: Pick<ReportService, 'register'>): void {
  app.post(
    '/requests/:request_guid/results',
    {
      config: { permission: 'result:register', errors: ['not_found'] },
      schema: {
        tags: ['provider requests'],
        summary: 'Add the results that a provider wrote at the engine, for the engine; again changes nothing',
        params: ReportParams,
        body: Written,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { results, by } = request.body;
      const person = by && { userGuid: by.user_guid, name: by.name };
      await reports.register(actorOf(request), request.params.request_guid, { results, by: person });
      return reply.code(204).send(null);
    },
  );
  app.post(
    '/requests/reportable',
    {
      config: { permission: 'request:resolve' },
      schema: {
        tags: ['provider requests'],
        summary: 'The requests by which ServiceRequests were pushed to providers, for the engine',
        body: Question,
        response: { 200: Type.Object({ requests: Type.Array(View) }) },
      },
    },
    async ({ body }) => {
      const asked = { providerGuids: body.provider_guids, serviceRequestIds: body.service_request_ids };
      return { requests: (await find(asked)).map(toView) };
    },
  );
}

function toView(found: Reportable): Static<typeof View> {
  return {
    service_request_id: found.serviceRequestId,
    provider_guid: found.providerGuid,
    request_guid: found.requestGuid,
    patient_guid: found.patientGuid,
    organisation_guid: found.organisationGuid,
    provider_name: found.providerName,
    provider_organisation_guid: found.providerOrganisationGuid ?? null,
    status: found.status,
    may_report: found.mayReport,
  };
}
