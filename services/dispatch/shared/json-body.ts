// Bodies of the workflow's routes: JSON in either of FHIR's content types (G4), checked by the route's schema, and also kept as the
// text that came, as parsing loses the digits of decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '#lib/errors.ts';

const BODY_LIMIT = 10 * 1024 * 1024;

/** The text of a request's body; empty when there was none. */
export type BodyText = (request: FastifyRequest) => string;

/** Reads bodies within `scope`; where there is none it counts as `{}`, so that operations may be called without one. */
export function keepBodyTexts(scope: FastifyInstance): BodyText {
  const texts = new WeakMap<FastifyRequest, string>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      const text = String(body);
      texts.set(request, text);
      if (text.trim() === '') return done(null, undefined);
      try {
        return done(null, JSON.parse(text));
      } catch {
        return done(new ServiceError('invalid_request', 'The body is no valid JSON'));
      }
    },
  );
  scope.addHook('preValidation', async (request) => {
    request.body ??= {};
  });
  return (request) => texts.get(request) ?? '';
}
