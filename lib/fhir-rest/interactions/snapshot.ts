// $snapshot: a StructureDefinition with the snapshot that its differential gives over its base
// (hl7.org/fhir/R5/structuredefinition-operation-snapshot.html).
import { messageOf, notFound, ServiceError } from '#lib/errors.ts';
import { isJsonObject, type JsonObject } from '#lib/fhir/patch/json-tree.ts';
import type { ResourceText } from '#lib/fhir/resource-text.ts';
import { hasErrors } from '#lib/fhir/validate.ts';
import type { Access } from '#lib/fhir-store/access.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import type { FhirTypeOptions, SnapshotMaker } from '../options.ts';
import type { FhirAnswer, FhirCall } from './call.ts';

export interface SnapshotRequest {
  readonly type: FhirTypeOptions;
  readonly maker: SnapshotMaker;
  /** Of a stored definition. */
  readonly id: string | undefined;
  readonly body: ResourceText | undefined;
}

/**
 * @throws ServiceError `invalid_request` when no definition is given or named; `not_found`; `unprocessable` when the definition is not
 *   valid, or its snapshot cannot be made
 */
export async function snapshot(call: FhirCall, request: SnapshotRequest, context: RouteContext): Promise<FhirAnswer> {
  const given = await definitionOf(call, request, context);
  const faults = context.options.system?.validate(given) ?? [];
  if (hasErrors(faults)) throw new ServiceError('unprocessable', messageOf(faults), { faults });
  const { definition, problems } = request.maker.fill(given);
  if (problems.length === 0) return { status: 200, text: JSON.stringify(definition) };
  const told = problems.map((message) => ({ message, field: 'StructureDefinition.differential', issue: 'invalid' }));
  throw new ServiceError('unprocessable', messageOf(told), { faults: told });
}

async function definitionOf(
  call: FhirCall,
  { type, maker, id, body }: SnapshotRequest,
  context: RouteContext,
): Promise<JsonObject> {
  if (id !== undefined) return stored(call, { type, id }, context);
  if (body?.resourceType === 'StructureDefinition') return body.resource;
  const given: unknown = body?.resourceType === 'Parameters' ? body.resource['parameter'] : undefined;
  const parameters = Array.isArray(given) ? given.filter(isJsonObject) : [];
  const definition = parameters.find(({ name }) => name === 'definition')?.['resource'];
  if (isJsonObject(definition)) return definition;
  const named = parameters.find(({ name }) => name === 'url');
  const url = call.query.get('url') ?? named?.['valueUri'] ?? named?.['valueCanonical'] ?? named?.['valueString'];
  if (typeof url !== 'string') throw unnamed();
  return maker.official(url) ?? byUrl(call, { type, url }, context);
}

async function stored(
  call: FhirCall,
  { type, id }: { readonly type: FhirTypeOptions; readonly id: string },
  context: RouteContext,
): Promise<JsonObject> {
  const { store } = context.options;
  const address = { resourceType: type.type, id };
  return parsed(
    (await store.read(call.workplace.db, address, requireAccess(call, { type, interaction: 'read' }, context))).content,
  );
}

/** The latest of that canonical URL. */
async function byUrl(
  call: FhirCall,
  { type, url }: { readonly type: FhirTypeOptions; readonly url: string },
  context: RouteContext,
): Promise<JsonObject> {
  const { store } = context.options;
  const access = requireAccess(call, { type, interaction: 'search-type' }, context);
  const [plain = '', version] = url.split('|');
  const query = store.parse(type.type, [
    ['url', plain],
    ...(version === undefined ? [] : [['version', version] as const]),
    ['_sort', '-_lastUpdated'],
    ['_count', '1'],
  ]);
  const { matches } = await store.search(call.workplace.db, query, { access });
  const [found] = matches;
  if (found === undefined) throw notFound(`StructureDefinition with the url ${url}`);
  return parsed(found.content);
}

/** What the caller may see of the type in this way. @throws ServiceError `forbidden` when the interaction is not theirs at all */
function requireAccess(
  { principal }: FhirCall,
  wanted: { readonly type: FhirTypeOptions; readonly interaction: 'read' | 'search-type' },
  context: RouteContext,
): Access {
  requireRight(principal, wanted, context);
  return context.options.access(principal, wanted.interaction);
}

function parsed(content: string): JsonObject {
  const resource: unknown = JSON.parse(content);
  return isJsonObject(resource) ? resource : {};
}

function unnamed(): ServiceError {
  const message = 'Give the StructureDefinition itself, the parameter definition with it, or url';
  return new ServiceError('invalid_request', message, { faults: [{ message, issue: 'required' }] });
}
