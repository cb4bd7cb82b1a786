// The versions of one resource or of all of a type (hl7.org/fhir/R5/http.html#history).
import type { HistoryQuery, HistoryResult } from '#lib/fhir-store/history.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { type BundleEntry, bundleText } from '../bundle-text.ts';
import { type RouteContext, urlOf } from '../context.ts';
import { etagOf } from '../preferences.ts';
import type { FhirAnswer, FhirCall } from './call.ts';
import { recordLook } from './looks.ts';
import { pageLinks, readPaging, readPeriod } from './paging.ts';
import { readTypes } from './types.ts';

const DEFAULT_COUNT = 20;

/** Whose history: of one resource, or of a type when `id` is undefined. */
export interface HistoryAddress {
  readonly resourceType: string;
  readonly id: string | undefined;
}

/** @throws ServiceError `not_found`, `validation_error`, `invalid_request` */
export async function history(call: FhirCall, address: HistoryAddress, context: RouteContext): Promise<FhirAnswer> {
  const { options } = context;
  const interaction = address.id === undefined ? 'history-type' : 'history-instance';
  const access = options.access(call.principal, interaction);
  const query = { ...address, ...readPage(call.query) };
  const { versions, nextCursor } = await options.store.history(call.workplace.db, query, access);
  await recordLook(call, { action: 'R', interaction, resourceType: address.resourceType, versions }, context);
  const path = address.id === undefined ? address.resourceType : `${address.resourceType}/${address.id}`;
  return historyBundle(call, { versions, nextCursor, address: `${options.baseUrl}/${path}/_history` }, context);
}

/**
 * The versions of everything that the caller may read, newest first; `_type` narrows it to some types (hl7.org/fhir/R5/http.html#history).
 * @throws ServiceError `validation_error`, `invalid_request`
 */
export async function systemHistory(call: FhirCall, context: RouteContext): Promise<FhirAnswer> {
  const { options } = context;
  const access = options.access(call.principal, 'history-type');
  const types = readTypes(call, 'history-type', context);
  const { versions, nextCursor } = await options.store.systemHistory(
    call.workplace.db,
    { ...readPage(call.query), resourceTypes: types },
    access,
  );
  await recordLook(call, { action: 'R', interaction: 'history-system', resourceType: undefined, versions }, context);
  return historyBundle(call, { versions, nextCursor, address: `${options.baseUrl}/_history` }, context);
}

function historyBundle(
  { query }: FhirCall,
  { versions, nextCursor, address }: HistoryResult & { readonly address: string },
  context: RouteContext,
): FhirAnswer {
  const links = pageLinks(address, query, nextCursor);
  const head = { type: 'history' as const, total: undefined, links, timestamp: new Date() };
  return {
    status: 200,
    text: bundleText(
      head,
      versions.map((version) => historyEntry(version, context)),
    ),
  };
}

function historyEntry(version: StoredVersion, context: RouteContext): BundleEntry {
  const { resourceType, id, isDeleted } = version;
  const method = isDeleted ? 'DELETE' : version.version === 1 ? 'POST' : 'PUT';
  const status = isDeleted ? '204' : version.version === 1 ? '201' : '200';
  return {
    fullUrl: urlOf(context, version),
    resource: isDeleted ? undefined : version.content,
    request: { method, url: method === 'POST' ? resourceType : `${resourceType}/${id}` },
    response: { status, etag: etagOf(version), lastModified: version.lastUpdated.toISOString() },
  };
}

function readPage(given: URLSearchParams): Omit<HistoryQuery, 'resourceType' | 'id'> {
  const page = readPaging(given, DEFAULT_COUNT);
  const at = readPeriod(given, '_at');
  return { ...page, ...(at === undefined ? {} : { at }) };
}
