// The feed's cursor (decision D10): an opaque text with the last position read of one provider's feed.
import { type Issue, validationError } from '#lib/errors.ts';

const FORM = /^1\.(\d{1,15})\.(.{1,64})$/;
const NO_CURSOR: Issue = { field: 'cursor', message: "query parameter 'cursor' is none of this provider's feed" };

export function writeCursor(providerGuid: string, position: number): string {
  return Buffer.from(`1.${position}.${providerGuid}`).toString('base64url');
}

/** @throws ServiceError `validation_error` for a text that is no cursor of this provider's feed */
export function readCursor(providerGuid: string, cursor: string): number {
  const position = positionIn(providerGuid, cursor);
  if (position === undefined) throw validationError([NO_CURSOR]);
  return position;
}

/** The issues that {@link readCursor} would throw, to be reported together with others. */
export function cursorIssues(providerGuid: string, cursor: string): Issue[] {
  return positionIn(providerGuid, cursor) === undefined ? [NO_CURSOR] : [];
}

function positionIn(providerGuid: string, cursor: string): number | undefined {
  const match = FORM.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (match === null || match[2] !== providerGuid) return undefined;
  const position = Number(match[1]);
  return writeCursor(providerGuid, position) === cursor ? position : undefined;
}
