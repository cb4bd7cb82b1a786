// The page of a sorted search with so many matches that they are not gathered: the index of what it is sorted by is
// walked in its order, and each resource on the way asked for the other conditions, until the page is full
// (docs/adr/0012).

import { derivedKey } from '#fhir/search/extract/derived-keys.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { Criterion, SearchQuery, SortKey } from '#fhir/search/parse/query.ts';
import {
  countStatement,
  furtherConditions,
  limitOf,
  needsRow,
  pageByKey,
  pageColumns,
  rowOf,
  type SearchFrame,
} from './search-sql.ts';
import type { Start } from './search-start.ts';
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

export interface Way {
  readonly kind: 'updated' | 'value' | 'date' | Dated;
  readonly key: SortKey;
  /** Conditions that hold of everything on the way. */
  readonly covered: readonly Criterion[];
  /** Whether every match is on it; else those without a value to sort by follow after it. */
  readonly isComplete: boolean;
}

/** The index that has the matches in the order of the first sort key; undefined where none has. */
export function findWay({ query, start }: { readonly query: SearchQuery; readonly start: Start }): Way | undefined {
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
    default:
      // Quantities are sorted by their amount in base units where there is one: two indexes.
      return undefined;
  }
}

function isDateOf(criterion: Criterion, key: SortKey): criterion is DateCriterion {
  return criterion.kind === 'date' && criterion.parameter.key === key.parameter.key;
}

/** Whether the way has the matches and nothing else: then the walk is as long as the page. */
export function isPaved(frame: SearchFrame, way: Way): boolean {
  const isOfDates = typeof way.kind !== 'string' || (way.kind === 'date' && way.isComplete);
  return isOfDates && way.covered.length === frame.query.criteria.length && !needsRow(frame);
}

/** One more than the page, like all pages. */
export function scannedPage(frame: SearchFrame, way: Way): string {
  const { sort } = frame.query;
  return `SELECT ${pageColumns(frame, 'r')}${sortTexts(sort)} FROM (${scannedKeys(frame, way)}) k
    ${rowOf(frame)} ORDER BY ${orderBy(sort, 'k')}`;
}

/**
 * The same with the number of matches, as far as `limit`, in every row; a row without a resource when the page is
 * empty.
 */
export function countedScannedPage(frame: SearchFrame, way: Way, limit: number): string {
  const { sort } = frame.query;
  return `SELECT n.total, ${pageColumns(frame, 'r')}${sortTexts(sort)} FROM (${countStatement(frame, limit)}) n
    LEFT JOIN ((${scannedKeys(frame, way)}) k ${rowOf(frame)}) ON TRUE ORDER BY ${orderBy(sort, 'k')}`;
}

/** Dates beside codes are kept as floating-point numbers. */
function sortTexts(sort: readonly SortKey[]): string {
  return sort.map((key, index) => `, k.s${index}::${sortType(key)}::text AS s${index}`).join('');
}

/** The keys of the page, with what they are sorted by. */
function scannedKeys(frame: SearchFrame, way: Way): string {
  const { count, offset, sort } = frame.query;
  const wanted = frame.values.key(count + offset + 1);
  const isBehind = isOfTexts(way) && beginsBehindCursor(frame);
  const steps = (rows: string) => stepsOf(frame, way, rows);
  // Each to its own end, in its own order: PostgreSQL does not go along several in turn when they are put in order as a
  // whole.
  const texts = isOfTexts(way) ? textSteps(frame, { steps, wanted }) : undefined;
  const walked = (texts?.steps ?? [steps(wayRows(frame, way))]).map(
    (along) => `(SELECT v.* FROM (${along}) v ${isBehind ? '' : afterLast(frame)} ${firstRows(sort, way, wanted)})`,
  );
  const others = otherSteps(frame, way);
  if (others !== undefined) walked.push(`(SELECT v.* FROM (${others} OFFSET 0) v ${afterLast(frame)})`);
  const ends = texts === undefined || texts.ends.length === 0 ? '' : `WITH ${texts.ends.join(', ')} `;
  return `${ends}SELECT u.* FROM (${walked.join(' UNION ALL ')}) u ORDER BY ${orderBy(sort, 'u')} ${limitOf(frame)}`;
}

function isOfTexts({ kind, key }: Way): boolean {
  return kind === 'value' && key.parameter.type === 'string';
}

