// $snapshot: a StructureDefinition with the snapshot that its differential gives over its base
// (hl7.org/fhir/R5/structuredefinition-operation-snapshot.html).

import type { Access } from '#fhir/store/access.ts';
import { messageOf, notFound, ServiceError } from '#lib/errors.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import type { FhirTypeOptions, SnapshotMaker } from '../options.ts';
import { type Body, readBody } from '../threads/body.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { createSnapshot, type SnapshotFunctions, type SnapshotResult } from './snapshot-result.ts';

export interface SnapshotRequest {
  readonly type: FhirTypeOptions;
  readonly maker: SnapshotMaker;
  /** Of a stored definition. */
  readonly id: string | undefined;
  readonly body: Body | undefined;
}

/**
 * @throws ServiceError `invalid_request` when no definition is given or named; `not_found`; `unprocessable` when the
 * definition is not valid, or its snapshot cannot be made
 */
export async function snapshot(call: FhirCall, request: SnapshotRequest, context: RouteContext): Promise<FhirResponse> {
  const { maker, id, body } = request;
  if (id !== undefined)
    return responseOf(await made(call, { maker, body: await stored(call, request, context) }, context));
  const given: SnapshotResult =
    body === undefined ? { kind: 'named', url: undefined } : await made(call, { maker, body }, context);
  if (given.kind !== 'named') return responseOf(given);
  const url = call.query.get('url') ?? given.url;
  if (url === undefined) throw unnamed();
  const official = maker.official(url);
  if (official === undefined) {
    const text = await byUrl(call, { type: request.type, url }, context);
    return responseOf(await made(call, { maker, body: { text } }, context));
  }
  const source = { text: '', resourceType: 'StructureDefinition', resource: official, members: [] };
  return responseOf(createSnapshot(source, meansOf(maker, context)));
}

/** In a thread, where there is one: how long it takes depends on the author of the definition. */
async function made(
  call: FhirCall,
  { maker, body }: { readonly maker: SnapshotMaker; readonly body: Body },
  context: RouteContext,
): Promise<SnapshotResult> {
  const { workerThreads } = context.options;
  if (workerThreads !== undefined) return workerThreads.snapshot(body, workerThreads.budget(call.principal.id));
  return createSnapshot(readBody(body), meansOf(maker, context));
}

function meansOf({ fill }: SnapshotMaker, { options: { system } }: RouteContext): SnapshotFunctions {
  return { validate: (definition) => system?.validate(definition) ?? [], fill };
}

/** @throws ServiceError */
function responseOf(result: SnapshotResult): FhirResponse {
  switch (result.kind) {
    case 'filled':
      return { status: 200, text: result.text };
    case 'refused':
      throw new ServiceError('unprocessable', messageOf(result.issues), { issues: result.issues });
    case 'named':
      throw unnamed();
    default:
      return result satisfies never;
  }
}

async function stored(
  call: FhirCall,
  { type, id = '' }: Pick<SnapshotRequest, 'type' | 'id'>,
  context: RouteContext,
): Promise<Body> {
  const { store } = context.options;
  const address = { resourceType: type.type, id };
  const access = requireAccess(call, { type, interaction: 'read' }, context);
  const { content: text } = await store.read(call.execution.db, address, access);
  return { text };
}

/** The latest of that canonical URL. */
async function byUrl(
  call: FhirCall,
  { type, url }: { readonly type: FhirTypeOptions; readonly url: string },
  context: RouteContext,
): Promise<string> {
  const { store } = context.options;
  const access = requireAccess(call, { type, interaction: 'search-type' }, context);
  const [plain = '', version] = url.split('|');
  const query = store.parse(type.type, [
    ['url', plain],
    ...(version === undefined ? [] : [['version', version] as const]),
    ['_sort', '-_lastUpdated'],
    ['_count', '1'],
  ]);
  const { matches } = await store.search(call.execution.db, query, { access });
  const [found] = matches;
  if (found === undefined) throw notFound(`StructureDefinition with the url ${url}`);
  return found.content;
}

/**
 * What the caller may see of the type in this way.
 * @throws ServiceError `forbidden` when the interaction is not theirs at all
 */
function requireAccess(
  { principal }: FhirCall,
  wanted: { readonly type: FhirTypeOptions; readonly interaction: 'read' | 'search-type' },
  context: RouteContext,
): Access {
  requireRight(principal, wanted, context);
  return context.options.access(principal, wanted.interaction);
}

function unnamed(): ServiceError {
  const message = 'Give the StructureDefinition itself, the parameter definition with it, or url';
  return new ServiceError('invalid_request', message, { issues: [{ message, code: 'required' }] });
}
