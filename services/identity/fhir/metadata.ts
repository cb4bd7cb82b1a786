// GET /fhir/metadata: the CapabilityStatement, generated from the list that also creates the routes (contract:
// identity, Health and capability).
import type { FastifyInstance } from 'fastify';
import { capabilityStatement } from '#fhir/resources/capability-statement.ts';
import { sendFormatted } from '#fhir/rest/http/http-call.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';

import { servedTypes } from './served.ts';

/** When the served types or parameters last changed. */
const CHANGED = '2026-11-21';

const SECURITY = 'A Bearer token of this service. Creating needs an SU admin; a patient reads their own Patient alone.';

export interface MetadataSite {
  readonly baseUrl: string;
  readonly version: string;
  readonly parameters: SearchParameters;
}

export function registerMetadata(scope: FastifyInstance, site: MetadataSite): void {
  const routes = apiRoutes(scope, { tags: ['fhir'], permission: 'public' });
  const statement = JSON.stringify(buildStatement(site));
  routes.get(
    '/metadata',
    'The CapabilityStatement: what is served, and how',
    { config: { caching: 'public' }, schema: {} },
    async (request, reply) => sendFormatted(request, reply, statement),
  );
}

function buildStatement(site: MetadataSite): object {
  const { baseUrl, version, parameters } = site;
  const { resourceType, ...rest } = capabilityStatement({
    title: 'Kedja identity',
    softwareVersion: version,
    date: CHANGED,
    baseUrl,
    types: servedTypes(parameters),
    security: SECURITY,
  });
  const own = {
    id: 'kedja-identity',
    url: `${baseUrl}/metadata`,
    version,
    name: 'KedjaIdentity',
    title: 'Kedja identity',
  };
  return { resourceType, ...own, ...rest };
}
