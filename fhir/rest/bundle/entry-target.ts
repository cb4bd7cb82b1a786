// Routes an entry of a bundle by its method and URL. It leads to an interaction with a type, an instance or a
// compartment, to an operation, or to a system-wide interaction (hl7.org/fhir/R5/http.html#summary).

import type { Compartment } from '#fhir/search/parse/query.ts';
import { authorise } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireOperation } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { readQuery } from '../http/content.ts';
import { systemHistory } from '../interactions/history.ts';
import { searchAll } from '../interactions/search.ts';
import type { Interaction } from '../options.ts';
import { ALL_TYPES, COMPARTMENTS, requireInCompartment } from '../routes/compartments.ts';
import { callOfOperation } from '../routes/operations.ts';
import {
  type BundleRequest,
  type EntryContext,
  type EntryOperation,
  invalid,
  type Method,
  type OperationRequest,
} from './request.ts';

type Target = Pick<BundleRequest, 'type' | 'interaction' | 'id' | 'version' | 'query' | 'compartment'>;
type OperationTarget = Pick<OperationRequest, 'operation' | 'query'>;

/** Parses a method and a URL, relative to the base or below it. @throws ServiceError `not_found`, `invalid_request` */
export type TargetReader = (method: Method, url: string) => Target | OperationTarget;

/**
 * Creates the parser for one bundle. It caches the targets, since many entries of a bundle often create resources of
 * one type.
 */
export function createTargetReader(context: EntryContext): TargetReader {
  const posts = new Map<string, Target | OperationTarget>();
  return (method, url) => {
    if (method !== 'POST') return readTarget(method, url, context);
    const known = posts.get(url) ?? readTarget(method, url, context);
    posts.set(url, known);
    return known;
  };
}

function readTarget(method: Method, url: string, context: EntryContext): Target | OperationTarget {
  const { options } = context;
  const below = url.startsWith(`${options.baseUrl}/`) ? url.slice(options.baseUrl.length + 1) : url.replace(/^\//, '');
  const [path = '', ...queries] = below.split('?');
  const query = readQuery(queries.join('?'));
  const segments = path.split('/');
  const ofSystem = systemReads(context).get(path);
  if (ofSystem !== undefined && (method === 'GET' || method === 'HEAD')) return { operation: ofSystem, query };
  if (segments.some((segment) => segment.startsWith('$')))
    return { operation: operationOf(method, { url, segments }, context), query };
  const [typeName = '', ...rest] = segments;
  const type = options.types.find((each) => each.type === typeName);
  if (type === undefined) throw unknown(`request.url "${url}" names no resource type that is served here`);
  const within = compartmentOf(method, typeName, rest);
  if (within !== undefined && rest[1] === ALL_TYPES) return { operation: compartmentRead(within, context), query };
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

/** The interactions that read from the whole system. */
function systemReads(context: RouteContext): ReadonlyMap<string, EntryOperation> {
  const { system } = context.options;
  if (system === undefined) return new Map();
  const read = systemRead(context);
  return new Map([
    [
      '',
      {
        ...read,
        name: 'a search of all types',
        searched: { compartment: undefined },
        run: (call) => searchAll(call, context),
      },
    ],
    [
      '_history',
      {
        ...read,
        name: '_history',
        searched: { compartment: undefined, interaction: 'history-system' },
        run: (call) => systemHistory(call, context),
      },
    ],
  ]);
}

/** The search of all types in a compartment: `Patient/1/*`. */
function compartmentRead(compartment: Compartment, context: RouteContext): EntryOperation {
  const name = `a search of the compartment ${compartment.type}/${compartment.id}`;
  const run: EntryOperation['run'] = (call) => searchAll(call, context, compartment);
  return { ...systemRead(context), name, searched: { compartment }, run };
}

function systemRead({ options: { system } }: RouteContext): Pick<EntryOperation, 'changes' | 'requireRight'> {
  if (system === undefined) throw unknown('The whole system is not read here');
  return { changes: false, requireRight: (principal: Principal) => authorise(system.permission, principal) };
}

/** @throws ServiceError `not_found`, `method_not_allowed` */
function operationOf(
  method: Method,
  { url, segments }: { readonly url: string; readonly segments: readonly string[] },
  context: EntryContext,
): EntryOperation {
  const id = segments.length === 3 ? (segments[1] ?? '') : '';
  const address = `/${(id === '' ? segments : segments.with(1, ':id')).join('/')}`;
  const operation = context.operations.get(address);
  if (operation === undefined)
    throw unknown(
      `request.url "${url}": there is no such operation that an entry can call; it may be one to call by itself`,
    );
  const methods: readonly string[] = operation.methods;
  if (!methods.includes(method === 'HEAD' ? 'GET' : method))
    throw notAllowed(`request.url "${url}" takes ${methods.join(', ')}`);
  return {
    name: segments.filter((_, place) => id === '' || place !== 1).join('/'),
    changes: operation.changes === true,
    ...(id === '' || operation.type === undefined ? {} : { instance: { resourceType: operation.type.type, id } }),
    requireRight: (principal) => requireOperation(principal, operation, context),
    run: (call, body) => operation.run(callOfOperation(call, operation, body), { id, body }),
  };
}

/** The compartment of an address such as `Patient/1/Observation`. */
function compartmentOf(method: Method, type: string, [id = '', name = '', ...more]: string[]): Compartment | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (!COMPARTMENTS.has(type) || id === '' || !/^(?:[A-Z]|\*$)/.test(name) || more.length > 0) return undefined;
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

function unknown(message: string): ServiceError {
  return new ServiceError('not_found', message, { issues: [{ message, code: 'not-supported' }] });
}

function notAllowed(message: string): ServiceError {
  return new ServiceError('method_not_allowed', message, { issues: [{ message, code: 'not-supported' }] });
}
