// The CapabilityStatement at `/metadata`, built from a description of what a service serves (decision E1;
// hl7.org/fhir/R5/capabilitystatement.html). The routes are registered from the same description, so the statement
// claims nothing more.
import type { CapabilityStatement, CapabilityStatementRest, CapabilityStatementRestResource } from 'fhir/r5.js';
import type { ResourceType } from './types.ts';

export type TypeInteraction =
  | 'read'
  | 'vread'
  | 'update'
  | 'patch'
  | 'delete'
  | 'history-instance'
  | 'history-type'
  | 'create'
  | 'search-type';

export interface ServedSearchParameter {
  readonly name: string;
  readonly type: 'number' | 'date' | 'string' | 'token' | 'reference' | 'composite' | 'quantity' | 'uri' | 'special';
  /** Canonical URL of the SearchParameter. */
  readonly definition?: string;
  readonly documentation?: string;
}

export interface ServedOperation {
  /** Without the `$`. */
  readonly name: string;
  readonly definition: string;
}

export interface ServedType {
  readonly type: ResourceType;
  /** Further documentation for clients. */
  readonly documentation?: string;
  readonly interactions: readonly TypeInteraction[];
  readonly searchParameters?: readonly ServedSearchParameter[];
  readonly operations?: readonly ServedOperation[];
  readonly includes?: readonly string[];
  readonly revIncludes?: readonly string[];
  readonly supportedProfiles?: readonly string[];
  /**
   * Whether these are supported: conditional create, update, patch, delete; update as create; versions and If-Match.
   */
  readonly conditionalCreate?: boolean;
  readonly conditionalUpdate?: boolean;
  readonly conditionalPatch?: boolean;
  readonly conditionalDelete?: 'not-supported' | 'single' | 'multiple';
  readonly updateCreate?: boolean;
  readonly versioning?: 'no-version' | 'versioned' | 'versioned-update';
  /** Whether reads obey If-Modified-Since and If-None-Match. */
  readonly conditionalRead?: 'not-supported' | 'modified-since' | 'not-match' | 'full-support';
}

export interface ServedFhir {
  /** Title of the service: `Kedja engine`. */
  readonly title: string;
  readonly softwareVersion: string;
  /** When its capabilities last changed, as a dateTime. */
  readonly date: string;
  readonly baseUrl: string;
  readonly types: readonly ServedType[];
  readonly systemInteractions?: readonly ('transaction' | 'batch' | 'search-system' | 'history-system')[];
  readonly operations?: readonly ServedOperation[];
  /** Search parameters of every type: `_id`, `_lastUpdated`. */
  readonly commonParameters?: readonly ServedSearchParameter[];
  /** How callers are authenticated, in Markdown. */
  readonly security: string;
}

/** The statement of one running service, with types in alphabetical order. */
export function capabilityStatement(served: ServedFhir): CapabilityStatement {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: served.date,
    kind: 'instance',
    software: { name: 'Kedja', version: served.softwareVersion },
    implementation: { description: served.title, url: served.baseUrl },
    fhirVersion: '5.0.0',
    format: ['application/fhir+json', 'application/json'],
    ...dropEmpty({ patchFormat: patchFormats(served), rest: [restOf(served)] }),
  };
}

/** The patch formats: both JSON Patch and FHIRPath Patch where any type has patch. */
function patchFormats(served: ServedFhir): string[] {
  const hasPatch = served.types.some(({ interactions }) => interactions.includes('patch'));
  return hasPatch ? ['application/json-patch+json', 'application/fhir+json'] : [];
}

function restOf(served: ServedFhir): CapabilityStatementRest {
  const types = [...served.types].sort((a, b) => (a.type < b.type ? -1 : 1));
  return {
    mode: 'server',
    // Terminology ecosystems read who may call from here.
    security: { cors: false, service: [{ text: 'Bearer token' }], description: served.security },
    ...dropEmpty({
      resource: types.map(resourceOf),
      interaction: (served.systemInteractions ?? []).map((code) => ({ code })),
      searchParam: (served.commonParameters ?? []).map(parameterOf),
      operation: (served.operations ?? []).map(({ name, definition }) => ({ name, definition })),
    }),
  };
}

function resourceOf(served: ServedType): CapabilityStatementRestResource {
  const { conditionalCreate, conditionalUpdate, conditionalPatch, conditionalDelete, updateCreate, versioning } =
    served;
  const { conditionalRead, interactions } = served;
  return {
    type: served.type,
    ...(served.documentation === undefined ? {} : { documentation: served.documentation }),
    ...(versioning === undefined ? {} : { versioning }),
    ...(interactions.includes('vread') ? { readHistory: true } : {}),
    ...(conditionalRead === undefined ? {} : { conditionalRead }),
    ...(updateCreate === undefined ? {} : { updateCreate }),
    ...(conditionalCreate === undefined ? {} : { conditionalCreate }),
    ...(conditionalUpdate === undefined ? {} : { conditionalUpdate }),
    ...(conditionalPatch === undefined ? {} : { conditionalPatch }),
    ...(conditionalDelete === undefined ? {} : { conditionalDelete }),
    ...dropEmpty({
      supportedProfile: [...(served.supportedProfiles ?? [])],
      interaction: interactions.map((code) => ({ code })),
      searchInclude: [...(served.includes ?? [])],
      searchRevInclude: [...(served.revIncludes ?? [])],
      searchParam: (served.searchParameters ?? []).map(parameterOf),
      operation: (served.operations ?? []).map(({ name, definition }) => ({ name, definition })),
    }),
  };
}

function parameterOf(parameter: ServedSearchParameter): ServedSearchParameter {
  const { name, type, definition, documentation } = parameter;
  return {
    name,
    type,
    ...(definition === undefined ? {} : { definition }),
    ...(documentation === undefined ? {} : { documentation }),
  };
}

/** Removes members that hold an empty array: FHIR has none. */
function dropEmpty<T extends Readonly<Record<string, readonly unknown[]>>>(members: T): Partial<T> {
  const kept: { -readonly [K in keyof T]?: T[K] } = {};
  for (const name in members) if (members[name]?.length !== 0) kept[name] = members[name];
  return kept;
}
