// The entries of a batch or transaction, read and judged by their form: every fault of every entry is named
// (hl7.org/fhir/R5/http.html#transaction, bundle.html).
import { type Fault, messageOf, ServiceError } from '#lib/errors.ts';
import { isJsonObject, type JsonObject } from '#lib/fhir/patch/json-tree.ts';
import { entryResourceTexts, type ResourceText, readResourceText } from '#lib/fhir/resource-text.ts';
import type { Compartment } from '#lib/fhir/search/query.ts';
import { COMPARTMENTS, requireInCompartment } from '../compartments.ts';
import { readQuery, requireType } from '../content.ts';
import type { RouteContext } from '../context.ts';
import type { Conditions } from '../interactions/call.ts';
import type { FhirTypeOptions, Interaction } from '../options.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface BundleRequest {
  /** From 0. */
  readonly index: number;
  readonly method: Method;
  readonly interaction: Interaction;
  readonly type: FhirTypeOptions;
  /** Undefined for a create, a search, a type's history and conditional interactions. */
  readonly id: string | undefined;
  readonly version: string | undefined;
  readonly query: URLSearchParams;
  /** Only what lies in it is searched. */
  readonly compartment?: Compartment;
  readonly conditions: Conditions;
  readonly fullUrl: string | undefined;
  /** The id was found by the condition of the entry: the resource itself may have none. */
  readonly isIdResolved?: boolean;
  /** What is written, or the patch. */
  readonly source: ResourceText | undefined;
}

/** Entries in one bundle (decision E4). */
const MAX_ENTRIES = 5000;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Reads all entries of a batch or transaction: the request of each, or why it is none.
 * @throws ServiceError `invalid_request` when there are no entries to read
 */
