// Parses the query of a search to a SearchQuery; every error is reported (decision G6; hl7.org/fhir/R5/search.html).
import { append } from '#lib/append.ts';
import { type Issue, validationError } from '#lib/errors.ts';
import { PATIENT_COMPARTMENT } from '../extract/extraction-plan.ts';
import { nameKey } from '../extract/keys.ts';
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import type { SearchBudget } from './criterion-context.ts';
import { parseCriterion } from './parse-criterion.ts';
import { readInclude } from './parse-include.ts';
import { isSearchable } from './parse-special.ts';
import { UnreadableValue } from './parse-value.ts';
import type {
  Compartment,
  Criterion,
  Include,
  SearchQuery,
  SortKey,
  SortParameter,
  SummaryMode,
  TotalMode,
} from './query.ts';

const DEFAULT_COUNT = 20;
const MAX_COUNT = 1000;
const MAX_PER_PAGE = 200;
/** The most parameters of a query; more are a mistake or an attack. */
const MAX_CONDITIONS = 100;
/** The budget of all conditions together: their values, and the conditions that their chains expand to. */
const MAX_COMPARED = 2000;
const MAX_SORT_KEYS = 10;

export interface ParseOptions {
  readonly parameters: SearchParameters;
  /** `Prefer: handling=strict`: an unknown parameter is an error instead of being ignored. */
  readonly isStrict?: boolean;
  /** Takes `page` and `per_page` (1–200), and `_offset`, as dispatch's contract has them. */
  readonly hasPages?: boolean;
  /** Other names of search parameters: `patient_guid` for `patient`. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Only resources in this compartment; its type and the searched one must have compartments. */
  readonly compartment?: Compartment;
  /** Names that the caller handles itself; they appear in the self link. */
  readonly ownNames?: ReadonlySet<string>;
}

/** The query while its parameters are read one after the other. */
interface Draft {
  readonly resourceType: string;
  readonly criteria: Criterion[];
  readonly includes: Include[];
  readonly sort: SortKey[];
  readonly elements: string[];
  readonly understood: [string, string][];
  readonly budget: SearchBudget;
  count?: number;
  offset?: number;
  page?: number;
  cursor?: string;
  total?: TotalMode;
  summary?: SummaryMode;
}

type Reader = (value: string, draft: Draft, options: ParseOptions, name: string) => void;

const READERS: Readonly<Record<string, Reader>> = {
  _count: (value, draft) => {
    draft.count = Math.min(wholeNumber(value, 0), MAX_COUNT);
    if (draft.count === 0) draft.summary = 'count';
  },
  _cursor: (value, draft) => {
    draft.cursor = value;
  },
  _total: (value, draft) => {
    draft.total = oneOf(value, ['accurate', 'estimate', 'none']);
  },
  _summary: (value, draft) => {
    draft.summary = oneOf(value, ['true', 'text', 'data', 'count', 'false']);
  },
  _elements: (value, draft) => {
    append(
      draft.elements,
      value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    );
  },
  _sort: (value, draft, options) => {
    const names = value.split(',');
    if (draft.sort.length + names.length > MAX_SORT_KEYS)
      throw new UnreadableValue(`must name at most ${MAX_SORT_KEYS} parameters`);
    for (const name of names) draft.sort.push(sortKey(name, draft, options));
  },
  _include: (value, draft, { parameters }, name) => readInclude(name, value, draft, parameters),
  _revinclude: (value, draft, { parameters }, name) => readInclude(name, value, draft, parameters),
  _contained: (value) => {
    if (value !== 'false')
      throw new UnreadableValue('must be false: contained resources are not searched', 'not-supported');
  },
  _containedType: refused('contained resources are not searched'),
  _maxresults: refused('the pages of a search end when the client stops asking'),
  _score: refused('matches are not ranked'),
  _graph: refused('no graphs are followed; use _include'),
};

/** A parameter that FHIR has and this server has not. */
function refused(why: string): Reader {
  return () => {
    throw new UnreadableValue(`is not supported: ${why}`, 'not-supported');
  };
}

const PAGE_READERS: Readonly<Record<string, Reader>> = {
  page: (value, draft) => {
    draft.page = wholeNumber(value, 1);
  },
  per_page: (value, draft) => {
    draft.count = wholeNumber(value, 1);
    if (draft.count > MAX_PER_PAGE) throw new UnreadableValue(`must be at most ${MAX_PER_PAGE}`);
  },
  _offset: (value, draft) => {
    draft.offset = wholeNumber(value, 0);
  },
};

/**
 * Reads the parameters of a search on one type, in the order given.
 * @throws ServiceError `validation_error` naming each parameter that cannot be read, or under strict handling is
 * unknown
 */