/**
 * In the order of the index alone, which no plan can do better than follow; where its order ends, all that are equal
 * are taken along.
 */
function firstRows(sort: readonly SortKey[], { kind, key }: Way, count: string): string {
  const first = `ORDER BY v.s0 ${key.isDescending ? 'DESC' : 'ASC'}`;
  if (kind === 'date' || typeof kind !== 'string') return `${first} FETCH FIRST ${count} ROWS WITH TIES`;
  return `${[first, ...furtherOrder(sort.slice(1)), 'v.rid'].join(', ')} LIMIT ${count}`;
}

/** After the last of the way: so many of those without a value, in the order of keys. */
export function pageWithoutValue(frame: SearchFrame, limit: number): string {
  const { query, options, cursor } = frame;
  const [table, , extra = ''] = sortColumn(query.sort[0]?.parameter.type ?? '');
  const [key] = query.sort;
  const condition = (alias: string, values: SqlValues) => {
    const rows = key === undefined ? 'FALSE' : ofParameter(key.parameter, 's', { values });
    const none = `NOT EXISTS (SELECT FROM ${table} s WHERE s.rid = ${alias}.rid AND ${rows}${extra})`;
    return options.condition === undefined ? none : `${none} AND ${options.condition(alias, values)}`;
  };
  return pageByKey({
    ...frame,
    query: { ...query, sort: [], count: limit - 1 },
    options: { ...options, condition },
    cursor: cursor?.sort[0] === null ? cursor : undefined,
  });
}

function furtherOrder(keys: readonly SortKey[]): string[] {
  return keys.map((key, index) => `v.s${index + 1} ${key.isDescending ? 'DESC' : 'ASC'} NULLS LAST`);
}

function afterLast({ query, cursor, values }: SearchFrame): string {
  return cursor === undefined ? '' : `WHERE ${afterCursor(query.sort, cursor, 'v', values)}`;
}

/** The rows `w` of the way that fulfil the other conditions, with what they are sorted by. */
function stepsOf(frame: SearchFrame, { covered }: Way, rows: string): string {
  const { query, options, values } = frame;
  const asked: SearchFrame = { ...frame, start: { at: 'all', covered, size: undefined } };
  const context: SqlContext = { values, access: options.access, isFenced: true };
  const isRow = needsRow(asked);
  const alias = isRow ? 'r' : 'w';
  const row = `CROSS JOIN LATERAL (SELECT f.* FROM fhir_resource f
    WHERE f.type = ${values.key(nameKey(query.resourceType))} AND f.rid = w.rid AND NOT f.deleted OFFSET 0) r`;
  const sorted = query.sort.slice(1).map((key, index) => `, ${sortExpression(key, alias, values)} AS s${index + 1}`);
  const conditions = furtherConditions(asked, { alias, isRow }, context);
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `SELECT w.rid, w.at AS s0${sorted.join('')} FROM (${rows}) w ${isRow ? row : ''}${where}`;
}

/** The rows of the index, each resource where it belongs: by its greatest value when descending, else by its least. */
function wayRows(frame: SearchFrame, { kind, key, covered }: Way): string {
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
 * Resources that are not on the way by a row of their own, few as they are: those with several dates, and long ones.
 */
function otherSteps(frame: SearchFrame, way: Way): string | undefined {
  const { options, values } = frame;
  const context: SqlContext = { values, access: options.access, isFenced: true };
  const at = sortExpression(way.key, 'd', values);
  if (typeof way.kind !== 'string') {
    return stepsOf(frame, way, `SELECT d.rid, ${at} AS at FROM fhir_composite d WHERE ${otherRows(way.kind, context)}`);
  }
  if (way.kind !== 'date') return undefined;
  const conditions = way.covered.map((criterion) => ` AND ${criterionCondition(criterion, 'd', context)}`);
  const rows = `SELECT d.rid, ${at} AS at FROM fhir_date d
    WHERE d.param = ${values.key(derivedKey(way.key.parameter, 'several'))}${conditions.join('')}`;
  return stepsOf(frame, way, rows);
}

/** Where the index is entered again. */
function bound({ cursor, values }: SearchFrame, key: SortKey, column: string): string {
  const last = cursor?.sort[0] ?? null;
  return last === null ? '' : ` AND ${column} ${key.isDescending ? '<=' : '>='} ${values.bind(last, sortType(key))}`;
}
