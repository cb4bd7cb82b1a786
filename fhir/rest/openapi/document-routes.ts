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
}

/** Call it before the routes of the types are registered below the scope's prefix. */
export function documentFhirRoutes(scope: FastifyInstance, { types, parameters, common }: DocumentedTypes): void {
  const searchNames = searchParameterNames(parameters);
  const isSupported = (name: string) => common === undefined || common.has(name) || !isCommon(name);
  scope.offerOpenApiComponents(fhirComponents(types, parameters));
  scope.addHook('onRoute', (route) => {
    const url = route.url.slice(scope.prefix.length);
    const openApi = (method: string): OpenApiReferences => {
      const { parameters: names, ...described } = describeRoute(method, url, searchNames);
      return names === undefined ? described : { ...described, parameters: () => names().filter(isSupported) };
    };
    route.config = { openApi, ...route.config };
  });
}
