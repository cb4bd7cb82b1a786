// The query of an address is read for the routes whose schema says what may stand in it, and only when the caller has
// been let in: those of FHIR read it themselves, in their own way.
import readQuery from 'fast-querystring';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { requireFewParameters } from './parameter-limits.ts';

/** What other routes find in its place. */
const NOTHING: Readonly<Record<string, never>> = Object.freeze(Object.create(null));

/** The router's own reading. */
export function leaveQuery(): Readonly<Record<string, never>> {
  return NOTHING;
}

/** Before the query is held against the schema. To be called for each route as it is registered. */
export function readQueryOf(route: RouteOptions): void {
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
