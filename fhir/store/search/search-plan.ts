// Plans a search: chooses the condition to start from, which is the one that leaves the fewest resources. The kind of a
// condition decides, or else a bounded count of its index rows (docs/adr/0012).

import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, compartmentRows } from '../access.ts';
import { isStartable, matchingKeys } from './sql/criterion-sql.ts';
import { type Dated, datedKeys, findDated, isDatedOnce } from './sql/dated-sql.ts';
import { findSpans, type Span, spanKeys } from './sql/span-sql.ts';
import type { SqlContext } from './sql/sql-context.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';
import type { Statistics } from './statistics-cache.ts';

/** Up to this number of resources, each is checked by itself without further planning. */
export const FEW = 1000;

/** Sets of more keys are not intersected: to read them would take longer than a page may. */
const LARGE = 100_000;
/** So many keys of a set are read in the time in which one key is checked. */
const CHECK_COST = 10;

/** What one index answers: a condition, or several together. */
type Part = Criterion | Dated | Span;

/** Resources that fulfil all of several conditions, found as sets of keys. */
interface Intersection {
  readonly kind: 'intersection';
  readonly parts: readonly Part[];
}

/** What a search may start from. */
export type Origin = Part | Intersection;

export interface Start {
  /** `own`: the resources in the compartment of the patient who searches. `all`: every resource of the type. */
  readonly at: Origin | 'own' | 'all';
  /** The criteria that every resource of the start fulfils. */
  readonly covered: readonly Criterion[];
  /** Upper bound of the index rows of the start; undefined where it was not counted; above {@link FEW} for many. */
  readonly size: number | undefined;
  /** Whether the planner knows nothing of the tables (docs/adr/0164). Then it is as one of few. */
  readonly isUnknown?: true;
}

/** Every resource of the type in the order of keys, each checked for all conditions. */
export const EACH: Start = { at: 'all', covered: [], size: FEW };

/** Types to which only few resources each refer. */
const OWNERS = new Set(['Patient', 'Encounter', 'EpisodeOfCare', 'RelatedPerson']);

interface Candidate {
  readonly at: Part;
  readonly covered: readonly Criterion[];
  readonly rank: number;
}

/** Chooses the start. Counts index rows only where the kinds of the criteria do not decide and no count is cached. */
export async function planStart(
  db: Queryable,
  query: SearchQuery,
  access: Access,
  statistics: Statistics,
): Promise<Start> {
  const candidates = candidatesOf(query);
  const [first] = candidates;
  if (first?.rank === 0) return { ...first, size: undefined };
  if (compartmentRows(access(query.resourceType), query.resourceType, new SqlValues()) !== undefined) {
    return { at: 'own', covered: [], size: undefined };
  }
  if (first === undefined) return { at: 'all', covered: [], size: FEW + 1 };
  if (first.rank === 1) return { ...first, size: undefined };
  // One index answers all criteria: its size would not change the plan.
  const isAlone = first.covered.length === query.criteria.length;
  if (isAlone && isReadInOrder(first.at, query)) return { ...first, size: FEW };
  const sizes = await sizesOf(db, candidates, { query, access, statistics, limit: FEW });
  const least = Math.min(...sizes);
  return { ...(candidates[sizes.indexOf(least)] ?? first), size: least };
}

/**
 * The start of a search whose matches are all counted and that has no rare condition: the intersection of the keys of
 * several. PostgreSQL would check each key of one condition for the others, as it expects few of them: to check a key
 * costs about ten times as much as to read one more of a set. Undefined where the sets are too large or too unequal.
 */
export async function planIntersection(
  db: Queryable,
  query: SearchQuery,
  access: Access,
  statistics: Statistics,
): Promise<Start | undefined> {
  const candidates = candidatesOf(query);
  if (candidates.length < 2) return undefined;
  const sizes = await sizesOf(db, candidates, { query, access, statistics, limit: LARGE });
  const largest = Math.min(LARGE, Math.min(...sizes) * CHECK_COST);
  const parts = candidates.filter((_, place) => (sizes[place] ?? Infinity) <= largest);
  return parts.length < 2 ? undefined : intersectionOf(parts);
}

