// Bodies of the workflow's routes: JSON in either of FHIR's content types (G4), checked by the route's schema, and also kept as the
// text that came, as parsing loses the digits of decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/fhir/resource-text.ts';

const BODY_LIMIT = 10 * 1024 * 1024;

/** The text of a request's body; empty when there was none. */
export type BodyText = (request: FastifyRequest) => string;

/** Reads bodies within `scope`; where there is none it counts as `{}`, so that operations may be called without one. */
export function keepBodyTexts(scope: FastifyInstance): BodyText {
  const texts = new WeakMap<FastifyRequest, string>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      try {
        const text = decodeUtf8(body);
        texts.set(request, text);
        return done(null, text.trim() === '' ? undefined : JSON.parse(text));
      } catch (error) {
        if (error instanceof ServiceError) return done(error);
        return done(new ServiceError('invalid_request', 'The body is no valid JSON'));
      }
    },
  );
  scope.addHook('preValidation', async (request) => {
    request.body ??= {};
  });
  return (request) => texts.get(request) ?? '';
}
