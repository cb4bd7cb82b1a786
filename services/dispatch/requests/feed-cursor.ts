// The feed's cursor (decision D10): opaque to its reader, the last position seen of one provider's feed.
import { validationError } from '#lib/errors.ts';

const FORM = /^1\.(\d{1,15})\.(.{1,64})$/;

export function writeCursor(providerGuid: string, position: number): string {
  return Buffer.from(`1.${position}.${providerGuid}`).toString('base64url');
}

/** @throws ServiceError `validation_error` for what no answer of this provider's feed has held */
export function readCursor(providerGuid: string, cursor: string): number {
  const match = FORM.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (match === null || match[2] !== providerGuid || writeCursor(providerGuid, Number(match[1])) !== cursor) {
    throw validationError([{ field: 'cursor', message: "query parameter 'cursor' is none of this provider's feed" }]);
  }
  return Number(match[1]);
}
