// Searches by a period: all conditions on one date parameter are answered by one range scan of its index
// (docs/adr/0012).
import { LONGEST_DATED } from '#fhir/search/extract/dated-codes.ts';
import { derivedKey } from '#fhir/search/extract/derived-keys.ts';
import type { Criterion, RangeValue, SearchQuery, SortKey } from '#fhir/search/parse/query.ts';
import { criterionCondition } from './criterion-sql.ts';
import { type Bounds, dateCondition } from './range-sql.ts';
import { sortExpression } from './sort-sql.ts';
import type { SqlContext } from './sql-context.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf } from './text-sql.ts';

type DateCriterion = Extract<Criterion, { kind: 'date' }>;

export interface Span {
  readonly kind: 'span';
  /** Of one parameter. */
  readonly dates: readonly [DateCriterion, ...DateCriterion[]];
  /** By the date itself, where the search sorts by it first: then it comes along as the column `at`. */
  readonly sort: SortKey | undefined;
}

const BOUNDS: Bounds = { low: 'i.low', high: 'i.high', type: 'bigint' };

/** The conditions of each date. */
export function findSpans({ criteria, sort }: SearchQuery): Span[] {
  const dates = criteria.filter((criterion) => criterion.kind === 'date');
  const [first] = sort;
  return [...Map.groupBy(dates, ({ parameter }) => parameter.key)].flatMap(([key, [date, ...more]]): Span[] => {
    if (date === undefined) return [];
    return [{ kind: 'span', dates: [date, ...more], sort: first?.parameter.key === key ? first : undefined }];
  });
}

/** The keys of those that fulfil the conditions, each once, with the value `at` to sort by. */
export function spanKeys(span: Span, context: SqlContext): string {
  const { parameter } = span.dates[0];
  const { values } = context;
  const param = values.key(parameter.key);
  const several = values.key(derivedKey(parameter, 'several'));
  const single = `NOT EXISTS (SELECT FROM fhir_date s WHERE s.rid = i.rid AND s.param = ${several})`;
  const [short, long] = [shortDateCondition, dateCondition].map((conditionOf) =>
    span.dates.map((date) => anyOf(date.values.map((value) => conditionOf(value, values, BOUNDS)))).join(' AND '),
  );
  const ofSeveral = span.dates.map((date) => criterionCondition(date, 'd', context)).join(' AND ');
  const at = span.sort === undefined ? 'NULL::bigint' : sortExpression(span.sort, 'd', values);
  const rows = (condition: string) =>
    `SELECT i.rid, i.low AS at FROM fhir_date i WHERE i.param = ${param} AND ${condition} AND ${single}`;
  return [
    rows(`i.high - i.low <= ${LONGEST_DATED} AND ${short}`),
    rows(`i.high - i.low > ${LONGEST_DATED} AND ${long}`),
    `SELECT d.rid, ${at} AS at FROM fhir_date d WHERE d.param = ${several} AND ${ofSeveral}`,
  ].join(' UNION ALL ');
}

/** What ends after a moment, and is short, does not begin long before it: so the index is read from there. */
export function shortDateCondition(value: RangeValue, values: SqlValues, bounds: Bounds): string {
  const condition = dateCondition(value, values, bounds);
  const end = earliestEnd(value);
  if (end === undefined) return condition;
  return `${condition} AND ${bounds.low} >= ${values.bind(end - LONGEST_DATED, bounds.type)}`;
}

/**
 * Before this nothing that fulfils the condition ends; undefined where the condition bounds the beginning itself, or
 * nothing.
 */
function earliestEnd({ prefix, low, high }: RangeValue): number | undefined {
  if (prefix === 'gt') return high;
  return prefix === 'ge' || prefix === 'po' ? low : undefined;
}
