// The opaque cursor of a search: where the last page ended, as the sort values and key of its last resource, so that a page
// neither repeats nor skips what was there when others write in between (decision G6).
import { ServiceError } from '#lib/errors.ts';

export interface Cursor {
  /** Sort values of the last resource, as text; null where it has none. */
  readonly sort: readonly (string | null)[];
  readonly rid: string;
  /** The total counted for the first page; null when it was not counted. */
  readonly total: number | null;
}

const RID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.rid, cursor.total, ...cursor.sort])).toString('base64url');
}

/** @throws ServiceError `invalid_request` when the text is no cursor of a search with that many sort keys */
export function readCursor(text: string, sortKeys: number): Cursor {
  const [rid, total, ...sort] = parts(text);
  const isTotal = total === null || typeof total === 'number';
  const isSort = sort.length === sortKeys && sort.every((value) => value === null || typeof value === 'string');
  if (typeof rid !== 'string' || !RID.test(rid) || !isTotal || !isSort) throw unreadable();
  return { rid, total, sort: sort.filter((value) => value === null || typeof value === 'string') };
}

function parts(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(value)) return value;
  } catch {
    throw unreadable();
  }
  throw unreadable();
}

function unreadable(): ServiceError {
  const message = '_cursor is not one that this search gave out; begin again without it';
  return new ServiceError('invalid_request', message, { faults: [{ message, field: '_cursor', issue: 'value' }] });
}
