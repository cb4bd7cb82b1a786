// Keyset scan: the page of a sorted search that has too many matches to sort. It reads the index of the first sort key
// in order, and begins after the cursor. It checks the other conditions of each resource, and ends when the page is
// full (docs/adr/0012).

import { derivedKey } from '#fhir/search/extract/derived-keys.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { Criterion, SearchQuery, SortKey } from '#fhir/search/parse/query.ts';
import type { Start } from './search-plan.ts';
import {
  countStatement,
  furtherConditions,
  limitOf,
  needsRow,
  pageByKey,
  pageColumns,
  pageLimit,
  rowOf,
  type SearchFrame,
  sortTexts,
  withTotal,
} from './search-sql.ts';
import { criterionCondition } from './sql/criterion-sql.ts';
import { type Dated, datedRows, isDatedOnce, otherRows } from './sql/dated-sql.ts';
import { ofParameter } from './sql/param-sql.ts';
import { dateCondition } from './sql/range-sql.ts';
import { afterCursor, orderBy, sortColumn, sortExpression, sortType } from './sql/sort-sql.ts';
import type { SqlContext } from './sql/sql-context.ts';
import type { SqlValues } from './sql/sql-values.ts';
import { anyOf } from './sql/text-sql.ts';
import { beginsBehindCursor, textSteps } from './text-scan.ts';

type DateCriterion = Extract<Criterion, { kind: 'date' }>;

export interface ScanPlan {
  readonly kind: 'updated' | 'value' | 'date' | Dated;
  readonly key: SortKey;
  /** Conditions that every row of the scan fulfils. */
  readonly covered: readonly Criterion[];
  /** Whether the scan reaches every match; else those without a sort value follow after it. */
  readonly isComplete: boolean;
}

/** Plans a scan of the index that holds the first sort key in order; undefined where no index does. */
export function planScan({
  query,
  start,
}: {
  readonly query: SearchQuery;
  readonly start: Start;
}): ScanPlan | undefined {
  const [key] = query.sort;
  if (key === undefined || key.parameter.code === '_id') return undefined;
  if (key.parameter.code === '_lastUpdated') return { kind: 'updated', key, covered: [], isComplete: true };
  if (
    typeof start.at !== 'string' &&
    start.at.kind === 'dated' &&
    start.at.sort !== undefined &&
    isDatedOnce(start.at)
  ) {
    return { kind: start.at, key, covered: start.covered, isComplete: true };
  }
  switch (key.parameter.type) {
    case 'date': {
      const covered = query.criteria.filter((criterion) => isDateOf(criterion, key));
      return { kind: 'date', key, covered, isComplete: covered.length > 0 };
    }
    case 'string':
    case 'uri':
    case 'token':
      return { kind: 'value', key, covered: [], isComplete: false };
    // Quantities are sorted by their amount in base units where there is one: two indexes.
    case 'number':
    case 'quantity':
    case 'reference':
      return undefined;
    default:
      return key.parameter.type satisfies never;
  }
}

function isDateOf(criterion: Criterion, key: SortKey): criterion is DateCriterion {
  return criterion.kind === 'date' && criterion.parameter.key === key.parameter.key;
}

/** Whether the scan meets matches alone: it then reads no more rows than the page holds. */
export function scansMatchesOnly(frame: SearchFrame, scan: ScanPlan): boolean {
  const isOfDates = typeof scan.kind !== 'string' || (scan.kind === 'date' && scan.isComplete);
  return isOfDates && scan.covered.length === frame.query.criteria.length && !needsRow(frame);
}

/** The statement of a page by scan, with one row more than the page holds. */
export function scannedPage(frame: SearchFrame, scan: ScanPlan): string {
  const { sort } = frame.query;
  return `SELECT ${pageColumns(frame, 'r')}${sortTexts(sort)} FROM (${scannedKeys(frame, scan)}) k
    ${rowOf(frame)} ORDER BY ${orderBy(sort, 'k')}`;
}

