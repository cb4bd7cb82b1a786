// Parses a search over several types (hl7.org/fhir/R5/search.html#searchcontexts): one search of each type, with the
// parameters that all types have.
import { validationError } from '#lib/errors.ts';
import { COMPUTED_TYPES } from '../parameters/definitions.ts';
import { type ParseOptions, parseSearch } from './parse.ts';
import { isOfWords } from './parse-special.ts';
import type { SearchQuery } from './query.ts';

type QueryParameters = readonly (readonly [name: string, value: string])[];

/**
 * The search of each type. A parameter that one of the types lacks is an error under strict handling, and is otherwise
 * ignored for all types.
 * @throws ServiceError `validation_error`
 */
export function parseSystemSearch(
  asked: readonly string[],
  given: QueryParameters,
  options: ParseOptions,
): SearchQuery[] {
  const types = withoutComputed(asked, given);
  const conditions = given.filter(([name]) => name !== '_type');
  const read = (kept: QueryParameters) => types.map((type) => parseSearch(type, kept, { ...options, isStrict: false }));
  const queries = read(conditions);
  const isCommon = ([name]: readonly [string, string]) =>
    queries.every(({ understood }) => understood.some(([known]) => known === name));
  const common = conditions.filter(isCommon);
  if (common.length === conditions.length) return queries;
  if (options.isStrict === true)
    throw validationError(conditions.filter((each) => !isCommon(each)).map(([name]) => missing(name, queries)));
  return read(common);
}

/** Words find no computed types: they are left out of a search for words that does not name them. */
function withoutComputed(types: readonly string[], given: QueryParameters): readonly string[] {
  const isOfWord = ([name]: readonly [string, string]) => isOfWords({ code: name.split(':')[0] ?? '' });
  if (!given.some(isOfWord)) return types;
  const named = new Set(given.flatMap(([name, value]) => (name === '_type' ? value.split(',') : [])));
  return types.filter((type) => named.has(type) || !COMPUTED_TYPES.has(type));
}

function missing(name: string, queries: readonly SearchQuery[]): { message: string; field: string; code: string } {
  const without = queries.filter(({ understood }) => !understood.some(([known]) => known === name));
  const [first] = without;
  const who =
    without.length > 1 ? `${first?.resourceType} and ${without.length - 1} more have` : `${first?.resourceType} has`;
  return { message: `${who} no search parameter ${name}`, field: name, code: 'not-supported' };
}