export function parseSearch(
  resourceType: string,
  given: Iterable<readonly [name: string, value: string]>,
  options: ParseOptions,
): SearchQuery {
  const draft = emptyDraft(resourceType);
  if (options.compartment !== undefined) {
    draft.criteria.push(compartmentCriterion(resourceType, options.compartment, options.parameters));
  }
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [name, value] of given) {
    try {
      requireOnce(name, seen, options);
      if (value.includes('\0')) throw new UnreadableValue('must not contain a null character');
      if (readParameter(name, value, draft, options)) draft.understood.push([name, value]);
      else if (options.isStrict)
        issues.push({
          message: `${resourceType} has no search parameter ${name}`,
          field: name,
          code: 'not-supported',
        });
    } catch (error) {
      if (!(error instanceof UnreadableValue)) throw error;
      issues.push({ message: `${name} ${error.message}`, field: name, code: error.issue });
    }
  }
  if (draft.page !== undefined && draft.offset !== undefined)
    issues.push({ message: 'page and _offset both say where the page begins', field: '_offset', code: 'conflict' });
  if (seen.has('_count') && seen.has('per_page'))
    issues.push({
      message: '_count and per_page both say how much a page holds',
      field: 'per_page',
      code: 'conflict',
    });
  if (draft.criteria.length > MAX_CONDITIONS)
    issues.push({ message: `More than ${MAX_CONDITIONS} conditions`, code: 'too-costly' });
  if (issues.length > 0) throw validationError(issues);
  return finish(draft, options.parameters.sortLanguage);
}

/** Parameters that may occur once; a repeated condition narrows the search further. */
const SINGLE: ReadonlySet<string> = new Set(['_count', '_cursor', '_total', '_summary']);

/** @throws UnreadableValue for a second value of a parameter that may occur once */
function requireOnce(name: string, seen: Set<string>, { hasPages, ownNames }: ParseOptions): void {
  const base = name.split(':')[0] ?? '';
  const isSingle = SINGLE.has(base) || ownNames?.has(base) || (hasPages && Object.hasOwn(PAGE_READERS, base));
  if (!isSingle) return;
  if (seen.has(base)) throw new UnreadableValue('must be given once');
  seen.add(base);
}

function compartmentCriterion(resourceType: string, compartment: Compartment, parameters: SearchParameters): Criterion {
  if (compartment.type === 'Patient') {
    return { kind: 'compartment', compartment, keys: [nameKey(`${resourceType}.${PATIENT_COMPARTMENT}`)] };
  }
  const byCode = parameters.forType(resourceType);
  const codes = parameters.compartmentParameters(compartment.type, resourceType);
  // `{def}`: the compartment's own resource.
  if (codes.includes('{def}')) return { kind: 'id', ids: [compartment.id] };
  const keys = codes.flatMap((code) => byCode.get(code)?.key ?? []);
  return { kind: 'compartment', compartment, keys };
}

function emptyDraft(resourceType: string): Draft {
  const budget = { left: MAX_COMPARED };
  return { resourceType, criteria: [], includes: [], sort: [], elements: [], understood: [], budget };
}

function finish({ page, offset, budget: _budget, ...draft }: Draft, sortLanguage: string): SearchQuery {
  const count = draft.count ?? DEFAULT_COUNT;
  return {
    ...draft,
    count,
    offset: offset ?? (page === undefined ? 0 : (page - 1) * count),
    cursor: draft.cursor,
    sortLanguage,
    total: draft.total,
    summary: draft.summary ?? 'false',
  };
}

/** Reads a parameter; returns whether it is known. */
function readParameter(name: string, value: string, draft: Draft, options: ParseOptions): boolean {
  if (options.ownNames?.has(name)) return true;
  const base = name.split(':')[0] ?? '';
  const reader = ownReader(READERS, base) ?? (options.hasPages ? ownReader(PAGE_READERS, base) : undefined);
  if (reader !== undefined) {
    if (value === '') throw new UnreadableValue('must have a value');
    reader(value, draft, options, name);
    return true;
  }
  const criterion = parseCriterion(
    { resourceType: draft.resourceType, name: options.aliases?.get(name) ?? name, value },
    options.parameters,
    draft.budget,
  );
  if (criterion !== undefined) draft.criteria.push(criterion);
  return criterion !== undefined;
}

/** Own members only: every object inherits `constructor` and `toString`. */
function ownReader(readers: Readonly<Record<string, Reader>>, name: string): Reader | undefined {
  return Object.hasOwn(readers, name) ? readers[name] : undefined;
}

function sortKey(text: string, { resourceType }: Draft, { parameters }: ParseOptions): SortKey {
  const isDescending = text.startsWith('-');
  const code = isDescending ? text.slice(1) : text;
  const parameter = parameters.forType(resourceType).get(code);
  if (code === '_score') throw new UnreadableValue('cannot sort by _score: matches are not ranked', 'not-supported');
  if (parameter === undefined || !isSortable(parameter))
    throw new UnreadableValue(code === '' ? 'names nothing between two commas' : `cannot sort by ${code}`);
  return { parameter, isDescending };
}

function isSortable(parameter: SearchParameter): parameter is SortParameter {
  const { code, type } = parameter;
  if (type === 'composite' || type === 'special' || code === '_in' || code === '_text') return false;
  return isSearchable(parameter);
}

const LARGEST_NUMBER = 999_999_999;

function wholeNumber(text: string, least: number): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < least)
    throw new UnreadableValue(`must be a whole number from ${least} to ${LARGEST_NUMBER}`);
  return value;
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((item) => item === value);
  if (found === undefined) throw new UnreadableValue(`must be one of ${allowed.join(', ')}`);
  return found;
}
