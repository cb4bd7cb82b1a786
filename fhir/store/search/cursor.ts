// The opaque cursor of a search: the sort values and key of the last resource of a page. The next page begins after
// them, so that it neither repeats nor skips a resource when others write in between (decision G6).

import { DEFAULT_SORT_LANGUAGE } from '#fhir/search/extract/sort-text.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import { ServiceError } from '#lib/errors.ts';
import type { SqlType } from './sql/sql-values.ts';

type SortedQuery = Pick<SearchQuery, 'sort' | 'sortLanguage'>;

export interface Cursor {
  /** Sort values of the last resource, as text; null where it has none. */
  readonly sort: readonly (string | null)[];
  readonly rid: string;
  /** The total counted for the first page; null when it was not counted. */
  readonly total: number | null;
}

/** The form of a resource's key. */
export const RID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Beside the values of a cursor, where they are texts in the order of another language than the usual one. */
interface OrderMark {
  readonly language: string;
}

export function writeCursor(cursor: Cursor, query: SortedQuery): string {
  const mark = markOf(query);
  const values = [cursor.rid, cursor.total, ...cursor.sort, ...(mark === undefined ? [] : [mark])];
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * What a text is sorted by depends on the language: behind which names a page begins is known in that language alone.
 */
function markOf({ sort, sortLanguage }: SortedQuery): OrderMark | undefined {
  const isOfTexts = sort.some(({ parameter }) => parameter.type === 'string');
  return isOfTexts && sortLanguage !== DEFAULT_SORT_LANGUAGE ? { language: sortLanguage } : undefined;
}

/**
 * @throws ServiceError `invalid_request` when the text is no cursor of a search with these sort keys, in the order of
 * this language
 */
export function readCursor(text: string, sortTypes: readonly SqlType[], query: SortedQuery): Cursor {
  const [rid, total, ...sort] = unmarked(parts(text), markOf(query));
  const isTotal = total === null || (Number.isSafeInteger(total) && typeof total === 'number' && total >= 0);
  if (typeof rid !== 'string' || !RID.test(rid) || !isTotal || sort.length !== sortTypes.length)
    throw unreadableCursor('search');
  return { rid, total, sort: sort.map((value, index) => readSortValue(value, sortTypes[index])) };
}

const READABLE: Partial<Record<SqlType, RegExp>> = {
  bigint: /^-?\d{1,17}$/,
  float8: /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?|-?Infinity)$/,
};

/** The database would answer a value that it cannot read with an error of its own. */
function readSortValue(value: unknown, type: SqlType | undefined): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || type === undefined || value.includes('\0')) throw unreadableCursor('search');
  if (READABLE[type]?.test(value) === false) throw unreadableCursor('search');
  if (type === 'float8' && isOutOfRange(value)) throw unreadableCursor('search');
  if (type === 'timestamptz' && !isInstant(value)) throw unreadableCursor('search');
  return value;
}

/** Numbers that are too large, or too near to zero, for the database's own. */
function isOutOfRange(text: string): boolean {
  const value = Number(text);
  return (
    !text.includes('Infinity') && (!Number.isFinite(value) || (value === 0 && /[1-9]/.test(text.split('e')[0] ?? '')))
  );
}

/** Whether the text is a time as `toISOString` writes it, in a year that the database has too. */
export function isInstant(text: string): boolean {
  const time = new Date(text);
  return /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** The values without the mark of the order. @throws ServiceError `invalid_request` when they are of another order */
function unmarked(values: readonly unknown[], wanted: OrderMark | undefined): readonly unknown[] {
  const mark = values.at(-1);
  const isMarked = typeof mark === 'object' && mark !== null && 'language' in mark;
  if ((isMarked ? mark.language : undefined) !== wanted?.language) {
    const message = '_cursor is of a search in the order of another language; begin again without it';
    throw new ServiceError('invalid_request', message, { issues: [{ message, field: '_cursor', code: 'value' }] });
  }
  return isMarked ? values.slice(0, -1) : values;
}

function parts(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(value)) return value;
  } catch {
    throw unreadableCursor('search');
  }
  throw unreadableCursor('search');
}

/** A cursor that `what` ("search", "history") did not give out. */
export function unreadableCursor(what: string): ServiceError {
  const message = `_cursor is not one that this ${what} gave out; begin again without it`;
  return new ServiceError('invalid_request', message, { issues: [{ message, field: '_cursor', code: 'value' }] });
}
