// Describes the FHIR routes of a scope in /openapi.json.
import type { FastifyInstance } from 'fastify';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { OpenApiReferences } from '#lib/http/openapi/components.ts';
import { fhirComponents } from './components.ts';
import { describeRoute } from './route-description.ts';
import { isCommon, searchParameterNames } from './search-parameters.ts';

export interface DocumentedTypes {
  readonly types: readonly string[];
  readonly parameters: SearchParameters;
  /** Which parameters of ./search-parameters.ts that belong to no type the service supports; all when left out. */
  readonly common?: ReadonlySet<string>;
  /** Whether reads may come from standbys, and take the position of a write. */
  readonly hasPositions?: boolean;
}

/** How a route is described, by its address below the base of FHIR: `/Patient/:id`. */
export type DescribeRoute = (url: string) => (method: string) => OpenApiReferences;

/**
 * Describes the routes that are registered below the scope's prefix afterwards. Returns how a route is described, for
 * rows of a table ({@link FastifyContextConfig} `documentedAs`).
 */
export function documentFhirRoutes(
  scope: FastifyInstance,
  { types, parameters, common, hasPositions = false }: DocumentedTypes,
): DescribeRoute {
  const searchNames = searchParameterNames(parameters);
  const isSupported = (name: string) => common === undefined || common.has(name) || !isCommon(name);
  scope.offerOpenApiComponents(fhirComponents(types, parameters));
  const describe: DescribeRoute = (url) => (method) => {
    const { parameters: names, ...described } = describeRoute(method, url, searchNames);
    const ofRead = hasPositions && method === 'GET' ? ['Kedja-Position'] : [];
    if (names === undefined && ofRead.length === 0) return described;
    return { ...described, parameters: () => [...(names?.() ?? []).filter(isSupported), ...ofRead] };
  };
  scope.addHook('onRoute', (route) => {
    route.config = { openApi: describe(route.url.slice(scope.prefix.length)), ...route.config };
  });
  return describe;
}
