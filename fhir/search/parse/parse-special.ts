// Parses the search parameters that FHIR calls special, and refuses those that this server does not support
// (hl7.org/fhir/R5/search.html#special, #list, #in, #content, #text; hl7.org/fhir/R5/location.html#positional).
import { canonicalRange } from '#fhir/ucum/canonical-quantity.ts';
import { isFhirId } from '../../primitives/primitives.ts';
import { parseReference } from '../../resources/references.ts';
import { COLUMN_PARAMETERS, COMPUTED_TYPES, type SearchParameter } from '../parameters/definitions.ts';
import { type CriterionContext, type QueryParameter, unknownModifier } from './criterion-context.ts';
import { filterCriterion } from './filter-criterion.ts';
import { splitEscaped, UnreadableValue, unescapeValue } from './parse-value.ts';
import type { Criterion, Place } from './query.ts';

interface SpecialParameter extends QueryParameter {
  readonly parameter: SearchParameter;
  readonly modifier: string | undefined;
}

type Reader = (given: SpecialParameter, context: CriterionContext) => Criterion;

/** The types whose members `_in` finds. */
const COLLECTIONS = ['CareTeam', 'Group', 'List'] as const;

const READERS: Readonly<Record<string, Reader>> = {
  _text: (given) => words(given, true),
  _content: (given) => words(given, false),
  _list: (given, context) => members(given, ['List'], context),
  _in: (given, context) => members(given, COLLECTIONS, context),
  _filter: ({ resourceType, value }, context) => filterCriterion(value, resourceType, context),
  near: ({ parameter, value }) => ({ kind: 'near', parameter, places: splitEscaped(value, ',').map(parsePlace) }),
};

/**
 * The condition; undefined for a parameter that is not special.
 * @throws UnreadableValue for a parameter that is not supported
 */
export function parseSpecial(given: SpecialParameter, context: CriterionContext): Criterion | undefined {
  const { parameter, modifier } = given;
  const reader = Object.hasOwn(READERS, parameter.code) ? READERS[parameter.code] : undefined;
  const isOwn = reader !== undefined && isSearchable(parameter);
  if (isOwn && modifier !== undefined) throw unknownModifier(modifier);
  if (isOwn) return reader(given, context);
  if (isOfWords(parameter) && COMPUTED_TYPES.has(parameter.resourceType))
    throw new UnreadableValue(`does not find ${parameter.resourceType}s: their words are not indexed`, 'not-supported');
  if (!isSearchable(parameter)) throw new UnreadableValue('cannot be searched by on this server', 'not-supported');
  return undefined;
}

export function isOfWords({ code }: Pick<SearchParameter, 'code'>): boolean {
  return code === '_text' || code === '_content';
}

/** Whether a search can use the parameter. */
export function isSearchable({ code, type, resourceType, branches, groups }: SearchParameter): boolean {
  if (code === 'near') return resourceType === 'Location';
  if (isOfWords({ code }) && COMPUTED_TYPES.has(resourceType)) return false;
  if (code.startsWith('_') && Object.hasOwn(READERS, code)) return true;
  return type !== 'special' && (branches.length + groups.length > 0 || COLUMN_PARAMETERS.has(code));
}

/** The most characters of a word search: the database parses it recursively. */
const MAX_WORDS_LENGTH = 4000;

function words({ resourceType, value }: SpecialParameter, isNarrative: boolean): Criterion {
  if (value.length > MAX_WORDS_LENGTH) throw new UnreadableValue(`must have at most ${MAX_WORDS_LENGTH} characters`);
  const texts = splitEscaped(value, ',').map((text) => unescapeValue(text).trim());
  if (texts.some((text) => !/[\p{L}\p{N}]/u.test(text))) {
    throw new UnreadableValue('must contain a letter or a digit');
  }
  return { kind: 'words', resourceType, isNarrative, texts };
}

function members(
  { resourceType, name, value }: SpecialParameter,
  types: readonly string[],
  { parameters }: CriterionContext,
): Criterion {
  const collections = splitEscaped(value, ',').map((text) => {
    if (text.startsWith('$')) {
      throw new UnreadableValue(`cannot name ${text}: current lists are not kept here`, 'not-supported');
    }
    if (isFhirId(text)) return { types, id: text };
    const address = parseReference(text, parameters.baseUrl);
    if (address?.kind === 'relative' && types.includes(address.type)) return { types: [address.type], id: address.id };
    throw new UnreadableValue(`must be an id or the address of a ${types.join(', ')}`);
  });
  return { kind: 'members', name, resourceType, collections };
}

const DEFAULT_KM = 50;
const MAX_METRES = 20_100_000;
/** Common names of units, with their UCUM codes. */
const LENGTHS: Readonly<Record<string, string>> = { mi: '[mi_i]', miles: '[mi_i]', ft: '[ft_i]', yd: '[yd_i]' };

/** `latitude|longitude|distance|units`; 50 km when no distance is given. */
function parsePlace(text: string): Place {
  const [latitude, longitude, distance = String(DEFAULT_KM), unit = 'km', ...rest] = splitEscaped(text, '|').map(
    unescapeValue,
  );
  if (latitude === undefined || longitude === undefined || rest.length > 0) {
    throw new UnreadableValue('must be latitude|longitude|distance|units');
  }
  const metres = canonicalRange(1, 1, LENGTHS[unit] ?? unit);
  if (metres?.unit !== 'm') throw new UnreadableValue(`must have a unit of length: ${unit} is none`);
  const within = numberWithin(distance, 'distance', [0, MAX_METRES / metres.low]) * metres.low;
  return {
    latitude: numberWithin(latitude, 'latitude', [-90, 90]),
    longitude: numberWithin(longitude, 'longitude', [-180, 180]),
    distance: within,
  };
}

function numberWithin(text: string, name: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (!/^-?\d+(\.\d+)?$/.test(text) || value < least || value > most) {
    throw new UnreadableValue(`must have a ${name} from ${least} to ${Math.floor(most)}`);
  }
  return value;
}
