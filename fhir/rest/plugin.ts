// The FHIR REST routes of a service (decisions E1, G3, G6, G9, G12): any R5 type, the same code. Register it under the
// service's prefix.
import type { FastifyPluginAsync } from 'fastify';
import { createContext } from './context.ts';
import { keepBodiesRaw } from './http/content.ts';
import { respondTogether } from './http/respond-together.ts';
import { documentFhirRoutes } from './openapi/document-routes.ts';
import type { FhirRestOptions } from './options.ts';
import { recordRefusedRequests } from './refusals.ts';
import { addBundleRoutes } from './routes/bundle-routes.ts';
import { addOperationRoutes } from './routes/operation-routes.ts';
import { servedOperations } from './routes/operations.ts';
import { addReadRoutes } from './routes/read-routes.ts';
import { createRouteTable } from './routes/route-table.ts';
import { addCompartmentRoutes, addSearchRoutes, addSystemSearch } from './routes/search-routes.ts';
import { addWriteRoutes } from './routes/write-routes.ts';

/**
 * Registers the interactions of each type in `options.types`:
 * `app.register(fhirRestPlugin, { prefix: '/api/v1', …options })`. Bodies are read as FHIR JSON within this plugin
 * alone.
 */
export const fhirRestPlugin: FastifyPluginAsync<FhirRestOptions> = async (scope, options) => {
  keepBodiesRaw(scope);
  const types = options.types.map(({ type }) => type);
  const describe = documentFhirRoutes(scope, {
    types,
    parameters: options.store.parameters,
    hasPositions: options.hasPositions ?? false,
  });
  // Each interaction reads, or is a transaction of its own.
  scope.addHook('onRoute', (route) => {
    route.config = { abortsOnDisconnect: true, ...route.config };
  });
  recordRefusedRequests(scope, instanceType(options.types), options);
  scope.addHook('onSend', respondTogether());
  const context = createContext(options);
  const operations = servedOperations(context);
  const table = createRouteTable();
  addBundleRoutes(table, operations, context);
  const addOperations = addOperationRoutes(table, scope, { ...context, operations });
  addSystemSearch(table, context);
  table.addTypes(options.types, (list, type) => {
    addOperations(list, type);
    addCompartmentRoutes(list, type, context);
    addReadRoutes(list, type, { ...context, operations });
    addSearchRoutes(list, type, context);
    addWriteRoutes(list, type, { ...context, operations });
  });
  table.mount(scope, describe);
};

/** The type of a route below the address of a resource: `…/Patient/:id/_history`. */
function instanceType(types: FhirRestOptions['types']): (route: string) => string | undefined {
  return (route) => {
    const [, type] = /\/([A-Z][A-Za-z]+)\/:/.exec(route) ?? [];
    return types.some((each) => each.type === type) ? type : undefined;
  };
}