/** The same with the number of matches, as far as `limit`: see {@link withTotal}. */
export function countedScannedPage(frame: SearchFrame, scan: ScanPlan, limit: number): string {
  return withTotal(frame, countStatement(frame, limit), scannedKeys(frame, scan, pageLimit(frame)));
}

/** The keys of the page, with their sort values. */
function scannedKeys(frame: SearchFrame, scan: ScanPlan, limit = limitOf(frame)): string {
  const { count, offset, sort } = frame.query;
  const wanted = frame.values.key(count + offset + 1);
  const isBehind = isOfTexts(scan) && beginsBehindCursor(frame);
  const steps = (rows: string) => stepsOf(frame, scan, rows);
  // Each scan has its own ORDER BY and LIMIT: PostgreSQL does not merge several scans that are ordered as a whole.
  const texts = isOfTexts(scan) ? textSteps(frame, { steps, wanted }) : undefined;
  const scans = (texts?.steps ?? [steps(scanRows(frame, scan))]).map(
    (along) => `(SELECT v.* FROM (${along}) v ${isBehind ? '' : afterLast(frame)} ${firstRows(sort, scan, wanted)})`,
  );
  const others = otherSteps(frame, scan);
  if (others !== undefined) scans.push(`(SELECT v.* FROM (${others} OFFSET 0) v ${afterLast(frame)})`);
  const ends = texts === undefined || texts.ends.length === 0 ? '' : `WITH ${texts.ends.join(', ')} `;
  return `${ends}SELECT u.* FROM (${scans.join(' UNION ALL ')}) u ORDER BY ${orderBy(sort, 'u')} ${limit}`;
}

function isOfTexts({ kind, key }: ScanPlan): boolean {
  return kind === 'value' && key.parameter.type === 'string';
}

/**
 * The first rows, ordered by the columns of the index alone, so that the planner reads it in order. Rows that are equal
 * to the last one are included.
 */
function firstRows(sort: readonly SortKey[], { kind, key }: ScanPlan, count: string): string {
  const first = `ORDER BY v.s0 ${key.isDescending ? 'DESC' : 'ASC'}`;
  if (kind === 'date' || typeof kind !== 'string') return `${first} FETCH FIRST ${count} ROWS WITH TIES`;
  return `${[first, ...furtherOrder(sort.slice(1)), 'v.rid'].join(', ')} LIMIT ${count}`;
}

/** The statement that follows a finished scan: at most `limit` matches without a sort value, in the order of keys. */
export function pageWithoutValue(frame: SearchFrame, { parameter }: SortKey, limit: number): string {
  const { query, options, cursor } = frame;
  const [table, , extra = ''] = sortColumn(parameter.type);
  const condition = (alias: string, values: SqlValues) => {
    const rows = ofParameter(parameter, 's', { values });
    const none = `NOT EXISTS (SELECT FROM ${table} s WHERE s.rid = ${alias}.rid AND ${rows}${extra})`;
    return options.condition === undefined ? none : `${none} AND ${options.condition(alias, values)}`;
  };
  const rest: SearchFrame = {
    ...frame,
    query: { ...query, sort: [], count: limit - 1 },
    options: { ...options, condition },
    cursor: cursor?.sort[0] === null ? cursor : undefined,
  };
  return pageByKey(rest, false);
}

function furtherOrder(keys: readonly SortKey[]): string[] {
  return keys.map((key, index) => `v.s${index + 1} ${key.isDescending ? 'DESC' : 'ASC'} NULLS LAST`);
}

function afterLast({ query, cursor, values }: SearchFrame): string {
  return cursor === undefined ? '' : `WHERE ${afterCursor(query.sort, cursor, 'v', values)}`;
}

