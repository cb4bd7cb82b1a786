// Parses the query string late: only for routes whose schema declares it, and only after authorization. FHIR routes
// parse their own queries.
import readQuery from 'fast-querystring';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { requireFewParameters } from './parameter-limits.ts';

/** The query of routes that declare none. */
const NOTHING: Readonly<Record<string, never>> = Object.freeze(Object.create(null));

/** The router's `querystringParser`: parses nothing. */
export function skipQueryParsing(): Readonly<Record<string, never>> {
  return NOTHING;
}

/** Parses the query before it is validated. Call it for each route when it is registered. */
export function parseQueryOf(route: RouteOptions): void {
  if (route.schema?.querystring === undefined) return;
  const read = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    const { url } = request;
    const start = url.indexOf('?');
    const text = start === -1 ? '' : url.slice(start + 1);
    requireFewParameters(text);
    request.query = readQuery.parse(text);
    done();
  };
  route.preValidation = [read, route.preValidation ?? []].flat();
}
