// Checks every response of a test against the service's OpenAPI document: status, media type and shape. Errors of any
// request (5xx) are documented once.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RouteOptions } from 'fastify';
import type { HttpApp } from '#lib/http/http-app.ts';

interface RecordedResponse {
  readonly operation: string;
  readonly status: number;
  readonly type: string;
  readonly text: string | undefined;
}

type Content = Readonly<Record<string, { schema?: object }>>;
interface Responses {
  readonly [status: string]: {
    readonly $ref?: string;
    readonly content?: Content;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: Responses }>>>>;
  readonly components: { readonly responses: Responses };
}

/** The most responses of one operation and status that are checked against their schema. */
const MAX_CHECKED = 25;

/**
 * Makes the close of the application fail when a response was not as documented. Call it before its routes are
 * registered.
 */
export function requireDocumentedResponses(app: HttpApp): void {
  const issues = recordResponses(app);
  app.addHook('onClose', async () => assert.deepEqual(issues(), []));
}

/** Returns a function that lists, after the tests, the responses that are not as documented. */
function recordResponses(app: HttpApp): () => string[] {
  const answers = new Map<string, RecordedResponse[]>();
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onSend', (request, reply, payload, done) => {
    const { served, method } = request;
    if (served !== undefined && method !== 'HEAD') {
      const operation = `${method} ${documented(served.url)}`;
      const key = `${operation} ${reply.statusCode}`;
      const list = answers.get(key) ?? [];
      answers.set(key, list);
      const type = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? '';
      const text = typeof payload === 'string' ? payload : Buffer.isBuffer(payload) ? payload.toString() : undefined;
      if (list.length < MAX_CHECKED) list.push({ operation, status: reply.statusCode, type, text });
    }
    done();
  });
  return () => {
    if (answers.size === 0) return [];
    const all = [...answers.values()].flat();
    hideOthers(routes, new Set(all.map(({ operation }) => operation.slice(operation.indexOf(' ') + 1))));
    const check = createCheck(app.swagger() as unknown as Document);
    return [...new Set(all.flatMap(check))].sort();
  };
}

/**
 * Hides the addresses that were not called, because the document of all of them takes longer than most tests.
 */
function hideOthers(routes: readonly RouteOptions[], asked: ReadonlySet<string>): void {
  for (const route of routes) {
    if (!asked.has(documented(route.url))) route.schema = { ...route.schema, hide: true };
  }
}

function documented(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}

/**
 * The documented content of a media type, by its name or by a range (OpenAPI 3.1, Response Object: the most specific
 * applies).
 */
function contentOf(content: Content | undefined, type: string): Content[string] | undefined {
  return content?.[type] ?? content?.[`${type.split('/')[0]}/*`] ?? content?.['*/*'];
}

function createCheck({ paths, components }: Document): (answered: RecordedResponse) => string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(JSON.parse(JSON.stringify({ $id: 'document', components })));
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>();
  const compile = (schema: object) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const made = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')));
    compiled.set(schema, made);
    return made;
  };
  return ({ operation, status, type, text }) => {
    const [method = '', path = ''] = operation.split(' ');
    const responses = paths[path]?.[method.toLowerCase()]?.responses;
    // Operations that the document hides are pages for people, or of the gateway.
    if (responses === undefined) return [];
    const range = responses[`${Math.floor(status / 100)}XX`];
    const found = responses[status] ?? range ?? (status >= 500 ? responses['default'] : undefined);
    if (found === undefined) return [`${operation}: ${status} is not documented`];
    const response = found.$ref === undefined ? found : components.responses[found.$ref.split('/').at(-1) ?? ''];
    const content = contentOf(response?.content, type);
    if (content === undefined) {
      const isSilent = text === undefined || text === '' || response?.content === undefined;
      return isSilent ? [] : [`${operation}: ${status} as ${type} is not documented`];
    }
    const { schema } = content;
    if (schema === undefined || text === undefined || !type.includes('json')) return [];
    const validate = compile(schema);
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${operation}: ${status}${instancePath.replaceAll(/\/\d+/g, '/0')} ${message}`,
    );
  };
}
