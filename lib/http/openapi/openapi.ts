// /openapi.json (OpenAPI 3.1) and the reference page at /docs. Routes with schemas are described by the schemas that
// validate their requests. FHIR routes have none: they are described by `config.openApi` and the components of their
// plugin.
import swagger from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import Type from 'typebox';
import { credentialsFor } from '../../auth/permissions.ts';
import type { WireForm } from '../error-handler.ts';
import type { HttpApp } from '../http-app.ts';
import { createApiDocument, type DescribedRoute, IDEMPOTENCY_KEY } from './api-document.ts';
import type { OpenApiComponents } from './components.ts';
import { createDocumentSender } from './document-sender.ts';
import type { OperationExamples } from './openapi-examples.ts';
import { operationKey } from './operation-id.ts';
import { withOptionalMembers } from './optional-members.ts';
import { registerReferencePage } from './reference-page/routes.ts';

/** The security requirement of each kind of credentials. */
const SECURITY = {
  bearer: { bearer: [] },
  apiKey: { apiKey: [] },
  service: { serviceId: [], serviceSecret: [] },
} as const;

/** `security` of a route's schema: a user's token, which the route checks itself. */
export const TOKEN: readonly Record<string, string[]>[] = [{ bearer: [] }];
/** The same with the credentials of the service that holds the token (decision I4). */
export const TOKEN_AT_SERVICE: readonly Record<string, string[]>[] = [{ bearer: [], serviceId: [], serviceSecret: [] }];

export interface ApiDocsOptions {
  readonly wireFormOf: (path: string) => WireForm;
  /** Called when the document is requested. */
  readonly examples: () => OperationExamples;
}

export async function registerApiDocs(
  app: HttpApp,
  info: { title: string; version: string },
  { wireFormOf, examples }: ApiDocsOptions,
): Promise<void> {
  const routes = new Map<string, DescribedRoute>();
  const tables = new WeakSet<readonly RouteOptions[]>();
  const components: OpenApiComponents[] = [];
  app.decorate('offerOpenApiComponents', (offered) => void components.push(offered));
  const describe = (route: RouteOptions) => {
    const { schema, url } = route;
    const security = schema?.security ?? securityOf(route);
    const described = { route, url, form: wireFormOf(url), security, isDescribedByNames: hasNoSchemas(route) };
    for (const method of [route.method].flat().filter((each) => each !== 'HEAD'))
      routes.set(operationKey(method, url), { ...described, method });
    return described;
  };
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      // Relative to the document, so that it holds behind a gateway, too.
      servers: [{ url: '.' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          serviceId: { type: 'apiKey', in: 'header', name: 'X-SSO-Client-Id' },
          serviceSecret: { type: 'apiKey', in: 'header', name: 'X-SSO-Client-Secret' },
        },
      },
    },
    // Addresses stay as they are, because the base is relative.
    stripBasePath: false,
    transform: ({ schema, url, route }) => {
      const { documentedAs } = route.config ?? {};
      if (documentedAs !== undefined) {
        const rows = tables.has(documentedAs) ? [] : documentedAs.filter(isShown);
        tables.add(documentedAs);
        for (const row of rows) describe(row);
        return { schema: { hide: true }, url };
      }
      if (!isShown(route)) return { schema, url };
      const { isDescribedByNames, security } = describe(route);
      // Thousands of FHIR routes would keep the plugin busy for half a second.
      if (isDescribedByNames) return { schema: { hide: true }, url };
      const headers = route.config?.idempotent ? { headers: IDEMPOTENCY_HEADERS } : {};
      return { schema: { ...requestSchemas(schema), ...headers, security }, url };
    },
  });
  const document = createApiDocument(app, { routes, components, examples });
  app.decorate('apiDocument', document);
  const send = createDocumentSender(document.write);
  app.get('/openapi.json', { config: { permission: 'public', caching: 'public' }, schema: { hide: true } }, send);
  registerReferencePage(app, info.title, document);
}

function isShown({ schema }: RouteOptions): boolean {
  return schema?.['hide'] !== true;
}

/** Whether a route has no schema of its own, as FHIR routes, which read their requests themselves. */
function hasNoSchemas({ schema, config }: RouteOptions): boolean {
  return (
    config?.openApi !== undefined &&
    schema?.body === undefined &&
    schema?.querystring === undefined &&
    schema?.params === undefined &&
    schema?.response === undefined
  );
}

function requestSchemas(schema: RouteOptions['schema']): object {
  const { querystring, body } = schema ?? {};
  return {
    ...schema,
    ...(querystring === undefined ? {} : { querystring: withOptionalMembers(querystring) }),
    ...(body === undefined ? {} : { body: withOptionalMembers(body) }),
  };
}

const IDEMPOTENCY_HEADERS = Type.Object({ 'Idempotency-Key': Type.Optional(IDEMPOTENCY_KEY) });

/** No requirement for public addresses: the reference page then sends no credentials there. */
function securityOf({ config }: RouteOptions): Record<string, readonly string[]>[] {
  const { permission, ownPermission } = config ?? {};
  // A receipt token needs no credentials; a guid in its place does.
  if (ownPermission !== undefined) return [{}, ...credentialsFor(ownPermission).map((kind) => SECURITY[kind])];
  return permission === undefined ? [] : credentialsFor(permission).map((kind) => SECURITY[kind]);
}
