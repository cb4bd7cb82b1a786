// /openapi.json (OpenAPI 3.1, generated from the schemas that validate requests) and the reference page at /docs.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { RouteOptions } from 'fastify';
import Type from 'typebox';
import { credentialsFor } from '../../auth/permissions.ts';
import { ACTING_FOR_PARAMETER, takesActingFor } from '../acting-for.ts';
import type { WireForm } from '../error-handler.ts';
import type { HttpApp } from '../http-app.ts';
import { type Operation, type OperationExamples, withExamples } from './openapi-examples.ts';
import {
  errorResponses,
  type OpenResponse,
  openResponses,
  RESPONSE_COMPONENTS,
  withPage,
} from './openapi-responses.ts';

export const DOCS_PREFIX = '/docs';

/** The base of the addresses, relative to the two documents, so that it holds behind a gateway, too. */
const SERVERS = { fromOpenApi: [{ url: '.' }], fromDocs: [{ url: '..' }] };

/**
 * The Content-Security-Policy of the reference page (w3.org/TR/CSP3): all it loads, and every request that is tried
 * out, is of its own origin.
 */
const DOCS_POLICY = [
  "default-src 'self'; script-src 'self'; style-src 'self'; font-src 'self' data:; img-src 'self' data:",
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
].join('; ');

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
  const answers = new Map<string, Record<string, OpenResponse>>();
  /** Operations that respond with HTML pages, too. */
  const paged = new Set<string>();
  /** Operations that take the header `Kedja-Organisation`. */
  const acting = new Set<string>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: SERVERS.fromOpenApi,
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
      if (schema?.['hide'] === true) return { schema, url };
      const form = wireFormOf(url);
      for (const method of [route.method].flat()) {
        const own = schema?.response === undefined ? openResponses(route, method, form) : {};
        answers.set(operationKey(method, url), { ...own, ...errorResponses(route, method, form) });
        if (route.config?.hasPages) paged.add(operationKey(method, url));
        if (takesActingFor(route.config?.permission)) acting.add(operationKey(method, url));
      }
      const security = schema?.security ?? securityOf(route);
      return { schema: { ...schema, ...headersOf(route), security }, url };
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? complete(document.openapiObject, { answers, paged, acting, examples: examples() })
        : {},
  });
  app.get('/openapi.json', { config: { permission: 'public', caching: 'public' }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  await app.register(swaggerUi, {
    routePrefix: DOCS_PREFIX,
    // Without the top bar: it asks for the address of any document, and its logo needs an inline style, which the
    // policy forbids.
    uiConfig: { docExpansion: 'none', layout: 'BaseLayout' },
    staticCSP: DOCS_POLICY,
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

/** No requirement for public addresses: the reference page then sends no credentials there. */
function securityOf({ config }: RouteOptions): Record<string, readonly string[]>[] {
  const { permission, ownPermission } = config ?? {};
  // A receipt token needs no credentials; a guid in its place does.
  if (ownPermission !== undefined) return [{}, ...credentialsFor(ownPermission).map((kind) => SECURITY[kind])];
  return permission === undefined ? [] : credentialsFor(permission).map((kind) => SECURITY[kind]);
}

function operationKey(method: string, url: string): string {
  return `${method.toUpperCase()} ${url.replace(/:(\w+)/g, '{$1}')}`;
}

interface Document {
  readonly paths?: Readonly<Record<string, object | undefined>>;
  readonly components?: object;
}

interface Additions {
  readonly answers: ReadonlyMap<string, Record<string, OpenResponse>>;
  readonly paged: ReadonlySet<string>;
  readonly acting: ReadonlySet<string>;
  readonly examples: OperationExamples;
}

/** Adds an HTML page to successful responses; a redirect has no content. */
function pagesIn(responses: Operation['responses']): Operation['responses'] {
  const answers = Object.entries(responses ?? {});
  return Object.fromEntries(
    answers.map(([status, response]) => [status, status.startsWith('2') ? withPage(response) : response]),
  );
}

const ACTING_FOR = { $ref: '#/components/parameters/KedjaOrganisation' };

/**
 * Responses and the header are references. Written out at each of the thousands of FHIR addresses they would be most of
 * the document.
 */
function complete(document: Document, { answers, paged, acting, examples }: Additions): object {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries<Operation>({ ...methods }).map(([method, operation]) => {
        const key = operationKey(method, path);
        const added = answers.get(key) ?? {};
        const isOwn = Object.keys(added).some((status) => status.startsWith('2'));
        const own = isOwn ? {} : operation.responses;
        const answered = { ...operation, responses: { ...(paged.has(key) ? pagesIn(own) : own), ...added } };
        const shown = withExamples(answered, examples[key] ?? [], RESPONSE_COMPONENTS.responses);
        return [method, acting.has(key) ? { ...shown, parameters: [...(shown.parameters ?? []), ACTING_FOR] } : shown];
      }),
    ),
  ]);
  const parameters = { KedjaOrganisation: ACTING_FOR_PARAMETER };
  const components = { ...document.components, ...RESPONSE_COMPONENTS, parameters };
  return { ...document, components, paths: Object.fromEntries(paths) };
}
