// What FHIR routes refer to in /openapi.json: schemas of resources, search parameters, bodies and responses.
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { componentRef, type OpenApiComponents } from '#lib/http/openapi/components.ts';
import { resourceSchemas, schemaAt } from './resource-schemas.ts';
import { findParameter, parameterComponents } from './search-parameters.ts';

const FHIR_TYPES = ['application/fhir+json', 'application/json'];

/** The components for routes of these types. */
export function fhirComponents(types: readonly string[], parameters: SearchParameters): OpenApiComponents {
  const named = [...new Set([...types, 'Bundle', 'Parameters', 'OperationOutcome'])];
  const known = new Set(named);
  return {
    all: function* () {
      yield* resourceSchemas(named, r5Definitions());
      yield* parameterComponents(types, parameters);
      for (const name of [...Object.keys(BODIES), ...named]) yield ['requestBodies', name, bodyOf(name)];
      yield ['responses', 'SearchResult', responseOf('SearchResult')];
      for (const name of named) {
        yield ['responses', name, responseOf(name)];
        yield ['responses', `${name}.written`, responseOf(`${name}.written`)];
      }
    },
    find: (kind, name) => {
      switch (kind) {
        case 'schemas':
          return schemaAt(name, r5Definitions());
        case 'parameters':
          return findParameter(name, types, parameters);
        case 'requestBodies':
          return Object.hasOwn(BODIES, name) || known.has(name) ? bodyOf(name) : undefined;
        case 'responses':
          return name === 'SearchResult' || known.has(name.replace(WRITTEN, '')) ? responseOf(name) : undefined;
        case 'headers':
          return undefined;
        default:
          return kind satisfies never;
      }
    },
  };
}

function bodyOf(name: string): object {
  return BODIES[name] ?? { required: true, content: fhirContent(componentRef('schemas', name)) };
}

const WRITTEN = /\.written$/;

/** What a response of ./route-description.ts holds. */
function responseOf(name: string): object {
  if (name === 'SearchResult') return oneOf('What was found', ['Bundle', 'Parameters']);
  if (!WRITTEN.test(name)) return oneOf(`A ${name}`, [name]);
  return oneOf('The resource, or the outcome', [name.replace(WRITTEN, ''), 'OperationOutcome']);
}

function oneOf(description: string, types: readonly string[]): object {
  const schemas = types.map((type) => componentRef('schemas', type));
  const [only] = schemas;
  return { description, content: fhirContent(only !== undefined && schemas.length === 1 ? only : { anyOf: schemas }) };
}

function fhirContent(schema: object): Readonly<Record<string, { readonly schema: object }>> {
  return Object.fromEntries(FHIR_TYPES.map((type) => [type, { schema }]));
}

const FORM = 'application/x-www-form-urlencoded';
const SEARCH_FORM = {
  type: 'object',
  additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  description: 'The parameters of the search by GET',
};

const PATCHES = {
  'application/json-patch+json': {
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['op', 'path'],
        properties: {
          op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
          path: { type: 'string' },
          from: { type: 'string' },
          value: {},
        },
      },
      description: 'JSON Patch (RFC 6902)',
    },
  },
  ...fhirContent({ ...componentRef('schemas', 'Parameters'), description: 'FHIRPath Patch' }),
};

const BODIES: Readonly<Record<string, object>> = {
  Operation: { required: false, content: fhirContent(componentRef('schemas', 'Resource')) },
  SearchForm: { required: false, content: { [FORM]: { schema: SEARCH_FORM } } },
  Patch: { required: true, content: PATCHES },
};
