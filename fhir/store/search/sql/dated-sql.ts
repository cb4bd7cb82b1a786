// Searches by code and date, or by code in the order of dates: both are together in the index
// (fhir/search/extract/dated-codes.ts, docs/adr/0012).
import { isClinicalCode, isClinicalDate } from '#fhir/search/extract/dated-codes.ts';
import { derivedKey } from '#fhir/search/extract/derived-keys.ts';
import { systemKey } from '#fhir/search/extract/keys.ts';
import { exactText } from '#fhir/search/extract/normalise.ts';
import type { Criterion, SearchQuery, SortKey, TokenValue } from '#fhir/search/parse/query.ts';
import { criterionCondition } from './criterion-sql.ts';
import type { Bounds } from './range-sql.ts';
import { sortExpression } from './sort-sql.ts';
import { shortDateCondition } from './span-sql.ts';
import type { SqlContext } from './sql-context.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf } from './text-sql.ts';

export interface Dated {
  readonly kind: 'dated';
  readonly code: Extract<Criterion, { kind: 'token' }>;
  readonly dates: readonly Extract<Criterion, { kind: 'date' }>[];
  /** By the date itself, where the search sorts by it first: then it comes along as the column `at`. */
  readonly sort: SortKey | undefined;
}

const BOUNDS: Bounds = { low: 'i.low2', high: 'i.high2', type: 'float8' };

/** The conditions on code and date that one index answers together. */
export function findDated({ criteria, sort }: SearchQuery): Dated | undefined {
  const code = criteria.find(
    (criterion) =>
      criterion.kind === 'token' &&
      !criterion.isNegated &&
      criterion.derived === undefined &&
      isClinicalCode(criterion.parameter) &&
      criterion.values.every((value) => value.code !== undefined && value.code !== ''),
  );
  const dates = criteria
    .filter((criterion) => criterion.kind === 'date')
    .filter(({ parameter }) => isClinicalDate(parameter));
  // What has no date at all is found by a search without a condition on it.
  if (code?.kind !== 'token' || dates.length === 0) return undefined;
  const [first] = sort;
  const sortsByDate = first !== undefined && isClinicalDate(first.parameter);
  return { kind: 'dated', code, dates, sort: sortsByDate ? first : undefined };
}

/** Whether no resource has two rows that fulfil the conditions. */
export function isDatedOnce({ code }: Dated): boolean {
  return code.values.length === 1 && code.values[0]?.system !== undefined;
}

/** The keys of those that fulfil the conditions, with the value `at` to sort by. */
export function datedKeys(dated: Dated, context: SqlContext): string {
  return `SELECT i.rid, i.low2::bigint AS at FROM fhir_composite i WHERE ${datedRows(dated, context.values)}
    UNION ALL SELECT d.rid, ${otherAt(dated, context.values)} AS at FROM fhir_composite d WHERE ${otherRows(dated, context)}`;
}

/**
 * The rows `i` of resources with one short date: it fulfils every condition, and is what the resource is sorted by
 * (`i.low2`).
 */
export function datedRows({ code, dates }: Dated, values: SqlValues): string {
  const ofDates = dates.map((date) => anyOf(date.values.map((value) => shortDateCondition(value, values, BOUNDS))));
  const key = values.key(derivedKey(code.parameter, 'dated'));
  return `i.param = ${key} AND ${ofCode(code.values, values)} AND i.low2 IS NOT NULL AND ${ofDates.join(' AND ')}`;
}

/** The rows `d` of resources with long dates, or with several: each condition may be fulfilled by another. */
export function otherRows({ code, dates }: Dated, context: SqlContext): string {
  const ofDates = dates.map((date) => criterionCondition(date, 'd', context));
  const key = context.values.key(derivedKey(code.parameter, 'dated-other'));
  return `d.param = ${key} AND ${ofCode(code.values, context.values, 'd')} AND d.low2 IS NOT NULL AND ${ofDates.join(' AND ')}`;
}

function otherAt({ sort }: Dated, values: SqlValues): string {
  return sort === undefined ? 'NULL::bigint' : sortExpression(sort, 'd', values);
}

function ofCode(codes: readonly TokenValue[], values: SqlValues, alias = 'i'): string {
  return anyOf(
    codes.map(({ system, code = '' }) => {
      const ofText = `${alias}.text1 = ${values.bind(exactText(code), 'text')}`;
      return system === undefined
        ? ofText
        : `${ofText} AND ${alias}.system1 = ${values.bind(systemKey(system), 'bigint')}`;
    }),
  );
}
