// Where a search begins: at the condition that leaves the fewest resources, known from its kind or by a look at the
// index (docs/adr/0012).

import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, compartmentRows } from '../access.ts';
import { isStartable, matchingKeys } from './sql/criterion-sql.ts';
import { type Dated, datedKeys, findDated, isDatedOnce } from './sql/dated-sql.ts';
import { findSpans, type Span, spanKeys } from './sql/span-sql.ts';
import type { SqlContext } from './sql/sql-context.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';
import type { StatisticsCache } from './statistics-cache.ts';

/** So many resources are looked at one by one without a second thought. */
export const FEW = 1000;

/** Conditions that one index answers together. */
export type Origin = Criterion | Dated | Span;

export interface Start {
  /** `own`: what lies in the compartment of the patient who asks. `all`: every resource of the type. */
  readonly at: Origin | 'own' | 'all';
  /** What needs no further condition. */
  readonly covered: readonly Criterion[];
  /** Upper bound of the index rows it begins with; undefined where nobody looked, more than {@link FEW} for many. */
  readonly size: number | undefined;
}

/** Every resource of the type in the order of keys, each asked for all conditions. */
export const EACH: Start = { at: 'all', covered: [], size: FEW };

/** Types of which many resources refer to the same one; a patient's or an encounter's own are few. */
const OWNERS = new Set(['Patient', 'Encounter', 'EpisodeOfCare', 'RelatedPerson']);

interface Candidate {
  readonly at: Origin;
  readonly covered: readonly Criterion[];
  readonly rank: number;
}

/** Chooses the start; asks the database about sizes only where kinds do not settle it and nobody did lately. */
export async function chooseStart(
  db: Queryable,
  query: SearchQuery,
  access: Access,
  memory: StatisticsCache,
): Promise<Start> {
  const candidates = candidatesOf(query);
  const [first] = candidates;
  if (first?.rank === 0) return { ...first, size: undefined };
  if (compartmentRows(access(query.resourceType), query.resourceType, new SqlValues()) !== undefined) {
    return { at: 'own', covered: [], size: undefined };
  }
  if (first === undefined) return { at: 'all', covered: [], size: FEW + 1 };
  if (first.rank === 1) return { ...first, size: undefined };
  // Where everything follows from one index, nothing is gained by knowing how much it is.
  const isAlone = first.covered.length === query.criteria.length;
  if (isAlone && isReadAsItIs(first.at, query)) return { ...first, size: FEW };
  const sizes = await sizesOf(db, candidates, { query, access, memory });
  const least = Math.min(...sizes);
  return { ...(candidates[sizes.indexOf(least)] ?? first), size: least };
}

/** Whether a search by this alone reads the index in order, or needs all that there is. */
function isReadAsItIs(at: Origin, { sort }: SearchQuery): boolean {
  if (at.kind === 'dated' || at.kind === 'span') return true;
  return sort.length === 0 && (at.kind === 'string' || isByKey({ at, covered: [], size: undefined }));
}

/**
 * Every start that the search could be given, as one of few resources and as one of many: all lead to the same matches.
 */
export function possibleStarts(query: SearchQuery): Start[] {
  const starts = candidatesOf(query).flatMap((candidate) =>
    [FEW, FEW + 1].map((size): Start => ({ ...candidate, size })),
  );
  return [{ at: 'all', covered: [], size: FEW + 1 }, EACH, ...starts];
}

/** What the search may start with, best first. */
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

/** Smaller: fewer resources are expected to share the value. 0 and 1 are taken as few without a look. */
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
      return 6;
  }
}

interface Sizing {
  readonly query: SearchQuery;
  readonly access: Access;
  readonly memory: StatisticsCache;
}

/** How many index rows each condition has, counted no further than {@link FEW} and one. */
async function sizesOf(db: Queryable, candidates: readonly Candidate[], sizing: Sizing): Promise<number[]> {
  const asked = candidates.map((candidate) => {
    const values = new SqlValues();
    const text = `SELECT FROM (${startingKeys(candidate.at, sizing, values)}) k LIMIT ${FEW + 1}`;
    const key = JSON.stringify([text, values.list]);
    return { at: candidate.at, key, known: sizing.memory.recall(key) };
  });
  const unknown = asked.filter(({ known }) => known === undefined);
  const counted = unknown.length === 0 ? new Map<string, number>() : await count(db, unknown, sizing);
  return asked.map(({ key, known }) => known ?? counted.get(key) ?? 0);
}

async function count(
  db: Queryable,
  asked: readonly { readonly at: Origin; readonly key: string }[],
  sizing: Sizing,
): Promise<Map<string, number>> {
  const values = new SqlValues();
  const counts = asked.map(
    ({ at }, index) =>
      `(SELECT count(*)::int FROM (SELECT FROM (${startingKeys(at, sizing, values)}) k LIMIT ${FEW + 1}) c) AS n${index}`,
  );
  const { rows } = await db.query<Record<string, number>>(reusable(`SELECT ${counts.join(', ')}`), values.list);
  const sizes = new Map(asked.map(({ key }, index) => [key, rows[0]?.[`n${index}`] ?? 0]));
  for (const [key, size] of sizes) sizing.memory.keep(key, size);
  return sizes;
}

function startingKeys(at: Origin, { query, access }: Sizing, values: SqlValues): string {
  const context = { values, access, isFenced: true };
  // What refers to a resource is made distinct, all of it: as many as fulfil the inner condition are looked at instead.
  return at.kind === 'has'
    ? matchingKeys(at.criterion, at.parameter.resourceType, context)
    : originKeys(at, query.resourceType, context);
}

/** The keys (`rid`) of what a search may start with; dates come along as `at`. */
export function originKeys(at: Origin, resourceType: string, context: SqlContext): string {
  if (at.kind === 'dated') return datedKeys(at, context);
  return at.kind === 'span' ? spanKeys(at, context) : matchingKeys(at, resourceType, context);
}

/** Whether the index has what the search starts with in the order of keys. */
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
  return at.kind === 'span' || at.kind === 'words' || (at.kind === 'dated' && isDatedOnce(at));
}
