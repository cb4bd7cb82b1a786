// The route by which the engine asks whether a provider may write about a ServiceRequest (docs/adr/0078).
import Type from 'typebox';
import { notFound } from '#lib/errors.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { PROVIDER_GUID_PATTERN } from '../../shared/wire.ts';
import { REQUEST_STATUSES } from '../status.ts';
import type { FindReportable } from './reportable.ts';

const Query = Type.Object(
  {
    provider_guid: Type.String({ pattern: PROVIDER_GUID_PATTERN }),
    service_request_id: Type.String({ minLength: 1, maxLength: 64 }),
  },
  { additionalProperties: false },
);

const View = Type.Object({
  request_guid: Type.String(),
  patient_guid: Type.String(),
  organisation_guid: Type.String({ description: 'The organisation that ordered' }),
  provider_name: Type.String(),
  provider_organisation_guid: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum([...REQUEST_STATUSES]),
  may_report: Type.Boolean({ description: 'Whether results would be taken with a status' }),
});

export function registerReportable(app: HttpApp, find: FindReportable): void {
  app.get(
    '/requests/reportable',
    {
      config: { permission: 'request:resolve', errors: ['not_found'] },
      schema: {
        tags: ['provider requests'],
        summary: 'The request by which a ServiceRequest was pushed to a provider, for the engine',
        querystring: Query,
        response: { 200: View },
      },
    },
    async ({ query }) => {
      const found = await find(query.provider_guid, query.service_request_id);
      if (found === undefined) throw notFound('Request');
      return {
        request_guid: found.requestGuid,
        patient_guid: found.patientGuid,
        organisation_guid: found.organisationGuid,
        provider_name: found.providerName,
        provider_organisation_guid: found.providerOrganisationGuid ?? null,
        status: found.status,
        may_report: found.mayReport,
      };
    },
  );
}