/** The scanned rows `w` that fulfil the other conditions, with their sort values. */
function stepsOf(frame: SearchFrame, { covered }: ScanPlan, rows: string): string {
  const { query, options, values } = frame;
  const uncovered: SearchFrame = { ...frame, start: { at: 'all', covered, size: undefined } };
  const context: SqlContext = { values, access: options.access, isFenced: true };
  const isRow = needsRow(uncovered);
  const alias = isRow ? 'r' : 'w';
  const row = `CROSS JOIN LATERAL (SELECT f.* FROM fhir_resource f
    WHERE f.type = ${values.key(nameKey(query.resourceType))} AND f.rid = w.rid AND NOT f.deleted OFFSET 0) r`;
  const sorted = query.sort.slice(1).map((key, index) => `, ${sortExpression(key, alias, values)} AS s${index + 1}`);
  const conditions = furtherConditions(uncovered, { alias, isRow }, context);
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `SELECT w.rid, w.at AS s0${sorted.join('')} FROM (${rows}) w ${isRow ? row : ''}${where}`;
}

/** The index rows of the scan. Each resource appears once: by its greatest value when descending, else by its least. */
function scanRows(frame: SearchFrame, { kind, key, covered }: ScanPlan): string {
  const { query, values } = frame;
  if (typeof kind !== 'string') {
    return `SELECT i.rid, i.low2 AS at FROM fhir_composite i WHERE ${datedRows(kind, values)}${bound(frame, key, 'i.low2')}`;
  }
  if (kind === 'updated') {
    return `SELECT i.rid, i.updated_at AS at FROM fhir_resource i
      WHERE i.type = ${values.key(nameKey(query.resourceType))} AND NOT i.deleted${bound(frame, key, 'i.updated_at')}`;
  }
  const [table, column, extra = ''] = sortColumn(key.parameter.type);
  const from = `SELECT i.rid, i.${column} AS at FROM ${table} i WHERE ${ofParameter(key.parameter, 'i', { values })}${bound(frame, key, `i.${column}`)}`;
  if (kind === 'date') {
    const conditions = covered
      .filter((criterion) => isDateOf(criterion, key))
      .map(({ values: dates }) => ` AND ${anyOf(dates.map((date) => dateCondition(date, values)))}`);
    return `${from}${conditions.join('')} AND NOT EXISTS (SELECT FROM fhir_date s WHERE s.rid = i.rid
      AND s.param = ${values.key(derivedKey(key.parameter, 'several'))} OFFSET 0)`;
  }
  const better = key.isDescending ? '>' : '<';
  return `${from}${extra.replaceAll('s.', 'i.')} AND NOT EXISTS (SELECT FROM ${table} s WHERE s.rid = i.rid AND ${ofParameter(key.parameter, 's', { values })}${extra}
    AND (s.${column} ${better} i.${column} OR (s.${column} = i.${column} AND s.ctid < i.ctid)) OFFSET 0)`;
}

/**
 * The few resources that the scan does not meet by a row of their own: those with several dates, and those with long
 * ones.
 */
function otherSteps(frame: SearchFrame, scan: ScanPlan): string | undefined {
  const { options, values } = frame;
  const context: SqlContext = { values, access: options.access, isFenced: true };
  const at = sortExpression(scan.key, 'd', values);
  if (typeof scan.kind !== 'string') {
    return stepsOf(
      frame,
      scan,
      `SELECT d.rid, ${at} AS at FROM fhir_composite d WHERE ${otherRows(scan.kind, context)}`,
    );
  }
  if (scan.kind !== 'date') return undefined;
  const conditions = scan.covered.map((criterion) => ` AND ${criterionCondition(criterion, 'd', context)}`);
  const rows = `SELECT d.rid, ${at} AS at FROM fhir_date d
    WHERE d.param = ${values.key(derivedKey(scan.key.parameter, 'several'))}${conditions.join('')}`;
  return stepsOf(frame, scan, rows);
}

/** The condition by which the scan begins at the cursor. */
function bound({ cursor, values }: SearchFrame, key: SortKey, column: string): string {
  const last = cursor?.sort[0] ?? null;
  return last === null ? '' : ` AND ${column} ${key.isDescending ? '<=' : '>='} ${values.bind(last, sortType(key))}`;
}
