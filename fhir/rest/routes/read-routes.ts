// GET of single versions and of histories (hl7.org/fhir/R5/http.html#read, #vread, #history).
import type { FastifyRequest } from 'fastify';
import { permissionFor } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { responseType } from '../http/content.ts';
import { callOf, respondWith } from '../http/http-call.ts';
import { requireInstance } from '../http/instance-address.ts';
import { BINARY, nativeResponse } from '../http/native-binary.ts';
import type { FhirCall, FhirResponse } from '../interactions/call.ts';
import { history } from '../interactions/history.ts';
import { read, vread } from '../interactions/read.ts';
import type { FhirTypeOptions, Interaction } from '../options.ts';
import type { Operations } from './operations.ts';
import type { RowList } from './route-table.ts';

type IdRequest = FastifyRequest<{ Params: { readonly id: string } }>;
type VersionRequest = FastifyRequest<{ Params: { readonly id: string; readonly version: string } }>;

export function addReadRoutes(
  list: RowList,
  type: FhirTypeOptions,
  context: RouteContext & { readonly operations: Operations },
): void {
  const { type: resourceType, interactions } = type;
  const { route, single, shown } = readingOf(type);
  if (interactions.includes('read')) {
    list.add(
      'GET',
      `/${resourceType}/:id`,
      single('read', `Read a ${resourceType}`),
      respondWith(async (request: IdRequest) => {
        requireInstance(resourceType, request.params.id, context.operations);
        const call = callOf(request, { type, interaction: 'read' }, context);
        const answer = await read(call, { resourceType, id: request.params.id }, context);
        return { call, answer: shown(request, call, answer) };
      }),
    );
  }
  if (interactions.includes('vread')) {
    list.add(
      'GET',
      `/${resourceType}/:id/_history/:version`,
      single('vread', `Read a version of a ${resourceType}`),
      respondWith(async (request: VersionRequest) => {
        const call = callOf(request, { type, interaction: 'vread' }, context);
        const { id, version } = request.params;
        const answer = await vread(call, { resourceType, id, version }, context);
        return { call, answer: shown(request, call, answer) };
      }),
    );
  }
  if (interactions.includes('history-instance')) {
    list.add(
      'GET',
      `/${resourceType}/:id/_history`,
      route('history-instance', `History of a ${resourceType}`),
      respondWith(async (request: IdRequest) => {
        const call = callOf(request, { type, interaction: 'history-instance' }, context);
        return { call, answer: await history(call, { resourceType, id: request.params.id }, context) };
      }),
    );
  }
  if (interactions.includes('history-type')) {
    list.add(
      'GET',
      `/${resourceType}/_history`,
      route('history-type', `History of every ${resourceType}`),
      respondWith(async (request) => {
        const call = callOf(request, { type, interaction: 'history-type' }, context);
        return { call, answer: await history(call, { resourceType, id: undefined }, context) };
      }),
    );
  }
}

/**
 * The options of a type's routes, and how a single version is sent: a Binary as its bytes, unless the client asks for
 * FHIR.
 */
function readingOf(type: FhirTypeOptions) {
  const { type: resourceType } = type;
  const isNative = resourceType === BINARY;
  const optionsOf = (interaction: Interaction, summary: string, config: { readonly isNative?: boolean }) => ({
    config: {
      permission: permissionFor(type, interaction),
      caching: 'revalidated' as const,
      ...(interaction === 'history-type' ? { searched: { type: resourceType, interaction } } : {}),
      ...config,
    },
    schema: { tags: [resourceType], summary },
  });
  return {
    route: (interaction: Interaction, summary: string) => optionsOf(interaction, summary, {}),
    single: (interaction: Interaction, summary: string) => optionsOf(interaction, summary, { isNative }),
    shown: (request: FastifyRequest, call: FhirCall, answer: FhirResponse): FhirResponse => {
      const native = isNative ? nativeResponse(request, call.query, answer) : answer;
      // The response is JSON after all, so the client must accept JSON.
      if (isNative && native.native === undefined) responseType(request, call.query);
      return native;
    },
  };
}
