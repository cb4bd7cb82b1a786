// /openapi.json (OpenAPI 3.1, made from the schemas that validate the requests) and the reference page at /docs.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { RouteOptions } from 'fastify';
import Type from 'typebox';
import { decide } from '../auth/permissions.ts';
import type { HttpApp } from './http-app.ts';

export const DOCS_PREFIX = '/docs';

/** Where the addresses begin, seen from the two documents: behind a gateway, too, from which the document was read. */
const SERVERS = { fromOpenApi: [{ url: '.' }], fromDocs: [{ url: '..' }] };
const CREDENTIALS = [{ bearer: [] }, { apiKey: [] }];

export async function registerApiDocs(app: HttpApp, info: { title: string; version: string }): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: SERVERS.fromOpenApi,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        },
      },
    },
    // The addresses are left as they are: the base is a relative one.
    stripBasePath: false,
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, ...headersOf(route), security: securityOf(route) },
      url,
    }),
  });
  app.get('/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: DOCS_PREFIX,
    uiConfig: { docExpansion: 'none' },
    staticCSP: true,
    transformSpecification: (specification) => ({ ...specification, servers: SERVERS.fromDocs }),
    transformSpecificationClone: false,
  });
}

const IDEMPOTENCY_KEY = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'For a day, the same key with the same body gives the first answer again (Idempotency-Replayed: true) and has no second effect; ' +
        'with another body it is 422, and 409 while the first is being worked on',
    }),
  ),
});

function headersOf({ config }: RouteOptions): { headers?: typeof IDEMPOTENCY_KEY } {
  return config?.idempotent ? { headers: IDEMPOTENCY_KEY } : {};
}

/** Nothing for addresses that are open to anybody: a reference page then sends no credentials there. */
function securityOf({ config }: RouteOptions): typeof CREDENTIALS {
  const permission = config?.permission;
  return permission === undefined || decide(permission, undefined) === 'allowed' ? [] : CREDENTIALS;
}
