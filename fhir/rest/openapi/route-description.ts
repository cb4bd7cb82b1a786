// What a FHIR route is in /openapi.json, by its method and address (hl7.org/fhir/R5/http.html). It has the name of the
// operation, its search parameters, and the types of its body and its response.
import type { OpenApiReferences } from '#lib/http/openapi/components.ts';

/** `/Patient`, `/Patient/:id`, `/Patient/_search`, `/Patient/:id/_history/:version` … */
const TYPE_ADDRESS = /^\/([A-Z][A-Za-z]+)(\/.*)?$/;
const COMPARTMENT_ADDRESS = /^\/([A-Z][A-Za-z]+)\/:id\/:type(\/_search)?$/;
const OPERATION_ADDRESS = /^(?:\/([A-Z][A-Za-z]+))?(\/:id)?\/\$([\w-]+)$/;

/** `url` is below the base of FHIR; `searchNames` lists the parameters of a type by their names as components. */
export function describeRoute(
  method: string,
  url: string,
  searchNames: (type: string) => readonly string[],
): OpenApiReferences {
  const operation = OPERATION_ADDRESS.exec(url);
  if (operation !== null) return describeOperation(method, operation);
  const compartment = COMPARTMENT_ADDRESS.exec(url);
  if (compartment !== null) {
    const [, type = '', form] = compartment;
    const id = `search${type}Compartment`;
    return form === undefined
      ? { operationId: id, parameters: () => searchNames('Resource'), response: SEARCH }
      : { operationId: `${id}ByPost`, body: 'SearchForm', response: SEARCH };
  }
  const [, type, rest = ''] = TYPE_ADDRESS.exec(url) ?? [];
  return type === undefined ? describeSystem(method, url, searchNames) : describeType(method, type, rest, searchNames);
}

function describeSystem(
  method: string,
  url: string,
  searchNames: (type: string) => readonly string[],
): OpenApiReferences {
  switch (`${method} ${url}`) {
    case 'GET /':
    case 'GET ':
      return { operationId: 'searchSystem', parameters: () => searchNames('Resource'), response: SEARCH };
    case 'POST /_search':
      return { operationId: 'searchSystemByPost', body: 'SearchForm', response: SEARCH };
    case 'GET /_history':
      return { operationId: 'historySystem', parameters: () => HISTORY, response: 'Bundle' };
    case 'POST ':
      return { operationId: 'batchOrTransaction', body: 'Bundle', response: 'Bundle' };
    case 'POST /':
      return { operationId: 'batchOrTransactionWithSlash', body: 'Bundle', response: 'Bundle' };
    default:
      return {};
  }
}

/** A Bundle, or how the search was carried out (`_explain`). */
const SEARCH = 'SearchResult';

/** The response to a write: the resource, or the OperationOutcome that `Prefer` asks for. */
function written(type: string): string {
  return `${type}.written`;
}

/** Parameters of histories. */
const HISTORY = ['_count', '_since', '_at'];

function describeType(
  method: string,
  type: string,
  rest: string,
  searchNames: (type: string) => readonly string[],
): OpenApiReferences {
  switch (`${method} ${rest}`) {
    case 'GET ':
      return { operationId: `search${type}`, parameters: () => searchNames(type), response: SEARCH };
    case 'POST /_search':
      return { operationId: `search${type}ByPost`, body: 'SearchForm', response: SEARCH };
    case 'POST ':
      return {
        operationId: `create${type}`,
        parameters: () => ['If-None-Exist', 'Prefer'],
        body: type,
        response: written(type),
      };
    case 'GET /:id':
      return { operationId: `read${type}`, parameters: () => ['_summary', '_elements'], response: type };
    case 'GET /:id/_history/:version':
      return { operationId: `vread${type}`, response: type };
    case 'GET /:id/_history':
      return { operationId: `history${type}Instance`, parameters: () => HISTORY, response: 'Bundle' };
    case 'GET /_history':
      return { operationId: `history${type}`, parameters: () => HISTORY, response: 'Bundle' };
    case 'PUT /:id':
      return {
        operationId: `update${type}`,
        parameters: () => ['If-Match', 'Prefer'],
        body: type,
        response: written(type),
      };
    case 'PUT ':
      return conditional(`update${type}ByCondition`, { body: type, response: written(type) }, () => searchNames(type));
    case 'PATCH /:id':
      return {
        operationId: `patch${type}`,
        parameters: () => ['If-Match', 'Prefer'],
        body: 'Patch',
        response: written(type),
      };
    case 'PATCH ':
      return conditional(`patch${type}ByCondition`, { body: 'Patch', response: written(type) }, () =>
        searchNames(type),
      );
    case 'DELETE /:id':
      return { operationId: `delete${type}`, parameters: () => ['If-Match'] };
    case 'DELETE ':
      return conditional(`delete${type}ByCondition`, {}, () => searchNames(type));
    default:
      return {};
  }
}

function conditional(
  operationId: string,
  shapes: { readonly body?: string; readonly response?: string },
  parameters: () => readonly string[],
): OpenApiReferences {
  return { operationId, parameters, ...shapes };
}

/** `POST /Patient/:id/$meta-add` is `metaAddPatientInstance`. By GET its parameters are in the query. */
function describeOperation(method: string, match: RegExpExecArray): OpenApiReferences {
  const [, type = '', id, name = ''] = match;
  const level = `${type}${id === undefined ? '' : 'Instance'}` || 'System';
  const named = `${name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}${level}`;
  if (method === 'GET') return { operationId: named };
  return { operationId: `${named}ByPost`, body: BUNDLE_OPERATIONS.has(name) ? 'Bundle' : 'Operation' };
}

const BUNDLE_OPERATIONS = new Set(['batch', 'transaction']);
