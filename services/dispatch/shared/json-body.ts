// Bodies of the workflow's routes: JSON in either of FHIR's content types (G4), checked by the route's schema, and also kept as the
// text that came, as parsing loses the digits of decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '#lib/errors.ts';
import { decodeUtf8 } from '#lib/fhir/resource-text.ts';

const FHIR_BODY_LIMIT = 10 * 1024 * 1024;

/** The text of a request's body; empty when there was none. */
export type BodyText = (request: FastifyRequest) => string;

/**
 * Reads bodies within `scope`, of up to 10 MiB where the address is FHIR's and else of the application's 1 MiB. No body counts as `{}`
 * in a POST, so that operations may be called without one; what replaces something must say by what.
 */
export function keepBodyTexts(scope: FastifyInstance, isFhirPath: (path: string) => boolean = () => false): BodyText {
  const texts = new WeakMap<FastifyRequest, string>();
  scope.addHook('onRoute', (route) => {
    if (isFhirPath(route.url)) route.bodyLimit ??= FHIR_BODY_LIMIT;
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'buffer' },
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
    if (request.body === undefined && request.method === 'POST') request.body = {};
  });
  return (request) => texts.get(request) ?? '';
}
