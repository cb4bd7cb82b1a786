// Reading a resource or one of its versions (hl7.org/fhir/R5/http.html#read, #vread).

import type { FoundVersion } from '#fhir/store/read/batched-lookup.ts';
import type { ResourceAddress } from '#fhir/store/read/lookup.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import type { RouteContext } from '../context.ts';
import { isKnownToClient } from '../http/preferences.ts';
import { subsetTexts } from '../subset-texts.ts';
import { pendingRecord, recordAccess } from './access-records.ts';
import type { FhirCall, FhirResponse } from './call.ts';

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

async function readStored(call: FhirCall, address: ResourceAddress, context: RouteContext): Promise<FhirResponse> {
  const { store, access } = context.options;
  const visible = access(call.principal, 'read');
  const { within } = call.execution;
  const { resourceType } = address;
  const found =
    within === undefined
      ? await context.lookups.read(
          address,
          visible,
          await pendingRecord(call, { interaction: 'read', resourceType }, context),
        )
      : { version: await store.read(within, address, visible), isRecorded: false };
  return showVersion(call, { ...found, interaction: 'read' }, context);
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
  const found =
    within === undefined
      ? await context.lookups.vread(
          address,
          visible,
          await pendingRecord(call, { interaction: 'vread', resourceType }, context),
        )
      : { version: await store.vread(within, address, visible), isRecorded: false };
  return showVersion(call, { ...found, interaction: 'vread' }, context);
}

async function showVersion(
  call: FhirCall,
  { version, isRecorded, interaction }: FoundVersion & { readonly interaction: 'read' | 'vread' },
  context: RouteContext,
): Promise<FhirResponse> {
  if (isKnownToClient(call.conditions, version)) return { status: 304, version };
  const { resourceType, content } = version;
  if (!isRecorded) await recordAccess(call, { action: 'R', interaction, resourceType, versions: [version] }, context);
  return { status: 200, version, text: await shownText(call, resourceType, { content, context }) };
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