export function readEntries(bundle: ResourceText, context: RouteContext): (BundleRequest | ServiceError)[] {
  const given: unknown = bundle.resource['entry'] ?? [];
  if (!Array.isArray(given)) throw unreadable([{ message: 'Bundle.entry must be a list', field: 'Bundle.entry' }]);
  if (given.length > MAX_ENTRIES) {
    throw unreadable([
      {
        message: `A bundle has at most ${MAX_ENTRIES} entries; this has ${given.length}`,
        field: 'Bundle.entry',
        issue: 'too-costly',
      },
    ]);
  }
  const texts = entryResourceTexts(bundle);
  return given.map((entry: unknown, index) => {
    try {
      return readRequest({ entry, index, text: texts[index] }, context);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  });
}

/** The requests, when every entry is one. @throws ServiceError `invalid_request` naming every other entry */
export function requireAll(entries: readonly (BundleRequest | ServiceError)[]): BundleRequest[] {
  const faults: Fault[] = [];
  const requests = entries.flatMap((entry, index) => {
    if (!(entry instanceof ServiceError)) return [entry];
    const field = `Bundle.entry[${index}]`;
    faults.push({
      message: `Entry ${index + 1}: ${entry.message}`,
      field,
      issue: entry.faults[0]?.issue ?? 'structure',
    });
    return [];
  });
  if (faults.length > 0) throw unreadable(faults);
  return requests;
}

interface GivenEntry {
  readonly entry: unknown;
  readonly index: number;
  readonly text: string | undefined;
}

/** @throws ServiceError `invalid_request`; `not_found` for an address that is none */
function readRequest({ entry, index, text }: GivenEntry, context: RouteContext): BundleRequest {
  const request = isJsonObject(entry) ? entry['request'] : undefined;
  if (!isJsonObject(entry) || !isJsonObject(request)) throw invalid('request is missing');
  const { method, url } = request;
  if (typeof method !== 'string' || !isMethod(method))
    throw invalid(`request.method must be one of ${[...METHODS].join(', ')}`);
  if (typeof url !== 'string') throw invalid('request.url is missing');
  const target = readTarget(method, url, context);
  const { fullUrl } = entry;
  if (fullUrl !== undefined && typeof fullUrl !== 'string') throw invalid('fullUrl must be a text');
  if (WITH_BODY.has(method) !== (text !== undefined))
    throw invalid(text === undefined ? `${method} needs a resource` : `${method} takes no resource`);
  const source = text === undefined ? undefined : readSource(text);
  if (source !== undefined && method !== 'PATCH') requireType(source, target.type.type);
  return { ...target, index, method, fullUrl, source, conditions: conditionsOf(request) };
}

function readSource(text: string): ResourceText {
  // The bundle is JSON without members given twice, and so are its parts.
  if (!text.startsWith('{')) throw invalid('resource must be a JSON object');
  return readResourceText(text);
}

function isMethod(method: string): method is Method {
  return METHODS.has(method);
}

type Target = Pick<BundleRequest, 'type' | 'interaction' | 'id' | 'version' | 'query' | 'compartment'>;

/** What a method and a url mean, relative to the base or below it. @throws ServiceError `not_found`, `invalid_request` */
function readTarget(method: Method, url: string, context: RouteContext): Target {
  const { options } = context;
  const below = url.startsWith(`${options.baseUrl}/`) ? url.slice(options.baseUrl.length + 1) : url.replace(/^\//, '');
  const [path = '', ...queries] = below.split('?');
  const query = readQuery(queries.join('?'));
  const segments = path.split('/');
  const operation = segments.find((segment) => segment.startsWith('$'));
  if (operation !== undefined)
    throw unknown(`request.url "${url}": entries cannot call operations on this server; call ${operation} by itself`);
  const [typeName = '', ...rest] = segments;
  const type = options.types.find((each) => each.type === typeName);
  if (type === undefined) throw unknown(`request.url "${url}" names no resource type that is served here`);
  const within = compartmentOf(method, typeName, rest);
  if (within !== undefined) {
    const searched = requireInCompartment(typeName, rest[1] ?? '', context);
    return {
      type: searched,
      query,
      interaction: 'search-type',
      id: undefined,
      version: undefined,
      compartment: within,
    };
  }
  const place = placeOf(method, rest);
  if (place === undefined) throw unknown(`request.url "${url}" is no address for ${method}`);
  if (!type.interactions.includes(place.interaction))
    throw notAllowed(`${typeName} does not support ${place.interaction}`);
  const isConditional = place.id === undefined && ['update', 'patch', 'delete'].includes(place.interaction);
  if (isConditional && type.hasConditional !== true) throw invalid(`${method} needs an id in request.url`);
  if (isConditional && query.size === 0)
    throw invalid('A conditional interaction needs search parameters that name the resource');
  return { type, query, ...place };
}

/** `Patient/1/Observation`. */
function compartmentOf(method: Method, type: string, [id = '', name = '', ...more]: string[]): Compartment | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (!COMPARTMENTS.has(type) || id === '' || !/^[A-Z]/.test(name) || more.length > 0) return undefined;
  return { type, id };
}

function placeOf(
  method: Method,
  [id, history, version, ...more]: string[],
): Pick<Target, 'interaction' | 'id' | 'version'> | undefined {
  if (more.length > 0 || id === '' || history === '' || version === '') return undefined;
  const interaction = interactionOf(method, { id, history, version });
  if (interaction === undefined) return undefined;
  return { interaction, id: interaction === 'history-type' ? undefined : id, version };
}

function interactionOf(
  method: Method,
  { id, history, version }: Readonly<Record<'id' | 'history' | 'version', string | undefined>>,
): Interaction | undefined {
  if (method === 'GET' || method === 'HEAD') {
    if (id === undefined) return 'search-type';
    if (id === '_history') return history === undefined ? 'history-type' : undefined;
    if (history === undefined) return 'read';
    if (history !== '_history') return undefined;
    return version === undefined ? 'history-instance' : 'vread';
  }
  if (history !== undefined || id?.startsWith('_') === true || id?.startsWith('$') === true) return undefined;
  if (method === 'POST') return id === undefined ? 'create' : undefined;
  return ({ PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const)[method];
}

function conditionsOf(request: JsonObject): Conditions {
  const named = ['ifMatch', 'ifNoneMatch', 'ifModifiedSince', 'ifNoneExist'] as const;
  return Object.fromEntries(
    named.flatMap((name) => (typeof request[name] === 'string' ? [[name, request[name]]] : [])),
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { faults: [{ message, issue: 'structure' }] });
}

function unknown(message: string): ServiceError {
  return new ServiceError('not_found', message, { faults: [{ message, issue: 'not-supported' }] });
}

function notAllowed(message: string): ServiceError {
  return new ServiceError('method_not_allowed', message, { faults: [{ message, issue: 'not-supported' }] });
}

function unreadable(faults: readonly Fault[]): ServiceError {
  return new ServiceError('invalid_request', messageOf(faults), { faults });
}
