// Checks every response of a test against the service's OpenAPI document: status, media type and shape. Errors of any
// request (5xx) are documented once.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RouteOptions } from 'fastify';
import { isResourceType } from '#fhir/definitions/definitions.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ApiDocument } from '#lib/http/openapi/described-api.ts';
import { documentedPath } from '#lib/http/openapi/operation-id.ts';
import { resolver } from '#lib/http/openapi/reference-page/resolve.ts';

interface RecordedResponse {
  readonly operation: string;
  readonly status: number;
  readonly type: string;
  readonly text: string | undefined;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
}
type Responses = Readonly<Record<string, unknown>>;

/** The most responses of one operation and status that are checked against their schema. */
const MAX_CHECKED = 25;

/**
 * Makes the close of the application fail when a response was not as documented. Call it before its routes are
 * registered.
 */
export function requireDocumentedResponses(app: HttpApp): void {
  const issues = recordResponses(app);
  app.addHook('onClose', async () => assert.deepEqual(await issues(), []));
}

/** Returns a function that lists, after the tests, the responses that are not as documented. */
function recordResponses(app: HttpApp): () => Promise<string[]> {
  const answers = new Map<string, RecordedResponse[]>();
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onSend', (request, reply, payload, done) => {
    const { served, method } = request;
    if (served !== undefined && method !== 'HEAD') {
      const operation = `${method} ${documentedPath(served.url)}`;
      const key = `${operation} ${reply.statusCode}`;
      const list = answers.get(key) ?? [];
      answers.set(key, list);
      const type = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? '';
      const text = typeof payload === 'string' ? payload : Buffer.isBuffer(payload) ? payload.toString() : undefined;
      if (list.length < MAX_CHECKED) list.push({ operation, status: reply.statusCode, type, text });
    }
    done();
  });
  return async () => {
    if (answers.size === 0) return [];
    const all = [...answers.values()].flat();
    hideOthers(routes, new Set(all.map(({ operation }) => operation.slice(operation.indexOf(' ') + 1))));
    const check = await createCheck(app.apiDocument);
    return [...new Set(all.flatMap(check))].sort();
  };
}

/**
 * Hides the addresses that were not called, because the document of all of them takes longer than most tests.
 */
function hideOthers(routes: readonly RouteOptions[], asked: ReadonlySet<string>): void {
  const tables = new Set(routes.map(({ config }) => config?.documentedAs ?? []));
  for (const route of [...routes, ...[...tables].flat()]) {
    if (!asked.has(documentedPath(route.url))) route.schema = { ...route.schema, hide: true };
  }
}

/**
 * The documented content of a media type, by its name or by a range (OpenAPI 3.1, Response Object: the most specific
 * applies).
 */
function contentOf(content: Response['content'], type: string): { readonly schema?: unknown } | undefined {
  return content?.[type] ?? content?.[`${type.split('/')[0]}/*`] ?? content?.['*/*'];
}

async function createCheck({ operations, find }: ApiDocument): Promise<(answered: RecordedResponse) => string[]> {
  const resolve = resolver(find);
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  const byKey = new Map((await operations()).map((each) => [`${each.method.toUpperCase()} ${each.path}`, each]));
  const responsesOf = cached((operation: string): Responses | undefined => byKey.get(operation)?.build().responses);
  const compile = cached((schema: string) => ajv.compile(withComponents(schema, find)));
  return ({ operation, status, type, text }) => {
    const responses = responsesOf(operation);
    // Operations that the document hides are pages for people, or of the gateway.
    if (responses === undefined) return [];
    const range = responses[`${Math.floor(status / 100)}XX`];
    const found = responses[status] ?? range ?? (status >= 500 ? responses['default'] : undefined);
    if (found === undefined) return [`${operation}: ${status} is not documented`];
    const response = resolve<Response>(found);
    const content = contentOf(response.content, type);
    if (content === undefined) {
      const isSilent = text === undefined || text === '' || response.content === undefined;
      return isSilent ? [] : [`${operation}: ${status} as ${type} is not documented`];
    }
    const { schema } = content;
    if (typeof schema !== 'object' || schema === null || text === undefined || !type.includes('json')) return [];
    const validate = compile(JSON.stringify(schema));
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${operation}: ${status}${instancePath.replaceAll(/\/\d+/g, '/0')} ${message}`,
    );
  };
}

function cached<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}

/**
 * The schema with the components that it refers to, and those that they refer to. Of a FHIR resource only its type is
 * checked: the types of R5 contain each other, and the service has validated what it stores.
 */
function withComponents(text: string, find: ApiDocument['find']): object {
  const components: Record<string, object> = {};
  const waiting: unknown[] = [JSON.parse(text)];
  for (const value of waiting) {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (components[name] !== undefined) continue;
      components[name] = isResourceType(name)
        ? { type: 'object', properties: { resourceType: { const: name } }, required: ['resourceType'] }
        : (find('schemas', name) ?? {});
      waiting.push(components[name]);
    }
  }
  return JSON.parse(JSON.stringify({ ...JSON.parse(text), components: { schemas: components } }));
}
