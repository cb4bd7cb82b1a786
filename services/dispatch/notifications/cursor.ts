// The cursor of the stream of notifications: an opaque text with the last position read of each list.
import { type Issue, validationError } from '#lib/errors.ts';

/** By the key of the list. */
export type Positions = ReadonlyMap<string, number>;

/** UTF-16 units; about a thousand lists. */
const LONGEST = 64 * 1024;
const KEY = /^(organisation|provider)\/[A-Za-z0-9\-.]{1,64}$/;
const NO_CURSOR: Issue = { field: 'last_event_id', message: "'last_event_id' is no cursor of this stream" };

export function writeCursor(positions: Positions): string {
  return Buffer.from(JSON.stringify([...positions].sort(([a], [b]) => (a < b ? -1 : 1)))).toString('base64url');
}

/** @throws ServiceError `validation_error` for a text that is none */
export function readCursor(text: string): Positions {
  const entries = text.length > LONGEST ? undefined : entriesIn(text);
  if (entries === undefined) throw validationError([NO_CURSOR]);
  return new Map(entries);
}

function entriesIn(text: string): [string, number][] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) && value.every(isEntry) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is [string, number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [key, position]: unknown[] = value;
  return typeof key === 'string' && KEY.test(key) && Number.isSafeInteger(position) && Number(position) >= 0;
}
