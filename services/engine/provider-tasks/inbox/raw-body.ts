// JSON bodies whose bytes are needed beside what they say: a signature is over the bytes, and parsing loses the digits
// of decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJsonWith } from '#lib/http/body/json-body.ts';
import { fhirLimitsFor } from '#lib/http/body/json-limits.ts';

/** The bytes of the request's body. */
export type RawBody = (request: FastifyRequest) => Buffer;

/**
 * Reads JSON of up to `bodyLimit` bytes within `scope`; an empty body is none, so that addresses without one may be
 * told that it is JSON.
 */
export function keepRawBodies(scope: FastifyInstance, bodyLimit: number): RawBody {
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'buffer' },
    readJsonWith({ limits: fhirLimitsFor(bodyLimit), keep: (request, bytes) => bodies.set(request, bytes) }),
  );
  return (request) => bodies.get(request) ?? Buffer.alloc(0);
}
