// Carries out an entry of a bundle as the single interaction that it names, so that both get the same response.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall, FhirResponse } from '../interactions/call.ts';
import { history } from '../interactions/history.ts';
import { read, vread } from '../interactions/read.ts';
import { searchWithin } from '../interactions/search.ts';
import { create } from '../interactions/write/create.ts';
import { remove, removeByCondition } from '../interactions/write/delete.ts';
import { patch, patchByCondition } from '../interactions/write/patch.ts';
import { type Patch, readPatchText } from '../interactions/write/patch-change.ts';
import { update, updateByCondition } from '../interactions/write/update.ts';
import { type BundleRequest, type EntryRequest, isOperation } from './request.ts';

/** Carries out the entry; `bundle` is the call that brought it. @throws ServiceError as the interaction does */
export async function perform(bundle: FhirCall, request: EntryRequest, context: RouteContext): Promise<FhirResponse> {
  if (isOperation(request)) {
    const { operation, query, conditions, source } = request;
    operation.requireRight(bundle.principal);
    return operation.run({ ...bundle, query, conditions }, source);
  }
  requireRight(bundle.principal, request, context);
  const { query, conditions, interaction, type, id = '', version = '' } = request;
  const call: FhirCall = { ...bundle, query, conditions };
  const address = { resourceType: type.type, id };
  const isConditional = request.id === undefined;
  switch (interaction) {
    case 'read':
      return read(call, address, context);
    case 'vread':
      return vread(call, { ...address, version }, context);
    case 'history-instance':
      return history(call, address, context);
    case 'history-type':
      return history(call, { ...address, id: undefined }, context);
    case 'search-type':
      return searchWithin(call, { type, compartment: request.compartment }, context);
    case 'create':
      return create(call, { type, source: sourceOf(request) }, context);
    case 'update': {
      const input = { type, source: sourceOf(request) };
      if (isConditional) return updateByCondition(call, input, context);
      return update(call, { ...input, id, takesIdOfAddress: request.isIdResolved === true }, context);
    }
    case 'patch': {
      const change = patchOf(sourceOf(request), context);
      return isConditional
        ? patchByCondition(call, { type, patch: change }, context)
        : patch(call, { address, patch: change }, context);
    }
    case 'delete':
      return isConditional ? removeByCondition(call, type, context) : remove(call, address, context);
    default:
      return interaction satisfies never;
  }
}

function sourceOf({ source, method }: BundleRequest): ResourceText {
  if (source === undefined) throw new ServiceError('invalid_request', `${method} needs a resource`);
  return source;
}

/** A FHIRPath Patch as Parameters, or a JSON Patch as a Binary (hl7.org/fhir/R5/http.html#patch). */
function patchOf(source: ResourceText, { options: { workerThreads } }: RouteContext): Patch {
  const { resourceType, text } = source;
  const budget = workerThreads?.budgetOf(source);
  if (resourceType === 'Parameters') return readPatchText('fhirpath', { text, budget }, workerThreads !== undefined);
  const { contentType, data } = source.resource;
  if (resourceType === 'Binary' && contentType === 'application/json-patch+json' && typeof data === 'string') {
    const patch = decodeUtf8(Buffer.from(data, 'base64'));
    return readPatchText('json', { text: patch, budget }, workerThreads !== undefined);
  }
  throw new ServiceError(
    'invalid_request',
    'A patch is a Parameters, or a Binary of the type application/json-patch+json',
  );
}
