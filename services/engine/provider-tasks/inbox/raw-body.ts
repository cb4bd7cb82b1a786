// Keeps the raw bytes of JSON bodies beside the parsed value: a signature covers the bytes, and parsing loses digits of
// decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJsonWith } from '#lib/http/body/json-body.ts';
import { fhirLimitsFor } from '#lib/http/body/json-limits.ts';

/** The raw bytes of the request's body. */
export type RawBody = (request: FastifyRequest) => Buffer;

/**
 * Parses JSON of up to `bodyLimit` bytes within `scope`. An empty body counts as none, so that a request without a body
 * may have the content type of JSON.
 */
export function parseWithRawBodies(scope: FastifyInstance, bodyLimit: number): RawBody {
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'buffer' },
    readJsonWith({ limits: fhirLimitsFor(bodyLimit), keep: (request, bytes) => bodies.set(request, bytes) }),
  );
  return (request) => bodies.get(request) ?? Buffer.alloc(0);
}
