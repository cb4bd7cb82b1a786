// Route families (docs/adr/0094): one Fastify route serves the same address of many names, such as the types of FHIR.
// Admission, metrics, logs and audit see the route of the name that a request is for.
import type { FastifyRequest } from 'fastify';
import type { ServedRoute } from './response/served-route.ts';

/** The path parameter that holds the name. */
const NAME = 'familyMember';

/** The routes that share one. */
export interface RouteFamily {
  /**
   * The route of a request, by its path parameters: always the same object for the same route.
   * @throws TypeError for a name that is not in the address of the family
   */
  readonly routeOf: (params: unknown) => ServedRoute;
}

/** The route of a request of a family; undefined for another request. */
export function familyRouteOf({ routeOptions, params }: FastifyRequest): ServedRoute | undefined {
  return routeOptions.config.family?.routeOf(params);
}

/** The path segment that matches one of the names, which consist of letters: `:familyMember(^(?:Account|Basic)$)`. */
export function familySegment(names: readonly string[]): string {
  return `:${NAME}(^(?:${names.join('|')})$)`;
}

/** The name that a request is for; empty on routes that are no family. */
export function familyNameIn(params: unknown): string {
  const name: unknown = isObject(params) ? Reflect.get(params, NAME) : undefined;
  return typeof name === 'string' ? name : '';
}

/** The first path parameter of the route, which is its id where it has one; undefined without parameters. */
export function firstParameterIn(params: unknown): unknown {
  if (!isObject(params)) return undefined;
  for (const name in params) if (name !== NAME) return Reflect.get(params, name);
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
