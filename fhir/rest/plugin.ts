// The FHIR REST routes of a service (decisions E1, G3, G6, G9, G12): any R5 type, the same code. Register it under the
// service's prefix.
import type { FastifyPluginAsync } from 'fastify';
import { createContext } from './context.ts';
import { keepBodiesRaw } from './http/content.ts';
import { respondTogether } from './http/respond-together.ts';
import { documentFhirRoutes } from './openapi/document-routes.ts';
import type { FhirRestOptions } from './options.ts';
import { recordRefusedRequests } from './refusals.ts';
import { registerBundleRoutes } from './routes/bundle-routes.ts';
import { registerOperationRoutes } from './routes/operation-routes.ts';
import { servedOperations } from './routes/operations.ts';
import { registerReadRoutes } from './routes/read-routes.ts';
import { registerCompartmentRoutes, registerSearchRoutes, registerSystemSearch } from './routes/search-routes.ts';
import { registerWriteRoutes } from './routes/write-routes.ts';

/**
 * Registers the interactions of each type in `options.types`:
 * `app.register(fhirRestPlugin, { prefix: '/api/v1', …options })`. Bodies are read as FHIR JSON within this plugin
 * alone.
 */
export const fhirRestPlugin: FastifyPluginAsync<FhirRestOptions> = async (scope, options) => {
  keepBodiesRaw(scope);
  const types = options.types.map(({ type }) => type);
  documentFhirRoutes(scope, { types, parameters: options.store.parameters });
  // Each interaction reads, or is a transaction of its own.
  scope.addHook('onRoute', (route) => {
    route.config = { abortsOnDisconnect: true, ...route.config };
  });
  recordRefusedRequests(scope, instanceType(options.types), options);
  scope.addHook('onSend', respondTogether());
  const context = createContext(options);
  const operations = servedOperations(context);
  registerBundleRoutes(scope, operations, context);
  registerOperationRoutes(scope, operations, context);
  registerSystemSearch(scope, context);
  registerCompartmentRoutes(scope, context);
  for (const type of options.types) {
    registerReadRoutes(scope, type, { ...context, operations });
    registerSearchRoutes(scope, type, context);
    registerWriteRoutes(scope, type, { ...context, operations });
  }
};

/** The type of a route below the address of a resource: `…/Patient/:id/_history`. */
function instanceType(types: FhirRestOptions['types']): (route: string) => string | undefined {
  const names = new Set(types.map(({ type }) => type));
  return (route) => {
    const [, type] = /\/([A-Z][A-Za-z]+)\/:/.exec(route) ?? [];
    return type !== undefined && names.has(type) ? type : undefined;
  };
}
