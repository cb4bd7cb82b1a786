// The routes of create, update, patch and delete, at an address or by a condition (hl7.org/fhir/R5/http.html#create,
// #update, #patch, #delete).
import type { FastifyRequest } from 'fastify';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { permissionFor } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { readPatch, receiveBody } from '../http/content.ts';
import { callOf, respondWith } from '../http/http-call.ts';
import { requireInstance } from '../http/instance-address.ts';
import { BINARY, readBinary } from '../http/native-binary.ts';
import type { FhirCall, FhirResponse } from '../interactions/call.ts';
import { create } from '../interactions/write/create.ts';
import { remove, removeByCondition } from '../interactions/write/delete.ts';
import { patch, patchByCondition } from '../interactions/write/patch.ts';
import { update, updateByCondition } from '../interactions/write/update.ts';
import type { FhirTypeOptions } from '../options.ts';
import type { Operations } from './operations.ts';
import type { RowList } from './route-table.ts';

const INTERACTION_OF = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

type WriteContext = RouteContext & { readonly operations: Operations };
type Interact = (call: FhirCall, request: FastifyRequest, id: string) => Promise<FhirResponse>;

export function addWriteRoutes(list: RowList, type: FhirTypeOptions, context: WriteContext): void {
  const { type: resourceType, interactions, hasConditional = false } = type;
  if ((hasConditional || interactions.includes('patch')) && context.options.planWrite !== undefined) {
    throw new Error(`${resourceType}: a service that plans its writes cannot have patches and conditional writes`);
  }
  const on = adder(list, type, context);
  const base = `/${resourceType}`;
  const instance = `${base}/:id`;
  if (interactions.includes('create')) {
    on('POST', base, `Create a ${resourceType}`, async (call, request) =>
      create(call, { type, source: await readSource({ request, resourceType }, context) }, context),
    );
  }
  if (interactions.includes('update')) {
    on('PUT', instance, `Update a ${resourceType}, or create it under this id`, async (call, request, id) =>
      update(call, { type, source: await readSource({ request, resourceType, id }, context), id }, context),
    );
    if (hasConditional) {
      on('PUT', base, `Update the ${resourceType} that fulfils the query, or create it`, async (call, request) =>
        updateByCondition(call, { type, source: await readSource({ request, resourceType }, context) }, context),
      );
    }
  }
  if (interactions.includes('patch')) {
    on('PATCH', instance, `Patch a ${resourceType}`, async (call, request, id) =>
      patch(call, { address: { resourceType, id }, patch: await readPatch(request, context) }, context),
    );
    if (hasConditional) {
      on('PATCH', base, `Patch the ${resourceType} that fulfils the query`, async (call, request) =>
        patchByCondition(call, { type, patch: await readPatch(request, context) }, context),
      );
    }
  }
  if (interactions.includes('delete')) {
    on('DELETE', instance, `Delete a ${resourceType}`, (call, _request, id) =>
      remove(call, { resourceType, id }, context),
    );
    if (hasConditional) {
      on('DELETE', base, `Delete the ${resourceType} that fulfils the query`, (call) =>
        removeByCondition(call, type, context),
      );
    }
  }
}

async function readSource(
  { request, resourceType, id }: { request: FastifyRequest; resourceType: string; id?: string },
  context: WriteContext,
): Promise<ResourceText> {
  return resourceType === BINARY ? readBinary(request, id) : receiveBody(request, resourceType, context);
}

/** Returns a function that adds a route of a write interaction. */
function adder(list: RowList, type: FhirTypeOptions, context: WriteContext) {
  return (method: keyof typeof INTERACTION_OF, url: string, summary: string, interact: Interact): void => {
    const config = {
      permission: permissionFor(type, INTERACTION_OF[method]),
      idempotent: method === 'POST',
      ...(url === `/${type.type}` ? { searched: { type: type.type, interaction: INTERACTION_OF[method] } } : {}),
      isNative: type.type === BINARY && (method === 'POST' || method === 'PUT'),
    };
    const handler = respondWith(async (request: FastifyRequest<{ Params: { readonly id?: string } }>) => {
      const { id = '' } = request.params;
      requireInstance(type.type, id, context.operations);
      const call = callOf(request, { type, interaction: INTERACTION_OF[method] }, context);
      return { call, answer: await interact(call, request, id) };
    });
    list.add(method, url, { config, schema: { tags: [type.type], summary } }, handler);
  };
}
