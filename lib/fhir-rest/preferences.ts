// Request headers of FHIR's REST API: Prefer, If-Match, If-None-Match, If-Modified-Since (hl7.org/fhir/R5/http.html#ops, #concurrency, #cread).
import type { FastifyReply } from 'fastify';
import { ServiceError } from '#lib/errors.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import type { Conditions, Preferences } from './interactions/call.ts';

const VERSION_TAG = /^(?:W\/)?"(\d{1,9})"$/;

/** What `Prefer` asks for; unknown preferences are ignored (RFC 7240 §2). */
export function readPreferences(header: string | string[] | undefined): Preferences {
  const wishes = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(/[,;]/).map((wish) => wish.trim());
  const result = wishes.includes('return=minimal')
    ? 'minimal'
    : wishes.includes('return=OperationOutcome')
      ? 'OperationOutcome'
      : 'representation';
  return { result, isStrict: wishes.includes('handling=strict') };
}

/** The version that may be changed; undefined when the client does not say. @throws ServiceError `invalid_request` */
export function readIfMatch(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const match = VERSION_TAG.exec(header.trim());
  if (match === null) throw new ServiceError('invalid_request', 'If-Match must be one version, such as W/"3"');
  return Number(match[1]);
}

/** Whether a write is only to happen when there is nothing yet (RFC 9110 §13.1.2). @throws ServiceError `invalid_request` */
export function mustBeNew({ ifNoneMatch }: Conditions): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  throw new ServiceError('invalid_request', 'If-None-Match of a write must be *');
}

/** Sets the headers that tell the version. */
export function tellVersion(reply: FastifyReply, version: StoredVersion): void {
  reply.header('etag', etagOf(version)).header('last-modified', version.lastUpdated.toUTCString());
}

/** Whether the client already has this version. */
export function isKnownToClient({ ifNoneMatch, ifModifiedSince }: Conditions, version: StoredVersion): boolean {
  if (ifNoneMatch !== undefined) {
    return ifNoneMatch
      .split(',')
      .some((tag) => tag.trim() === '*' || VERSION_TAG.exec(tag.trim())?.[1] === String(version.version));
  }
  const since = Date.parse(ifModifiedSince ?? '');
  return Math.floor(version.lastUpdated.getTime() / 1000) * 1000 <= since;
}

export function etagOf({ version }: StoredVersion): string {
  return `W/"${version}"`;
}
