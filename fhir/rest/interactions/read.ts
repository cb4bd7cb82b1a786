// Reading a resource or one of its versions (hl7.org/fhir/R5/http.html#read, #vread).

import type { FoundVersion, ReadRecord } from '#fhir/store/read/batched-lookup.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import type { ReadSource } from '#fhir/store/read/read-source.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import { isKnownToClient } from '../http/preferences.ts';
import { subsetTexts } from '../subset-texts.ts';
import { pendingRecord } from './access-records.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { type RecordedRead, readRecorded } from './read-recorded.ts';

const VERSION = /^[1-9]\d{0,8}$/;

/** @throws ServiceError `not_found`, `deleted` */
export async function read(call: FhirCall, address: ResourceAddress, context: RouteContext): Promise<FhirResponse> {
  const published = (): string | undefined =>
    context.options.published?.find({ resourceType: address.resourceType, ids: [address.id] })[0]?.content();
  try {
    return await readStored(call, address, context);
  } catch (error) {
    // A deletion is reported as such, whatever is published under the id.
    const content = error instanceof ServiceError && error.code === 'not_found' ? published() : undefined;
    if (content === undefined) throw error;
    return { status: 200, text: await shownText(call, address.resourceType, { content, context }) };
  }
}

function readStored(call: FhirCall, address: ResourceAddress, context: RouteContext): Promise<FhirResponse> {
  const { store, access } = context.options;
  const visible = access(call.principal, 'read');
  const { within } = call.execution;
  const find = ({ lookups }: ReadSource, record: ReadRecord | undefined) =>
    within === undefined
      ? lookups.read(address, visible, record)
      : store.read(within, address, visible).then(unrecorded);
  return showVersion(call, { find, interaction: 'read', resourceType: address.resourceType }, context);
}

/** @throws ServiceError `not_found`, `deleted` */
export async function vread(
  call: FhirCall,
  { resourceType, id, version: number }: ResourceAddress & { readonly version: string },
  context: RouteContext,
): Promise<FhirResponse> {
  const { store, access } = context.options;
  const visible = access(call.principal, 'vread');
  if (!VERSION.test(number)) throw notFound(`${resourceType}/${id}/_history/${number}`);
  const address = { resourceType, id, version: Number(number), owner: call.principal.id };
  const { within } = call.execution;
  const find = ({ lookups }: ReadSource, record: ReadRecord | undefined) =>
    within === undefined
      ? lookups.vread(address, visible, record)
      : store.vread(within, address, visible).then(unrecorded);
  return showVersion(call, { find, interaction: 'vread', resourceType }, context);
}

function unrecorded(version: StoredVersion): FoundVersion {
  return { version, isRecorded: false };
}

interface ReadOfVersion {
  /** The statement that reads stores the record as well, where it can. */
  readonly find: (source: ReadSource, record: ReadRecord | undefined) => Promise<FoundVersion>;
  readonly interaction: 'read' | 'vread';
  readonly resourceType: string;
}

async function showVersion(
  call: FhirCall,
  { find, interaction, resourceType }: ReadOfVersion,
  context: RouteContext,
): Promise<FhirResponse> {
  const isKnown = ({ version }: FoundVersion) => isKnownToClient(call.conditions, version);
  const reading: RecordedRead<FoundVersion> = {
    read: async (source) => {
      const isAlone = source.isStandby || call.execution.within !== undefined;
      return find(source, isAlone ? undefined : await pendingRecord(call, { interaction, resourceType }, context));
    },
    recordOf: (found) =>
      found.isRecorded || isKnown(found)
        ? undefined
        : { action: 'R', interaction, resourceType, versions: [found.version] },
  };
  const found = await readRecorded(call, reading, context);
  const { version } = found;
  if (isKnown(found)) return { status: 304, version };
  return { status: 200, version, text: await shownText(call, resourceType, { content: version.content, context }) };
}

/** The resource, or the parts of it that are asked for. */
async function shownText(
  call: FhirCall,
  resourceType: string,
  { content, context }: { readonly content: string; readonly context: RouteContext },
): Promise<string> {
  const wishes = [...call.query].filter(([name]) => name === '_summary' || name === '_elements');
  if (wishes.length === 0) return content;
  const { summary, elements } = context.options.store.parse(resourceType, wishes);
  const [text = content] = await subsetTexts([content], { summary, elements }, call, context);
  return text;
}
