// Matches and sorts published definitions (those that are served without being stored) in memory, as the store's index
// does it (../store/search/sql/index-rows.ts, ../store/search/sql/sort-sql.ts), without an index.
import { containsText, indexedText, normaliseText, startsWithAtAnyWord } from '#fhir/search/extract/normalise.ts';
import { sortText } from '#fhir/search/extract/sort-text.ts';
import type { Criterion, SortKey, TokenValue, UriMatch } from '#fhir/search/parse/query.ts';
import { pathsAbove } from '#fhir/store/search/sql/uri-sql.ts';
import type { PublishedDefinition } from '#fhir/terminology/published.ts';

type Match = (definition: PublishedDefinition) => boolean;
type StringCriterion = Extract<Criterion, { kind: 'string' }>;

/** Parameters that a definition has an answer to. */
const PARAMETERS = ['url', 'version', 'status', 'name', 'title'] as const;
type Member = (typeof PARAMETERS)[number];

/** The system of each code; a version is of none. */
const SYSTEMS: Partial<Record<Member, string>> = { status: 'http://hl7.org/fhir/publication-status', version: '' };

/**
 * Whether all conditions hold; undefined where one of them asks for anything else than an id or one of
 * {@link PARAMETERS}.
 */
export function publishedMatch(criteria: readonly Criterion[]): Match | undefined {
  const matches: Match[] = [];
  for (const criterion of criteria) {
    const match = matchOf(criterion);
    if (match === undefined) return undefined;
    matches.push(match);
  }
  return (definition) => matches.every((match) => match(definition));
}

function matchOf(criterion: Criterion): Match | undefined {
  switch (criterion.kind) {
    case 'id':
      return ({ id }) => criterion.ids.includes(id);
    case 'missing':
    case 'uri':
    case 'string':
    case 'token':
      return memberMatch(criterion);
    case 'lastUpdated':
    case 'reference':
    case 'date':
    case 'quantity':
    case 'composite':
    case 'compartment':
    case 'codes':
    case 'selection':
    case 'mediaType':
    case 'hierarchy':
    case 'members':
    case 'near':
    case 'words':
    case 'unequal':
    case 'all':
    case 'any':
    case 'not':
    case 'chain':
    case 'has':
      return undefined;
    default:
      return criterion satisfies never;
  }
}

function memberMatch(
  criterion: Extract<Criterion, { kind: 'missing' | 'uri' | 'string' | 'token' }>,
): Match | undefined {
  const member = memberOf(criterion.parameter.code);
  if (member === undefined) return undefined;
  switch (criterion.kind) {
    case 'missing':
      return (definition) => (definition[member] === undefined) === criterion.isMissing;
    case 'uri': {
      const alternatives = criterion.values.flatMap((value) => addressMatch(value, criterion.match) ?? []);
      return alternatives.length < criterion.values.length ? undefined : ofAny(alternatives, member);
    }
    case 'string':
      return criterion.derived === undefined ? textMatch(criterion, member) : undefined;
    case 'token': {
      if (criterion.derived !== undefined) return undefined;
      const alternatives = criterion.values.map((value) => codeMatch(value, SYSTEMS[member] ?? ''));
      const match = ofAny(alternatives, member);
      return criterion.isNegated ? (definition) => !match(definition) : match;
    }
    default:
      return criterion satisfies never;
  }
}

function memberOf(code: string): Member | undefined {
  return PARAMETERS.find((each) => each === code);
}

type Holds = (value: string) => boolean;

function ofAny(alternatives: readonly Holds[], member: Member): Match {
  return (definition) => {
    const value = definition[member];
    return value !== undefined && alternatives.some((holds) => holds(value));
  };
}

/** Undefined for what is asked of canonicals: a `url` is none. */
function addressMatch(asked: string, match: UriMatch): Holds | undefined {
  switch (match) {
    case 'exact':
      return (value) => value === asked;
    case 'contains':
      return (value) => value.includes(asked);
    case 'below': {
      const folder = asked.endsWith('/') ? asked : `${asked}/`;
      return (value) => value === asked || value.startsWith(folder);
    }
    case 'above': {
      const paths = new Set(pathsAbove(asked));
      return (value) => paths.has(value);
    }
    case 'version-above':
    case 'version-below':
      return undefined;
    default:
      return match satisfies never;
  }
}

function codeMatch({ system, code }: TokenValue, ofMember: string): Holds {
  return (value) => (system === undefined || system === ofMember) && (code === undefined || code === value);
}

function textMatch({ match, values }: StringCriterion, member: Member): Match {
  return (definition) => {
    const value = definition[member];
    if (value === undefined) return false;
    if (match === 'exact') return values.includes(value);
    if (match === 'contains') return values.some((asked) => containsText(value, asked));
    const text = normaliseText(value);
    return values.some((asked) => holdsText(text, asked, match));
  };
}

function holdsText(
  text: string,
  asked: string,
  match: Exclude<StringCriterion['match'], 'exact' | 'contains'>,
): boolean {
  switch (match) {
    case 'prefix':
      return startsWithAtAnyWord(text, asked);
    case 'words':
      return asked.split(' ').every((word) => text.includes(word));
    case 'equal':
      return text === asked;
    case 'begins':
      return text.startsWith(asked);
    case 'ends':
      return text.endsWith(asked);
    default:
      return match satisfies never;
  }
}

/** What a definition is sorted by; null for what it does not say. */
export function publishedSort(
  definition: PublishedDefinition,
  sort: readonly SortKey[],
  sortLanguage: string,
): (string | null)[] {
  return sort.map(({ parameter: { code, type } }) => {
    if (code === '_id') return definition.id;
    const member = memberOf(code);
    const value = member === undefined ? undefined : definition[member];
    if (value === undefined) return null;
    return type === 'string' ? (sortText(value, sortLanguage) ?? indexedText(normaliseText(value))) : value;
  });
}

/** Below zero: `a` comes first. Values as the database orders them, by their bytes; what has none comes last. */
export function comparePlaces(
  a: readonly (string | null)[],
  b: readonly (string | null)[],
  sort: readonly SortKey[],
): number {
  for (const [at, { isDescending }] of sort.entries()) {
    const [left, right] = [a[at] ?? null, b[at] ?? null];
    if (left === right) continue;
    if (left === null || right === null) return left === null ? 1 : -1;
    const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}
