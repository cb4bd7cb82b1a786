// Request headers of FHIR's REST API: Prefer, If-Match, If-None-Match, If-Modified-Since
// (hl7.org/fhir/R5/http.html#ops, #concurrency, #cread).
import type { FastifyReply } from 'fastify';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { type ChangeConditions, isMeant } from '#fhir/store/read/version-match.ts';
import { readParameter } from '#lib/http/response/accept.ts';
import type { Conditions, Preferences } from '../interactions/call.ts';
import { readEntityTags } from './entity-tags.ts';

const NONE: Preferences = { result: 'representation', isStrict: false, asked: [] };
const RESULTS: ReadonlySet<string> = new Set(['minimal', 'representation', 'OperationOutcome']);
const HANDLINGS: ReadonlySet<string> = new Set(['strict', 'lenient']);

/** What `Prefer` asks for; unknown preferences are ignored (RFC 7240 §2). */
export function readPreferences(header: string | string[] | undefined): Preferences {
  if (header === undefined) return NONE;
  const wishes = (Array.isArray(header) ? header.join(',') : header).split(/[,;]/).map(readParameter);
  const asked = wishes.find(([name]) => name === 'return')?.[1];
  const result = asked === 'minimal' || asked === 'OperationOutcome' ? asked : 'representation';
  const handling = wishes.find(([name]) => name === 'handling')?.[1];
  const known = [
    ...(asked !== undefined && RESULTS.has(asked) ? [['return', asked] as const] : []),
    ...(handling !== undefined && HANDLINGS.has(handling) ? [['handling', handling] as const] : []),
  ];
  return { result, isStrict: handling === 'strict', asked: known };
}

/**
 * What an answer says of the preferences that it follows: what is returned of a write, how strictly parameters are read
 * (RFC 7240 §3).
 */
export function appliedPreferences({ asked }: Preferences, kind: 'write' | 'search' | undefined): string | undefined {
  if (kind === undefined) return undefined;
  const name = kind === 'write' ? 'return' : 'handling';
  return asked.find((each) => each[0] === name)?.join('=');
}

/** Which versions a write may replace. @throws ServiceError `invalid_request` */
export function readChangeConditions({ ifMatch, ifNoneMatch }: Conditions): ChangeConditions {
  const match = readEntityTags('If-Match', ifMatch);
  const noneMatch = readEntityTags('If-None-Match', ifNoneMatch);
  return {
    ...(match === undefined ? {} : { ifMatch: match }),
    ...(noneMatch === undefined ? {} : { ifNoneMatch: noneMatch }),
  };
}

/** Sets the headers that name the version. */
export function setVersionHeaders(reply: FastifyReply, version: StoredVersion): void {
  reply.header('etag', etagOf(version)).header('last-modified', version.lastUpdated.toUTCString());
}

/**
 * Whether the client already has this version. A time only counts where there is no tag.
 * @throws ServiceError `invalid_request`
 */
export function isKnownToClient({ ifNoneMatch, ifModifiedSince }: Conditions, version: StoredVersion): boolean {
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false;
  const known = readEntityTags('If-None-Match', ifNoneMatch);
  if (known !== undefined) return isMeant(known, version);
  const since = Date.parse(ifModifiedSince ?? '');
  const changed = version.lastUpdated.getTime();
  // A header's time has whole seconds, as our Last-Modified; an instant in a bundle may be more exact.
  return (since % 1000 === 0 ? Math.floor(changed / 1000) * 1000 : changed) <= since;
}

export function etagOf({ version }: StoredVersion): string {
  return `W/"${version}"`;
}
