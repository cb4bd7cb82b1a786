// The table of served operations, by address. Both the routes (./operation-routes.ts) and the entries of bundles
// (../bundle/entry.ts) use it.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { Permission } from '#lib/auth/permissions.ts';
import { ServiceError } from '#lib/errors.ts';
import { createRemadeValues } from '#lib/remade-values.ts';
import type { RouteContext } from '../context.ts';
import { parametersIn, requireType } from '../http/content.ts';
import type { FhirCall } from '../interactions/call.ts';
import { everything } from '../interactions/everything.ts';
import type { MetaOperation } from '../interactions/labels.ts';
import { changeMeta, readMeta } from '../interactions/meta.ts';
import { snapshot } from '../interactions/snapshot.ts';
import { validate, validateLong } from '../interactions/validate.ts';
import type { FhirTypeOptions, ServedOperation } from '../options.ts';

/** The operations by address, `/Patient/:id/$everything`. */
export interface Operations {
  get(address: string): ServedOperation | undefined;
  /** Those at addresses without a type. */
  readonly ofSystem: readonly ServedOperation[];
  /** Makes those at addresses that begin with the type. */
  ofType(type: string): readonly ServedOperation[];
}

/** The operations that the service serves; none if it does not serve the whole system. */
export function servedOperations(context: RouteContext): Operations {
  const { system, types, operations = [] } = context.options;
  if (system === undefined) return { get: () => undefined, ofSystem: [], ofType: () => [] };
  const { permission } = system;
  const typeOf = (name: string) => types.find(({ type }) => type === name);
  const ofService = Map.groupBy(operations, typeInAddress);
  const ofSystem = byAddress([validateOf(undefined, permission, context), ...(ofService.get('') ?? [])]);
  const make = (name: string): ReadonlyMap<string, ServedOperation> => {
    const type = typeOf(name);
    const common = type === undefined ? [] : ofEachType(type, permission, context);
    return byAddress([...common, ...(ofService.get(name) ?? [])]);
  };
  const remade = createRemadeValues((name) => (typeOf(name) === undefined ? undefined : make(name)));
  return {
    get: (address) => {
      const [, name] = /^\/([^/]+)\//.exec(address) ?? [];
      return ((name === undefined ? undefined : remade.get(name)) ?? ofSystem).get(address);
    },
    ofSystem: [...ofSystem.values()],
    ofType: (name) => [...make(name).values()],
  };
}

function byAddress(operations: readonly ServedOperation[]): ReadonlyMap<string, ServedOperation> {
  return new Map(operations.map((operation) => [addressOf(operation), operation]));
}

function typeInAddress({ type, isOfSystem = false }: ServedOperation): string {
  return type === undefined || isOfSystem ? '' : type.type;
}

function ofEachType(type: FhirTypeOptions, permission: Permission, context: RouteContext): ServedOperation[] {
  return [
    validateOf(type, permission, context),
    { ...validateOf(type, permission, context), isOfInstance: true, methods: ['GET', 'POST'] },
    ...(type.interactions.includes('patch') ? metaOf(type, context) : []),
    ...(type.type === 'Patient' ? [everythingOf(type, permission, context)] : []),
    ...(type.type === 'StructureDefinition' ? snapshotOf(type, context) : []),
  ];
}

/** The address of an operation: `/Patient/:id/$everything`. */
export function addressOf(operation: ServedOperation): string {
  const type = typeInAddress(operation);
  return `${type === '' ? '' : `/${type}`}${operation.isOfInstance ? '/:id' : ''}/$${operation.name}`;
}

/**
 * The call in the form of the operation.
 * @throws ServiceError `invalid_request` for a body that is no Parameters where one is expected
 */
export function callOfOperation(
  call: FhirCall,
  { takesParameters = false }: ServedOperation,
  body: ResourceText | undefined,
): FhirCall {
  if (!takesParameters || body === undefined) return call;
  return { ...call, query: new URLSearchParams([...call.query, ...parametersIn(body)]) };
}

function validateOf(type: FhirTypeOptions | undefined, permission: Permission, context: RouteContext): ServedOperation {
  return {
    name: 'validate',
    type,
    isOfInstance: false,
    methods: ['POST'],
    summary: 'Validate a resource',
    permission,
    run: (call, { id, body }) => validate(call, { target: { type, id: id === '' ? undefined : id }, body }, context),
    runLong: (call, { id, bytes }) =>
      validateLong(call, { target: { type, id: id === '' ? undefined : id }, bytes }, context),
  };
}

function metaOf(type: FhirTypeOptions, context: RouteContext): ServedOperation[] {
  const { type: resourceType, read, write } = type;
  const change = (name: MetaOperation, verb: string): ServedOperation => ({
    name,
    type,
    isOfInstance: true,
    methods: ['POST'],
    summary: `${verb} profiles, tags and labels of a ${resourceType}`,
    permission: write,
    interaction: 'patch',
    changes: true,
    run: (call, { id, body }) => {
      if (body === undefined) throw new ServiceError('invalid_request', 'The body must be a Parameters; it is empty');
      requireType(body, 'Parameters');
      return changeMeta(call, { address: { resourceType, id }, operation: name, body }, context);
    },
  });
  return [
    {
      name: 'meta',
      type,
      isOfInstance: true,
      methods: ['GET'],
      summary: `Profiles, tags and labels of a ${resourceType}`,
      permission: read,
      interaction: 'read',
      run: (call, { id }) => readMeta(call, { resourceType, id }, context),
    },
    change('meta-add', 'Add'),
    change('meta-delete', 'Take away'),
  ];
}

function everythingOf(type: FhirTypeOptions, permission: Permission, context: RouteContext): ServedOperation {
  return {
    name: 'everything',
    type,
    isOfInstance: true,
    methods: ['GET', 'POST'],
    summary: 'Everything that is on record about a Patient',
    permission,
    interaction: 'read',
    takesParameters: true,
    run: (call, { id }) => everything(call, id, context),
  };
}

/** The operation $snapshot; none if the service has no snapshot generator. */
function snapshotOf(type: FhirTypeOptions, context: RouteContext): ServedOperation[] {
  const { system } = context.options;
  const maker = system?.snapshots;
  if (system === undefined || maker === undefined) return [];
  const ofType: ServedOperation = {
    name: 'snapshot',
    type,
    isOfInstance: false,
    methods: ['GET', 'POST'],
    summary: 'A StructureDefinition with its snapshot',
    permission: system.permission,
    run: (call, { id, body }) =>
      snapshot(call, { type, maker, id: id === '' ? undefined : id, body: body && { text: body.text } }, context),
    runLong: (call, { id, bytes }) =>
      snapshot(call, { type, maker, id: id === '' ? undefined : id, body: { bytes } }, context),
  };
  return [ofType, { ...ofType, isOfInstance: true }];
}
