// The FHIR resource types of dispatch (contract: dispatch, "Resources and their fields"; decision D1): which
// interactions and searches each has, and the CapabilityStatement.

import { capabilityStatement, type ServedType } from '#fhir/resources/capability-statement.ts';
import type { ResourceType } from '#fhir/resources/types.ts';
import type { FhirSearchOptions, FhirTypeOptions } from '#fhir/rest/options.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { includesOf, revIncludesOf } from '#fhir/search/parse/claimed-includes.ts';
import { isSearchable } from '#fhir/search/parse/parse-special.ts';
import type { RowCondition } from '#fhir/store/search/search-sql.ts';
import { validationError } from '#lib/errors.ts';

/** `patient_guid` takes a guid or `Patient/guid`, as every reference parameter does. */
const BY_PATIENT = new Map([['patient_guid', 'patient']]);

type Served = FhirTypeOptions & { readonly type: ResourceType };

/** All interactions but the create of ServiceRequest, which has its own route, as it creates a draft. */
export const FHIR_TYPES: readonly Served[] = [
  {
    type: 'Patient',
    interactions: ['read', 'vread', 'search-type', 'create', 'update', 'delete', 'history-instance'],
    read: 'patient-record:read',
    write: 'patient-record:write',
    search: { hasPages: true },
  },
  {
    type: 'CarePlan',
    interactions: ['create', 'read', 'vread', 'update', 'search-type', 'history-instance'],
    read: 'patient-record:read',
    write: 'patient-record:write',
    search: { hasPages: true, aliases: BY_PATIENT },
  },
  {
    type: 'Consent',
    interactions: ['create', 'read', 'vread', 'update', 'search-type', 'history-instance'],
    read: 'patient-record:read',
    write: 'consent:write',
    search: { hasPages: true, aliases: BY_PATIENT },
  },
  {
    // Organisations and their `partOf`, by which consents about an organisation are evaluated (D7, docs/adr/0031).
    type: 'Organization',
    interactions: ['create', 'read', 'vread', 'update', 'search-type', 'history-instance'],
    read: 'provider:read',
    write: 'provider:administer',
    search: { hasPages: true },
  },
  {
    type: 'ServiceRequest',
    interactions: ['read', 'search-type'],
    read: 'request:read',
    write: 'request:plan',
    search: {
      hasPages: true,
      aliases: BY_PATIENT,
      ownNames: new Set(['archived']),
      condition: archivedCondition,
    },
  },
  {
    type: 'Questionnaire',
    interactions: ['read', 'search-type'],
    read: 'form:read',
    write: 'request:plan',
    search: { hasPages: true },
  },
  // What patients answer (docs/adr/0072), and what providers reported by the page of their link before results were
  // stored at the engine (docs/adr/0087). It is written there, and read here.
  {
    type: 'QuestionnaireResponse',
    interactions: ['read', 'vread', 'search-type', 'history-instance'],
    read: 'observation:read',
    write: 'request:plan',
    search: { hasPages: true, aliases: BY_PATIENT },
  },
  {
    type: 'Observation',
    interactions: ['read', 'search-type'],
    read: 'observation:read',
    write: 'request:plan',
    search: { hasPages: true, aliases: BY_PATIENT },
  },
  {
    type: 'Provenance',
    interactions: ['read', 'search-type'],
    read: 'patient-record:read',
    write: 'request:plan',
    search: { hasPages: true },
  },
];

/** Leaves out archived requests unless the search names them (D3). @throws ServiceError `validation_error` */
function archivedCondition(given: URLSearchParams): RowCondition {
  const wanted = given.get('archived') ?? 'false';
  if (wanted !== 'true' && wanted !== 'false') {
    throw validationError([{ field: 'archived', message: "archived must be 'true' or 'false'", code: 'value' }]);
  }
  const isArchived = wanted === 'true' ? 'IS NOT NULL' : 'IS NULL';
  return (alias) => `EXISTS (SELECT FROM service_request w WHERE w.id = ${alias}.rid AND w.archived_at ${isArchived})`;
}

const PATHS =
  /^\/api\/v1\/(?:metadata|Patient|CarePlan|Consent|Organization|ServiceRequest(?!\/receipt\/)|QuestionnaireResponse|Questionnaire|Observation|Provenance)(?:\/|$)/;

/**
 * Whether responses and errors of an address have FHIR's form (decision G3): resource paths, paths below them, and
 * /metadata. The receipt path is not one: its caller holds a token and has no FHIR client.
 */
export function isFhirPath(path: string): boolean {
  return PATHS.test(path);
}

/** The CapabilityStatement of /metadata; its version is the contract's. */
export function describeCapabilities(site: { baseUrl: string; parameters: SearchParameters }): object {
  const statement = capabilityStatement({
    title: 'Kedja dispatch',
    softwareVersion: '2.0.0',
    date: '2026-11-21',
    baseUrl: site.baseUrl,
    types: FHIR_TYPES.map((type) => describeType(type, site.parameters)),
    security:
      'Bearer tokens of the identity service, service credentials, and API keys in `X-API-Key`; the receipt paths take the token in their address.',
  });
  const { resourceType, ...rest } = statement;
  return { resourceType, version: '2.0.0', ...rest };
}

/** Parameters that need List or Group, which dispatch does not store. */
const OF_COLLECTIONS = new Set(['_list', '_in']);

function describeType({ type, interactions, search }: Served, parameters: SearchParameters): ServedType {
  const isWritten = interactions.includes('update');
  const served = [...parameters.forType(type).values()].filter(
    (parameter) => isSearchable(parameter) && !OF_COLLECTIONS.has(parameter.code),
  );
  const official = served.map(({ code, type: kind, id }) => ({
    name: code,
    type: kind,
    definition: `http://hl7.org/fhir/SearchParameter/${id}`,
  }));
  return {
    type,
    interactions: type === 'ServiceRequest' ? [...interactions, 'create'] : interactions,
    searchParameters: [...official, ...ownParameters(search)],
    includes: includesOf(type, parameters),
    revIncludes: revIncludesOf(
      type,
      FHIR_TYPES.map((each) => each.type),
      parameters,
    ),
    versioning: isWritten ? 'versioned-update' : 'versioned',
    updateCreate: isWritten,
    conditionalCreate: isWritten,
  };
}

function ownParameters(search: FhirSearchOptions = {}): NonNullable<ServedType['searchParameters']> {
  const number = (name: string, documentation: string) => ({ name, type: 'number' as const, documentation });
  return [
    number('_count', 'Resources per page, at most 1000'),
    number('_offset', 'Resources to leave out before the page begins'),
    number('page', 'The page, from 1'),
    number('per_page', 'Resources per page, 1 to 200'),
    ...(search.aliases === undefined
      ? []
      : [{ name: 'patient_guid', type: 'reference' as const, documentation: 'The patient: a guid or Patient/guid' }]),
    ...(search.condition === undefined
      ? []
      : [{ name: 'archived', type: 'token' as const, documentation: 'true: the archived ones; false: the others' }]),
  ];
}
