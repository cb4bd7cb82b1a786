// The table of served operations, by address. Both the routes (./operation-routes.ts) and the entries of bundles
// (../bundle/entry.ts) use it.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { Permission } from '#lib/auth/permissions.ts';
import { ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import { parametersIn, requireType } from '../http/content.ts';
import type { FhirCall } from '../interactions/call.ts';
import { everything } from '../interactions/everything.ts';
import type { MetaOperation } from '../interactions/labels.ts';
import { changeMeta, readMeta } from '../interactions/meta.ts';
import { snapshot } from '../interactions/snapshot.ts';
import { validate, validateLong } from '../interactions/validate.ts';
import type { FhirTypeOptions, ServedOperation } from '../options.ts';

/** The operations by address: `/Patient/:id/$everything`. */
export type Operations = ReadonlyMap<string, ServedOperation>;

/** The operations that the service serves; none if it does not serve the whole system. */
export function servedOperations(context: RouteContext): Operations {
  const { system, types, operations = [] } = context.options;
  if (system === undefined) return new Map();
  const { permission } = system;
  const served = [
    validateOf(undefined, permission, context),
    ...types.flatMap((type) => [
      validateOf(type, permission, context),
      { ...validateOf(type, permission, context), isOfInstance: true, methods: ['GET', 'POST'] as const },
      ...(type.interactions.includes('patch') ? metaOf(type, context) : []),
      ...(type.type === 'Patient' ? [everythingOf(type, permission, context)] : []),
      ...(type.type === 'StructureDefinition' ? snapshotOf(type, context) : []),
    ]),
    ...operations,
  ];
  return new Map(served.map((operation) => [addressOf(operation), operation]));
}

/** The address of an operation: `/Patient/:id/$everything`. */
export function addressOf({ type, isOfInstance, isOfSystem = false, name }: ServedOperation): string {
  return `${type === undefined || isOfSystem ? '' : `/${type.type}`}${isOfInstance ? '/:id' : ''}/$${name}`;
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
