// Parses the query of a FHIR request with the search of fhir/, limited to what identity supports (decision G6).
import type { FastifyRequest } from 'fastify';
import { readPreferences } from '#fhir/rest/http/preferences.ts';
import type { SubsetRequest } from '#fhir/rest/subset.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { parseSearch } from '#fhir/search/parse/parse.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import { validationError } from '#lib/errors.ts';

const FORMAT_NAMES: ReadonlySet<string> = new Set(['_format', '_pretty']);
const SUBSET_NAMES = new Set(['_summary', '_elements']);
const CONTROL_NAMES = new Set(['_count', '_cursor', '_total', ...SUBSET_NAMES, ...FORMAT_NAMES]);

/**
 * @throws ServiceError `validation_error` naming each parameter that cannot be parsed or, under strict handling, is not
 * supported
 */
export function readSearch(
  request: FastifyRequest,
  type: string,
  given: URLSearchParams,
  parameters: SearchParameters,
): SearchQuery {
  const { isStrict } = readPreferences(request.headers['prefer']);
  const served = parameters.forType(type);
  // Chains and includes lead to types that the directory does not search.
  const isServed = (name: string) => /^\w[^.]*$/.test(name) && (CONTROL_NAMES.has(name) || served.has(baseOf(name)));
  const unserved = [...new Set(given.keys())].filter((name) => !isServed(name));
  if (isStrict && unserved.length > 0) {
    throw validationError(
      unserved.map((name) => ({
        message: `${type} has no search parameter ${name} here`,
        field: name,
        code: 'not-supported',
      })),
    );
  }
  const known = [...given].filter(([name]) => isServed(name));
  return parseSearch(type, known, { parameters, isStrict, ownNames: FORMAT_NAMES });
}

/** The elements that a read omits. @throws ServiceError `validation_error` */
export function readSubset(type: string, given: URLSearchParams, parameters: SearchParameters): SubsetRequest {
  const { summary, elements } = parseSearch(
    type,
    [...given].filter(([name]) => SUBSET_NAMES.has(name)),
    { parameters },
  );
  return { summary, elements };
}

function baseOf(name: string): string {
  return name.split(':')[0] ?? '';
}
