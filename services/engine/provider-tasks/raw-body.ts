// JSON bodies whose bytes are needed beside what they say: a signature is over the bytes, and parsing loses the digits of decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/fhir/resource-text.ts';

/** The bytes of the request's body. */
export type RawBody = (request: FastifyRequest) => Buffer;

/** Reads JSON within `scope`; an empty body is none, so that addresses without one may be told that it is JSON. */
export function keepRawBodies(scope: FastifyInstance): RawBody {
  const bodies = new WeakMap<FastifyRequest, Buffer>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'buffer' },
    (request, body, done) => {
      bodies.set(request, body);
      try {
        const text = decodeUtf8(body);
        return done(null, text.trim() === '' ? undefined : JSON.parse(text));
      } catch (error) {
        if (error instanceof ServiceError) return done(error);
        return done(new ServiceError('invalid_request', 'The body is no valid JSON'));
      }
    },
  );
  return (request) => bodies.get(request) ?? Buffer.alloc(0);
}
