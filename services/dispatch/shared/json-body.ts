// Request bodies of the workflow's routes: JSON in either content type of FHIR (G4), checked by the route's schema. The
// raw text is kept too, as parsing loses the digits of decimals.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJsonWith } from '#lib/http/body/json-body.ts';
import { fhirLimitsFor } from '#lib/http/body/json-limits.ts';

const FHIR_BODY_LIMIT = 10 * 1024 * 1024;

/** The text of a request's body; empty when there was none. */
export type RawBodyOf = (request: FastifyRequest) => string;

/**
 * Reads bodies within `scope`, of up to 10 MiB at FHIR addresses and 1 MiB elsewhere. A POST without a body counts as
 * `{}`, so that operations can be called without one. A PUT needs a body.
 */
export function registerRawBody(
  scope: FastifyInstance,
  isFhirPath: (path: string) => boolean = () => false,
): RawBodyOf {
  const texts = new WeakMap<FastifyRequest, string>();
  scope.addHook('onRoute', (route) => {
    if (isFhirPath(route.url)) route.bodyLimit ??= FHIR_BODY_LIMIT;
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>(
    ['application/json', 'application/fhir+json'],
    { parseAs: 'buffer' },
    readJsonWith({
      limits: fhirLimitsFor(FHIR_BODY_LIMIT),
      keep: (request, _bytes, text) => texts.set(request, text),
    }),
  );
  scope.addHook('preValidation', async (request) => {
    if (request.body === undefined && request.method === 'POST') request.body = {};
  });
  return (request) => texts.get(request) ?? '';
}
