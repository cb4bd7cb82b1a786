// Whether a service answers as its OpenAPI document says: every answer that a test has had, by its status, its media type and its shape. What can befall any
// request (5xx) is documented once.
import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { HttpApp } from '#lib/http/http-app.ts';

interface Answered {
  readonly operation: string;
  readonly status: number;
  readonly type: string;
  readonly text: string | undefined;
}

interface Responses {
  readonly [status: string]: {
    readonly $ref?: string;
    readonly content?: Readonly<Record<string, { schema?: object }>>;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: Responses }>>>>;
  readonly components: { readonly responses: Responses };
}

/** So many answers of one operation and status are held against their schema. */
const LOOKED_AT = 25;

let isHeld = false;

/** Every service that the test file starts from now on answers as documented, or else cannot be closed. */
export function holdAnswers(): void {
  isHeld = true;
}

/** To be called for each application before its routes are registered. `isAlways`: whether the test file asks for it or not. */
export function watchHeld(app: HttpApp, isAlways = false): void {
  if (!isHeld && !isAlways) return;
  const faults = watchAnswers(app);
  app.addHook('onClose', async () => assert.deepEqual(faults(), []));
}

/** What it answers tells what is not as documented, when the tests are through. */
function watchAnswers(app: HttpApp): () => string[] {
  const answers = new Map<string, Answered[]>();
  app.addHook('onSend', (request, reply, payload, done) => {
    const { served, method } = request;
    if (served !== undefined && method !== 'HEAD') {
      const operation = `${method} ${served.url.replaceAll(/:(\w+)/g, '{$1}')}`;
      const key = `${operation} ${reply.statusCode}`;
      const list = answers.get(key) ?? [];
      answers.set(key, list);
      const type = String(reply.getHeader('content-type') ?? '').split(';')[0] ?? '';
      const text = typeof payload === 'string' ? payload : Buffer.isBuffer(payload) ? payload.toString() : undefined;
      if (list.length < LOOKED_AT) list.push({ operation, status: reply.statusCode, type, text });
    }
    done();
  });
  return () => {
    if (answers.size === 0) return [];
    const check = createCheck(JSON.parse(JSON.stringify(app.swagger())));
    return [...new Set([...answers.values()].flat().flatMap(check))].sort();
  };
}

function createCheck({ paths, components }: Document): (answered: Answered) => string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema({ $id: 'document', components });
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
    // What is hidden from the document is a page for people, or of the gateway.
    if (responses === undefined) return [];
    const range = responses[`${Math.floor(status / 100)}XX`];
    const found = responses[status] ?? range ?? (status >= 500 ? responses['default'] : undefined);
    if (found === undefined) return [`${operation}: ${status} is not documented`];
    const response = found.$ref === undefined ? found : components.responses[found.$ref.split('/').at(-1) ?? ''];
    const schema = response?.content?.[type]?.schema;
    if (schema === undefined || text === undefined || !type.includes('json')) {
      const isSilent = text === undefined || text === '' || schema !== undefined || response?.content === undefined;
      return isSilent ? [] : [`${operation}: ${status} as ${type} is not documented`];
    }
    const validate = compile(schema);
    if (validate(JSON.parse(text))) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${operation}: ${status}${instancePath.replaceAll(/\/\d+/g, '/0')} ${message}`,
    );
  };
}
