// Lists of what was recorded, newest first, that are read on by a cursor. The cursor is the time and the guid of the
// last item. So it stays in place while items are added.
import { validationError } from '../../errors.ts';
import { isGuid } from '../../guid.ts';

/** Only items before this one, in the order of the list. */
export interface TimePosition {
  readonly recordedAt: Date;
  readonly eventGuid: string;
}

const EARLIEST = Date.UTC(1900, 0, 1);

/**
 * The time that a parameter names; null without one. A leap second and the year 0 match the format `date-time`, but no
 * event can have them.
 * @throws ServiceError `validation_error`
 */
export function momentOf(text: string | undefined, field: string): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (time.getTime() >= EARLIEST) return time;
  throw validationError([{ field, message: `'${field}' must be a moment after 1900` }]);
}

/** The cursor of the position. */
export function writeCursor({ recordedAt, eventGuid }: TimePosition): string {
  return Buffer.from(`${recordedAt.getTime()} ${eventGuid}`, 'latin1').toString('base64url');
}

/** The position of a cursor; undefined for a text that is none. */
export function readCursor(cursor: string): TimePosition | undefined {
  const [time = '', eventGuid = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  if (!/^\d{1,15}$/.test(time) || !isGuid(eventGuid)) return undefined;
  return { recordedAt: new Date(Number(time)), eventGuid };
}

/**
 * The position of the parameter `cursor`; null without one.
 * @throws ServiceError `validation_error` for a text that no page gave
 */
export function positionOf(cursor: string | undefined): TimePosition | null {
  if (cursor === undefined) return null;
  const position = readCursor(cursor);
  if (position !== undefined) return position;
  throw validationError([{ field: 'cursor', message: "'cursor' must be one that a page gave" }]);
}

/** The `Link` header (RFC 8288) to the page after the cursor, keeping the other query parameters. */
export function linkToNext(url: string, cursor: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `<${path}?${parameters}>; rel="next"`;
}
