// Parses the entries of a batch or transaction, and names every error of their form
// (hl7.org/fhir/R5/http.html#transaction, bundle.html).

import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { entryResources, type ResourceText, readEntryResource } from '#fhir/resources/resource-text.ts';
import { type Issue, invalidRequest, ServiceError } from '#lib/errors.ts';
import { requireType } from '../http/content.ts';
import type { Conditions } from '../interactions/call.ts';
import type { RequestBudget } from '../threads/worker-threads.ts';
import { requireFew } from './entry-count.ts';
import { createTargetReader, type TargetReader } from './entry-target.ts';
import { type EntryContext, type EntryRequest, invalid, isOperation, type Method } from './request.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const CONDITION_NAMES = ['ifMatch', 'ifNoneMatch', 'ifModifiedSince', 'ifNoneExist'] as const;
const NO_CONDITIONS: Conditions = {};
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Parses all entries of a batch or transaction: the request of each, or its error.
 * @throws ServiceError `invalid_request` when there are no entries to read
 */
export function readEntries(
  bundle: ResourceText,
  context: EntryContext,
  budget?: RequestBudget,
): (EntryRequest | ServiceError)[] {
  const given = requireFew(bundle.resource['entry'] ?? []);
  const resources = entryResources(bundle);
  const read = createEntryReader(context, budget);
  return given.map((entry, index) => {
    const resource = resources[index];
    return read(entry, resource && (() => readEntryResource(bundle, resource)));
  });
}

/** Parses the entries of one bundle, one after the other: the request of each, or its error. */
export type EntryReader = (entry: unknown, resource: (() => ResourceText) | undefined) => EntryRequest | ServiceError;

/** @param budget of the request with the bundle: all its entries share it */
export function createEntryReader(context: EntryContext, budget?: RequestBudget): EntryReader {
  const { workerThreads } = context.options;
  const targets = createTargetReader(context);
  let count = 0;
  return (entry, resource) => {
    const index = count;
    count += 1;
    try {
      const request = readRequest({ entry, index, resource }, targets);
      if (request.source !== undefined && budget !== undefined) workerThreads?.share(request.source, budget);
      return request;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  };
}

/**
 * Returns the requests of a transaction if no entry has an error.
 * @throws ServiceError `invalid_request` naming every entry with an error
 */
export function requireAll(entries: readonly (EntryRequest | ServiceError)[]): EntryRequest[] {
  const issues: Issue[] = [];
  const requests = entries.map(inTransaction).flatMap((entry, index) => {
    if (!(entry instanceof ServiceError)) return [entry];
    const field = `Bundle.entry[${index}]`;
    issues.push({
      message: `Entry ${index + 1}: ${entry.message}`,
      field,
      code: entry.issues[0]?.code ?? 'structure',
    });
    return [];
  });
  if (issues.length > 0) throw invalidRequest(issues);
  return requests;
}

/**
 * Refuses operations that write: one could change what other entries write, and FHIR gives it no place in the order.
 */
function inTransaction(entry: EntryRequest | ServiceError): EntryRequest | ServiceError {
  if (entry instanceof ServiceError || !isOperation(entry) || !entry.operation.changes) return entry;
  const message = `${entry.operation.name} writes: it is no part of a transaction; call it by itself, or in a batch`;
  return new ServiceError('invalid_request', message, { issues: [{ message, code: 'not-supported' }] });
}

interface GivenEntry {
  readonly entry: unknown;
  readonly index: number;
  readonly resource: (() => ResourceText) | undefined;
}

/** @throws ServiceError `invalid_request`; `not_found` for an unknown address */
function readRequest({ entry, index, resource }: GivenEntry, targets: TargetReader): EntryRequest {
  const request = isJsonObject(entry) ? entry['request'] : undefined;
  if (!isJsonObject(entry) || !isJsonObject(request)) throw invalid('request is missing');
  const { method, url } = request;
  if (typeof method !== 'string' || !isMethod(method))
    throw invalid(`request.method must be one of ${[...METHODS].join(', ')}`);
  if (typeof url !== 'string') throw invalid('request.url is missing');
  const target = targets(method, url);
  const conditions = conditionsOf(request);
  if ('operation' in target) {
    if (resource !== undefined && method !== 'POST') throw invalid(`${method} takes no resource`);
    return { ...target, index, method, source: resource?.(), conditions };
  }
  const { fullUrl } = entry;
  if (fullUrl !== undefined && typeof fullUrl !== 'string') throw invalid('fullUrl must be a text');
  if (WITH_BODY.has(method) !== (resource !== undefined))
    throw invalid(resource === undefined ? `${method} needs a resource` : `${method} takes no resource`);
  const source = resource?.();
  if (source !== undefined && method !== 'PATCH') requireType(source, target.type.type);
  return { ...target, index, method, fullUrl, source, conditions };
}

function isMethod(method: string): method is Method {
  return METHODS.has(method);
}

function conditionsOf(request: JsonObject): Conditions {
  let conditions: { -readonly [K in keyof Conditions]: Conditions[K] } | undefined;
  for (const name of CONDITION_NAMES) {
    const value = request[name];
    if (typeof value !== 'string') continue;
    conditions ??= {};
    conditions[name] = value;
  }
  return conditions ?? NO_CONDITIONS;
}
