// `GET /metadata`, and `?mode=terminology` (contract: engine, "CapabilityStatement"): generated from the list of types
// by which the routes are registered.
import type { FastifyRequest } from 'fastify';
import type { CapabilityStatement } from 'fhir/r5.js';
import {
  capabilityStatement,
  type ServedOperation,
  type ServedSearchParameter,
  type ServedType,
} from '#fhir/resources/capability-statement.ts';
import type { ResourceType } from '#fhir/resources/types.ts';
import { queryOf } from '#fhir/rest/http/content.ts';
import { type StatementText, sendStatement, statementText } from '#fhir/rest/http/statement.ts';
import type { FhirTypeOptions } from '#fhir/rest/options.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { includesOf, revIncludesOf } from '#fhir/search/parse/claimed-includes.ts';
import { isSearchable } from '#fhir/search/parse/parse-special.ts';
import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import type { TerminologyOperation } from '#fhir/terminology/operations/service.ts';
import { validationError } from '#lib/errors.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { terminologyCapabilities } from './terminology-capabilities.ts';

export interface MetadataOptions {
  readonly baseUrl: string;
  readonly version: string;
  /** When this process started, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly types: readonly FhirTypeOptions[];
  readonly parameters: SearchParameters;
  readonly terminology: readonly TerminologyOperation[];
  readonly catalog: Catalog;
}

const SECURITY =
  'A Bearer token of the identity service, or an API key in `X-API-Key` whose SMART v2 scopes allow the interaction.';

const VALIDATE = { name: 'validate', definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate' };

const EVERYTHING = { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' };

const SNAPSHOT = {
  name: 'snapshot',
  definition: 'http://hl7.org/fhir/OperationDefinition/StructureDefinition-snapshot',
};

/** Operations of every type that can be read and written. */
const META = ['meta', 'meta-add', 'meta-delete'].map((name) => ({
  name,
  definition: `http://hl7.org/fhir/OperationDefinition/Resource-${name}`,
}));

/** The status of a user's search parameter (docs/reference/engine/search/custom-parameters.md). */
const STATUS = { name: 'status', definition: 'https://kedja.dev/fhir/OperationDefinition/SearchParameter-status' };

const VERSIONS_OPERATION = {
  name: 'versions',
  definition: 'http://hl7.org/fhir/OperationDefinition/CapabilityStatement-versions',
};

const CLOSURE = { name: 'closure', definition: 'http://hl7.org/fhir/OperationDefinition/ConceptMap-closure' };

const BULK = 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition';
const EXPORT = { name: 'export', definition: `${BULK}/export` };
const IMPORT = { name: 'import', definition: 'https://kedja.dev/fhir/OperationDefinition/import' };

/** Operations of single types, beside those of every type. */
const OPERATIONS: Readonly<Record<string, readonly ServedOperation[]>> = {
  Group: [{ name: 'export', definition: `${BULK}/group-export` }],
  Patient: [EVERYTHING, { name: 'export', definition: `${BULK}/patient-export` }],
  SearchParameter: [STATUS],
  StructureDefinition: [SNAPSHOT],
};

/** Documentation of single types. */
const DOCUMENTATION: Readonly<Record<string, string>> = {
  AuditEvent:
    'Append-only. Events of other systems are taken; those of Kedja itself are written by its services alone.',
  Binary:
    'Bytes of any type are taken, and answered unless FHIR is asked for. Who sees the resource of the securityContext sees the Binary.',
  Subscription: 'Stored and found, but not carried out: only with the status off or entered-in-error.',
};

/** A condition must match one resource. Several matches are refused, also for a deletion. */
const CONDITIONAL = {
  conditionalCreate: true,
  conditionalUpdate: true,
  conditionalPatch: true,
  conditionalDelete: 'single',
  updateCreate: true,
} as const;

export function registerMetadata(app: HttpApp, options: MetadataOptions): void {
  let made: { readonly version: number; readonly statement: StatementText } | undefined;
  const capabilities = terminologyCapabilities(options);
  registerVersions(app);
  app.get(
    `${BASE_PATH}/metadata`,
    {
      config: { permission: 'public', caching: 'public' },
      schema: { tags: ['fhir'], summary: 'The CapabilityStatement: what is served, and how' },
    },
    async (request, reply) => {
      if (modeOf(request) === 'terminology') return sendStatement(request, reply, capabilities());
      // Generated for each request, because users define search parameters while the engine runs.
      const { version } = options.parameters;
      if (made?.version !== version) made = { version, statement: statementText(buildStatement(options)) };
      return sendStatement(request, reply, made.statement);
    },
  );
}

/** hl7.org/fhir/R5/http.html#capabilities. All that is normative is in the full statement. */
const MODES = ['full', 'normative', 'terminology'];

/** @throws ServiceError `validation_error` for a mode that FHIR does not have */
function modeOf(request: FastifyRequest): string {
  const mode = queryOf(request).get('mode') || 'full';
  if (MODES.includes(mode)) return mode;
  throw validationError([{ field: 'mode', message: `mode must be one of ${MODES.join(', ')}`, code: 'value' }]);
}

/** The versions of FHIR that are served (hl7.org/fhir/R5/capabilitystatement-operation-versions.html). */
const VERSIONS = statementText({
  resourceType: 'Parameters',
  parameter: [
    { name: 'version', valueString: '5.0' },
    { name: 'default', valueString: '5.0' },
  ],
});

function registerVersions(app: HttpApp): void {
  app.get(
    `${BASE_PATH}/$versions`,
    {
      config: { permission: 'public', caching: 'public' },
      schema: { tags: ['fhir'], summary: 'The versions of FHIR that are served' },
    },
    (request, reply) => sendStatement(request, reply, VERSIONS),
  );
}

/** What clients of terminology servers look for (build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig). */
const FEATURE = 'http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature';
const FEATURES = [
  {
    url: FEATURE,
    extension: [
      {
        url: 'definition',
        valueCanonical: 'http://hl7.org/fhir/uv/tx-ecosystem/FeatureDefinition/CodeSystemAsParameter',
      },
      { url: 'value', valueBoolean: true },
    ],
  },
];
const INSTANTIATES = ['http://hl7.org/fhir/CapabilityStatement/terminology-server'];

function buildStatement(options: MetadataOptions): CapabilityStatement {
  const { baseUrl, version, parameters } = options;
  const { resourceType, ...rest } = capabilityStatement({
    title: 'Kedja engine',
    softwareVersion: version,
    date: new Date(options.startedAt).toISOString(),
    baseUrl,
    types: options.types.flatMap((type) => servedType(type, options)),
    systemInteractions: ['transaction', 'batch', 'history-system', 'search-system'],
    operations: [VALIDATE, EXPORT, IMPORT, CLOSURE, VERSIONS_OPERATION],
    commonParameters: searchParametersOf('Basic', parameters).filter(({ name }) => name.startsWith('_')),
    security: SECURITY,
  });
  const own = { id: 'kedja-engine', url: `${baseUrl}/metadata`, version, name: 'KedjaEngine', title: 'Kedja engine' };
  return { resourceType, extension: FEATURES, ...own, instantiates: INSTANTIATES, ...rest };
}

function servedType(
  { type, interactions, hasConditional = false }: FhirTypeOptions,
  { parameters, terminology }: MetadataOptions,
): ServedType[] {
  if (!isResourceType(type, parameters)) return [];
  return [
    {
      type,
      interactions,
      searchParameters: searchParametersOf(type, parameters),
      includes: includesOf(type, parameters),
      revIncludes: revIncludesOf(type, parameters.resourceTypes, parameters),
      operations: [
        VALIDATE,
        ...(interactions.includes('patch') ? META : []),
        ...(OPERATIONS[type] ?? []),
        ...operationsOf(type, terminology),
      ],
      versioning: 'versioned-update',
      conditionalRead: 'full-support',
      ...(hasConditional ? CONDITIONAL : { conditionalCreate: interactions.includes('create') }),
      ...(DOCUMENTATION[type] === undefined ? {} : { documentation: DOCUMENTATION[type] }),
    },
  ];
}

function operationsOf(type: string, terminology: readonly TerminologyOperation[]): ServedOperation[] {
  return terminology.filter((each) => each.type === type).map(({ name, definition }) => ({ name, definition }));
}

function searchParametersOf(type: string, parameters: SearchParameters): ServedSearchParameter[] {
  return [...parameters.forType(type).values()].filter(isSearchable).map(({ code, type: searchType, url }) => ({
    name: code,
    type: searchType,
    definition: url,
  }));
}

function isResourceType(type: string, parameters: SearchParameters): type is ResourceType {
  return parameters.resourceTypes.has(type);
}
