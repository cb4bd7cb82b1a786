// $meta, $meta-add and $meta-delete of a resource: reads or changes its profiles, tags and security labels alone
// (hl7.org/fhir/R5/resource-operation-meta.html, -meta-add, -meta-delete). A change makes a new version, as
// every change does.

import { isJsonObject } from '#fhir/patch/json-tree.ts';
import type { ResourceText } from '#fhir/resources/resource-text.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { ServiceError } from '#lib/errors.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import type { RouteContext } from '../context.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { changing, type Labels, LISTS, labelsOf, type MetaOperation } from './labels.ts';
import { type RecordedRead, readRecorded } from './read-recorded.ts';
import { changeOne } from './write/patch.ts';

/** @throws ServiceError `not_found`, `deleted` */
export async function readMeta(call: FhirCall, address: ResourceAddress, context: RouteContext): Promise<FhirResponse> {
  const { store, access } = context.options;
  const reading: RecordedRead<StoredVersion> = {
    read: ({ db }) => store.read(db, address, access(call.principal, 'read')),
    recordOf: (version) => ({
      action: 'R',
      interaction: 'meta',
      resourceType: address.resourceType,
      versions: [version],
    }),
  };
  const version = await readRecorded(call, reading, context);
  return responseOf(version);
}

/** @throws ServiceError `invalid_request` for a body without a Meta; else as a patch */
export async function changeMeta(
  call: FhirCall,
  { address, operation, body }: { address: ResourceAddress; operation: MetaOperation; body: ResourceText },
  context: RouteContext,
): Promise<FhirResponse> {
  const labels = readGiven(body);
  const change = {
    now: changing(operation, labels),
    isCostly: () => false,
    workerThreads: { how: 'labels', patch: JSON.stringify({ operation, labels }) },
  } as const;
  return responseOf(await call.execution.transaction((tx) => changeOne(tx, call, { address, change }, context)));
}

async function responseOf(version: StoredVersion): Promise<FhirResponse> {
  const { meta } = (await parseInSlices(version.content)) as { meta: unknown };
  const parameter = [{ name: 'return', valueMeta: meta }];
  return { status: 200, version, text: JSON.stringify({ resourceType: 'Parameters', parameter }) };
}

function readGiven({ resource }: ResourceText): Labels {
  const parameters: unknown = resource['parameter'];
  const given = (Array.isArray(parameters) ? parameters : []).filter(isJsonObject).find(({ name }) => name === 'meta');
  const meta = given?.['valueMeta'];
  if (!isJsonObject(meta)) throw invalid('The Parameters must have a parameter meta with a valueMeta');
  for (const list of LISTS)
    if (meta[list] !== undefined && !Array.isArray(meta[list])) throw invalid(`meta.${list} must be a list`);
  return labelsOf(meta);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { issues: [{ message, field: 'meta', code: 'required' }] });
}
