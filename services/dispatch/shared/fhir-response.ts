// Sends a stored ServiceRequest as the response.
import type { FastifyReply } from 'fastify';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';

/** Sends the version with its ETag. */
export function sendResource(reply: FastifyReply, version: StoredVersion): FastifyReply {
  return reply
    .header('etag', `W/"${version.version}"`)
    .header('last-modified', version.lastUpdated.toUTCString())
    .type(FHIR_JSON)
    .serializer((text: string) => text)
    .send(version.content);
}
