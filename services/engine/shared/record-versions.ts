// The versions of library records, providers and contracts (docs/adr/0155). A response names the version in its ETag. A
// PUT or DELETE with If-Match is of that version and no other (RFC 9110 §13.1.1).
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { VersionMatch } from '#fhir/store/read/version-match.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { readOnly } from '#lib/http/response/read-back.ts';

/** Who replaces or deletes a record, and which of its versions. */
export interface Replacement {
  readonly principal: Principal;
  /** Undefined for whatever version is there. */
  readonly ifMatch: VersionMatch | undefined;
}

/** The headers of a PUT or DELETE. */
export const ReplacementHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({ maxLength: 200, description: 'The ETag of what was read: 412 when somebody has changed it since' }),
  ),
});

/** The version of a record in its responses. */
export const RecordVersion = readOnly(
  Type.Integer({ description: 'Counts the changes of the record; its ETag has the same number' }),
);

/** Adds the `ETag` of a record to its response. */
export function tagVersion(reply: FastifyReply, version: number | undefined): void {
  if (version !== undefined) reply.header('etag', `W/"${version}"`);
}

/**
 * Call it when the record has been written, and before the transaction ends.
 * @param version the version that the write has made
 * @throws ServiceError `precondition_failed` when the version before is none of those that may be replaced
 */
export function requireReplaced(ifMatch: VersionMatch | undefined, version: number): void {
  requireVersion(ifMatch, version - 1);
}

/**
 * The same of a record that has been deleted.
 * @param version the version that was there
 * @throws ServiceError `precondition_failed` when it is none of those that may be deleted
 */
export function requireVersion(ifMatch: VersionMatch | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch === 'any' || ifMatch.includes(version)) return;
  throw new ServiceError('precondition_failed', `If-Match asks for another version: it is ${version}`);
}