/**
 * The start as the planner is to know it. Of tables without statistics it expects a row for each condition, and may
 * read all of an organisation's resources for each key. The statement is then carried out as written.
 */
export async function asKnown(db: Queryable, start: Start, statistics: Statistics): Promise<Start> {
  if (start === EACH) return start;
  const unknown = await statistics.getOrCompute(WITHOUT_STATISTICS, async () => {
    const { rows } = await db.query<{ tables: number }>(WITHOUT_STATISTICS);
    return rows[0]?.tables ?? 0;
  });
  return unknown === 0 ? start : { ...start, isUnknown: true };
}

/** Not of a table that is empty on this server: its rows may be on others, which plan with their own statistics. */
const WITHOUT_STATISTICS = `SELECT count(*)::int AS tables FROM pg_class c
  WHERE c.oid = to_regclass('fhir_' || 'resource') AND pg_relation_size(c.oid) > 0
    AND NOT EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = current_schema() AND s.tablename = c.relname)`;

function intersectionOf(candidates: readonly Candidate[]): Start {
  const parts = candidates.map(({ at }) => at);
  return { at: { kind: 'intersection', parts }, covered: candidates.flatMap(({ covered }) => covered), size: FEW + 1 };
}

/**
 * The first condition that a search may start from, without counting. For a search of several types (system-search.ts):
 * PostgreSQL plans its statement with the values, and so knows by itself how common they are.
 */
export function firstStart({ criteria }: SearchQuery): Start {
  const at = criteria.find(isStartable);
  return at === undefined ? { at: 'all', covered: [], size: FEW + 1 } : { at, covered: [at], size: FEW + 1 };
}

/** Whether a search by this alone reads the index in order, or has to read all of its rows anyway. */
function isReadInOrder(at: Part, { sort }: SearchQuery): boolean {
  if (at.kind === 'dated' || at.kind === 'span') return true;
  return sort.length === 0 && (at.kind === 'string' || isByKey({ at, covered: [], size: undefined }));
}

/**
 * Every possible start of the search, each as one of few resources and as one of many. All find the same matches.
 */
export function possibleStarts(query: SearchQuery): Start[] {
  const candidates = candidatesOf(query);
  const starts = candidates.flatMap((candidate) => [FEW, FEW + 1].map((size): Start => ({ ...candidate, size })));
  const together = candidates.length < 2 ? [] : [intersectionOf(candidates)];
  return [{ at: 'all', covered: [], size: FEW + 1 }, EACH, ...starts, ...together];
}

/** The possible starts, best first. */
function candidatesOf(query: SearchQuery): Candidate[] {
  const dated = findDated(query);
  const together: readonly Criterion[] = dated === undefined ? [] : [dated.code, ...dated.dates];
  const others = query.criteria.filter((criterion) => isStartable(criterion) && !together.includes(criterion));
  const spans = findSpans({ ...query, criteria: others });
  const candidates = others
    .filter(({ kind }) => kind !== 'date')
    .map((at): Candidate => ({ at, covered: [at], rank: rank(at) }));
  for (const span of spans) candidates.push({ at: span, covered: span.dates, rank: 3 });
  if (dated !== undefined) candidates.push({ at: dated, covered: together, rank: 3 });
  return candidates.sort((a, b) => a.rank - b.rank);
}

/** Expected number of resources with the value: lower is fewer. Ranks 0 and 1 are taken as few without a count. */
function rank(criterion: Criterion): number {
  switch (criterion.kind) {
    case 'token': {
      const isOwn = criterion.parameter.branches.some(([type]) => type === 'Identifier' || type === 'ContactPoint');
      return isOwn && criterion.values.every(({ code }) => code !== undefined && code !== '') ? 0 : 5;
    }
    case 'reference':
      return criterion.values.every((value) => value.kind === 'local' && value.types.some((type) => OWNERS.has(type)))
        ? 1
        : 2;
    case 'chain': {
      const inner = criterion.links.map((link) => (OWNERS.has(link.resourceType) ? rank(link.criterion) : 6));
      return Math.max(...inner) <= 0 ? 1 : 4;
    }
    case 'compartment':
      return OWNERS.has(criterion.compartment.type) ? 1 : 2;
    case 'composite':
    case 'uri':
      return 3;
    case 'string':
      return 4;
    default:
      return OTHER_RANKS[criterion.kind];
  }
}

