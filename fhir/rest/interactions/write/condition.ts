// The search parameters by which a conditional interaction names its resource (hl7.org/fhir/R5/http.html#ccreate,
// #cond-update).

import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { requireRight } from '../../admission.ts';
import type { RouteContext } from '../../context.ts';
import type { FhirTypeOptions } from '../../options.ts';
import type { FhirCall } from '../call.ts';

/** Names in an address that say how to answer, not what is meant. */
const NOT_CONDITIONS = new Set(['_format', '_pretty']);

/**
 * Reads a condition, strictly: one that is not understood must never be taken as fulfilled. It reveals whether there is
 * such a resource, and so is for those who may search; for others there would never be one.
 * @throws ServiceError `invalid_request`, `validation_error`, `forbidden`
 */
export function readCondition(
  { principal }: FhirCall,
  given: Iterable<readonly [string, string]>,
  served: FhirTypeOptions,
  context: RouteContext,
): SearchQuery {
  requireRight(principal, { type: served, interaction: 'search-type' }, context);
  const { options } = context;
  const { type, search = {} } = served;
  const { aliases = new Map<string, string>() } = search;
  const parameters = [...given].filter(([name]) => !NOT_CONDITIONS.has(name));
  const condition = options.store.parse(type, parameters, { isStrict: true, aliases });
  if (condition.criteria.length > 0) return condition;
  // `_count` or `_sort` alone would be fulfilled by any resource of the type.
  throw new ServiceError('invalid_request', 'A conditional interaction needs search parameters that name the resource');
}

/**
 * The parameters of If-None-Exist, with or without a `?` or a type in front.
 * @throws ServiceError as `readCondition`
 */
export function readNoneExist(call: FhirCall, text: string, type: FhirTypeOptions, context: RouteContext): SearchQuery {
  return readCondition(call, readParameters(text), type, context);
}

/** The parameters of an If-None-Exist. */
export function readParameters(text: string): URLSearchParams {
  return new URLSearchParams(text.slice(text.indexOf('?') + 1));
}

/**
 * The one that is meant, of what the caller sees when searching; undefined when there is none.
 * @throws ServiceError `precondition_failed` when several are
 */
export function resolve(
  tx: Transaction,
  condition: SearchQuery,
  call: FhirCall,
  { options }: RouteContext,
): Promise<StoredVersion | undefined> {
  const wanted = { access: options.access(call.principal, 'search-type') };
  // A transaction bundle has reserved all its conditions at its beginning.
  if (call.execution.within !== undefined) return options.store.findOne(tx, condition, wanted);
  return options.store.resolve(tx, condition, wanted);
}
