// /openapi.json (OpenAPI 3.1, made from the schemas that validate the requests) and the reference page at /docs.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { RouteOptions } from 'fastify';
import Type from 'typebox';
import { credentialsFor } from '../../auth/permissions.ts';
import { ACTING_FOR_PARAMETER, takesActingFor } from '../acting-for.ts';
import type { WireForm } from '../error-handler.ts';
import type { HttpApp } from '../http-app.ts';
import { type Operation, type OperationExamples, withExamples } from './openapi-examples.ts';
import { ANSWER_COMPONENTS, errorResponses, type OpenResponse, openResponses, withPage } from './openapi-responses.ts';

export const DOCS_PREFIX = '/docs';

/** Where the addresses begin, seen from the two documents: behind a gateway, too, from which the document was read. */
const SERVERS = { fromOpenApi: [{ url: '.' }], fromDocs: [{ url: '..' }] };

/** Of the reference page (w3.org/TR/CSP3): what it needs comes from its own service, and so does what is tried out. */
const DOCS_POLICY = [
  "default-src 'self'; script-src 'self'; style-src 'self'; font-src 'self' data:; img-src 'self' data:",
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
].join('; ');

/** What each kind of credentials is in the document. */
const SECURITY = {
  bearer: { bearer: [] },
  apiKey: { apiKey: [] },
  service: { serviceId: [], serviceSecret: [] },
} as const;

/** A user's token, at a route that judges it itself: `security` of a route's schema. */
export const TOKEN: readonly Record<string, string[]>[] = [{ bearer: [] }];
/** The same beside the credentials of the service that holds it (decision I4). */
export const TOKEN_AT_SERVICE: readonly Record<string, string[]>[] = [{ bearer: [], serviceId: [], serviceSecret: [] }];

export interface DocumentedSite {
  readonly wireFormOf: (path: string) => WireForm;
  /** Read when the document is asked for. */
  readonly examples: () => OperationExamples;
}

export async function registerApiDocs(
  app: HttpApp,
  info: { title: string; version: string },
  { wireFormOf, examples }: DocumentedSite,
): Promise<void> {
  const answers = new Map<string, Record<string, OpenResponse>>();
  /** Those that answer pages too. */
  const paged = new Set<string>();
  /** Those that may be asked for an organisation. */
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
    // The addresses are left as they are: the base is a relative one.
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
    // Without its bar: that asks for the address of any document, and draws a logo with a style of its own, which the
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

/** Nothing for addresses that are open to anybody: a reference page then sends no credentials there. */
function securityOf({ config }: RouteOptions): Record<string, readonly string[]>[] {
  const permission = config?.permission;
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

/** What succeeds, as a page too; a redirect has no content. */
function pagesIn(responses: Operation['responses']): Operation['responses'] {
  const answers = Object.entries(responses ?? {});
  return Object.fromEntries(
    answers.map(([status, response]) => [status, status.startsWith('2') ? withPage(response) : response]),
  );
}

const ACTING_FOR = { $ref: '#/components/parameters/KedjaOrganisation' };

/**
 * The answers and the header are references: written out at each of the thousands of FHIR addresses they would be most
 * of the document.
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
        const shown = withExamples(answered, examples[key] ?? [], ANSWER_COMPONENTS.responses);
        return [method, acting.has(key) ? { ...shown, parameters: [...(shown.parameters ?? []), ACTING_FOR] } : shown];
      }),
    ),
  ]);
  const parameters = { KedjaOrganisation: ACTING_FOR_PARAMETER };
  const components = { ...document.components, ...ANSWER_COMPONENTS, parameters };
  return { ...document, components, paths: Object.fromEntries(paths) };
}