/** Ranks of the kinds whose values say nothing of how many resources have them. */
const OTHER_RANKS = {
  date: 6,
  quantity: 6,
  selection: 6,
  mediaType: 6,
  near: 6,
  words: 6,
  has: 6,
  // Within a chain.
  id: 6,
  lastUpdated: 6,
  missing: 6,
  unequal: 6,
  hierarchy: 6,
  codes: 6,
  members: 6,
  all: 6,
  any: 6,
  not: 6,
} as const;

interface Sizing {
  readonly query: SearchQuery;
  readonly access: Access;
  readonly statistics: Statistics;
  readonly limit: number;
}

/** How many index rows each condition has, counted no further than the limit and one. */
async function sizesOf(db: Queryable, candidates: readonly Candidate[], sizing: Sizing): Promise<number[]> {
  const asked = candidates.map((candidate) => {
    const values = new SqlValues();
    const text = `SELECT FROM (${startingKeys(candidate.at, sizing, values)}) k LIMIT ${sizing.limit + 1}`;
    const key = JSON.stringify([text, values.list]);
    return { at: candidate.at, key, known: sizing.statistics.get(key) };
  });
  const unknown = asked.filter(({ known }) => known === undefined);
  const counted = unknown.length === 0 ? new Map<string, number>() : await count(db, unknown, sizing);
  return asked.map(({ key, known }) => known ?? counted.get(key) ?? 0);
}

async function count(
  db: Queryable,
  asked: readonly { readonly at: Part; readonly key: string }[],
  sizing: Sizing,
): Promise<Map<string, number>> {
  const values = new SqlValues();
  const counts = asked.map(
    ({ at }, index) =>
      `(SELECT count(*)::int FROM (SELECT FROM (${startingKeys(at, sizing, values)}) k LIMIT ${sizing.limit + 1}) c) AS n${index}`,
  );
  const { rows } = await db.query<Record<string, number>>(reusable(`SELECT ${counts.join(', ')}`), values.list);
  const sizes = new Map(asked.map(({ key }, index) => [key, rows[0]?.[`n${index}`] ?? 0]));
  for (const [key, size] of sizes) sizing.statistics.set(key, size);
  return sizes;
}

function startingKeys(at: Part, { query, access }: Sizing, values: SqlValues): string {
  const context = { values, access, isFenced: true };
  // The keys of `_has` are made distinct, which needs all of them: the matches of the inner condition are counted
  // instead.
  return at.kind === 'has'
    ? matchingKeys(at.criterion, at.parameter.resourceType, context)
    : originKeys(at, query.resourceType, context);
}

/** SQL of the keys (`rid`) of a start; dates are returned as `at`, but not of several conditions. */
export function originKeys(at: Origin, resourceType: string, context: SqlContext): string {
  if (at.kind === 'intersection') {
    const sets = at.parts.map((part) => `SELECT k.rid FROM (${originKeys(part, resourceType, context)}) k`);
    return sets.join(' INTERSECT ');
  }
  if (at.kind === 'dated') return datedKeys(at, context);
  return at.kind === 'span' ? spanKeys(at, context) : matchingKeys(at, resourceType, context);
}

/** Whether the index holds the keys of the start in order. */
export function isByKey({ at }: Start): boolean {
  if (typeof at === 'string') return true;
  if (at.kind === 'token') return at.values.length === 1 && (at.values[0]?.code ?? '') !== '';
  return (at.kind === 'reference' || at.kind === 'uri') && at.values.length === 1;
}

/** Whether the start has no resource twice. */
export function isEachOnce(start: Start): boolean {
  const { at } = start;
  if (typeof at === 'string') return false;
  if (at.kind === 'token') return isByKey(start) && at.values[0]?.system !== undefined;
  return (
    at.kind === 'intersection' || at.kind === 'span' || at.kind === 'words' || (at.kind === 'dated' && isDatedOnce(at))
  );
}
