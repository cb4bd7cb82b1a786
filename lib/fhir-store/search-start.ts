// Where a search begins: at the condition that leaves the fewest resources, known from its kind or by a look at the index
// (docs/adr/0012).
import type { Queryable } from '#lib/db/database.ts';
import type { Criterion, SearchQuery } from '#lib/fhir/search/query.ts';
import { type Access, compartmentRows } from './access.ts';
import { isStartable, matchingKeys } from './criterion-sql.ts';
import type { PlanMemory } from './plan-memory.ts';
import { reusable, SqlValues } from './sql-values.ts';

/** So many resources are looked at one by one without a second thought. */
export const FEW = 1000;

export interface Start {
  /** `own`: what lies in the compartment of the patient who asks. `all`: every resource of the type. */
  readonly at: Criterion | 'own' | 'all';
  /** Upper bound of the index rows it begins with; undefined where nobody looked, more than {@link FEW} for many. */
  readonly size: number | undefined;
}

/** Types of which many resources refer to the same one; a patient's or an encounter's own are few. */
const OWNERS = new Set(['Patient', 'Encounter', 'EpisodeOfCare', 'RelatedPerson']);

/** Chooses the start; asks the database about sizes only where kinds do not settle it and nobody did lately. */
export async function chooseStart(
  db: Queryable,
  query: SearchQuery,
  access: Access,
  memory: PlanMemory,
): Promise<Start> {
  const startable = query.criteria.filter(isStartable).sort((a, b) => rank(a) - rank(b));
  const [first] = startable;
  if (first !== undefined && rank(first) === 0) return { at: first, size: undefined };
  if (compartmentRows(access(query.resourceType), query.resourceType, new SqlValues()) !== undefined) {
    return { at: 'own', size: undefined };
  }
  if (first === undefined) return { at: 'all', size: FEW + 1 };
  if (rank(first) === 1) return { at: first, size: undefined };
  const sizes = await sizesOf(db, startable, { query, access, memory });
  const least = Math.min(...sizes);
  return { at: startable[sizes.indexOf(least)] ?? first, size: least };
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
  readonly memory: PlanMemory;
}

/** How many index rows each condition has, counted no further than {@link FEW} and one. */
async function sizesOf(db: Queryable, criteria: readonly Criterion[], sizing: Sizing): Promise<number[]> {
  const sizes = criteria.map((criterion) => sizing.memory.recall(sizeKey(criterion, sizing)));
  const unknown = criteria.filter((_, index) => sizes[index] === undefined);
  if (unknown.length === 0) return sizes.map((size) => size ?? 0);
  const values = new SqlValues();
  const context = { values, access: sizing.access, isFenced: true };
  const counts = unknown.map((criterion, index) => {
    const keys = matchingKeys(criterion, sizing.query.resourceType, context);
    return `(SELECT count(*)::int FROM (SELECT FROM (${keys}) k LIMIT ${FEW + 1}) c) AS n${index}`;
  });
  const { rows } = await db.query<Record<string, number>>(reusable(`SELECT ${counts.join(', ')}`), values.list);
  const counted = unknown.map((_, index) => rows[0]?.[`n${index}`] ?? 0);
  for (const [index, criterion] of unknown.entries())
    sizing.memory.keep(sizeKey(criterion, sizing), counted[index] ?? 0);
  return criteria.map((criterion, index) => sizes[index] ?? counted[unknown.indexOf(criterion)] ?? 0);
}

/** Who asks matters only to the size of what is reached through others. */
function sizeKey(criterion: Criterion, { query, access }: Sizing): string {
  const values = new SqlValues();
  const text = matchingKeys(criterion, query.resourceType, { values, access, isFenced: true });
  return JSON.stringify([text, values.list]);
}
