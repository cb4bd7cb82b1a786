// Calls a running service and keeps each call with its answer as an example for /openapi.json. What differs from run to
// run (guids, secrets, ports, measured times) is shown by values that stay the same.
import assert from 'node:assert/strict';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { OperationExample, OperationExamples } from '#lib/http/openapi/openapi-examples.ts';
import type { EngineResponse } from '#test/support/engine/engine.ts';
import { headerIssues } from './response-headers.ts';

export interface ExampleCall {
  /** The caller's name, an API key or a token; nobody when left out. */
  readonly as?: string;
  /** Distinguishes examples of one operation; needed for all but the first. */
  readonly summary?: string;
  /** For the placeholders of the path; the rest goes into the query. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyType?: string;
  /** Shown instead of a body that is no JSON, in the shape that the document declares. */
  readonly shownBody?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** 200 when left out. */
  readonly status?: number;
  /** Fields of the answer that differ from run to run, at whatever depth, and what is shown in their place. */
  readonly varies?: Readonly<Record<string, unknown>>;
  /** Shown instead of an answer that is no JSON. */
  readonly text?: string;
}

export interface Recorder {
  /** Asks an address of the document below /api/v1, or (with `//`) of the root, and keeps the call. */
  example(address: string, call?: ExampleCall): Promise<EngineResponse>;
  /** What is shown instead of a text that differs from run to run. */
  show(actual: string, shown: string): void;
  readonly examples: OperationExamples;
}

/** Of Bundles and expansions. */
const ALWAYS_VARIES = { timestamp: '2026-03-02T08:00:00.000Z' };
const CURSOR = /(?<=_cursor=)[\w%-]+/g;
const GUID = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

export function createRecorder(app: HttpApp): Recorder {
  const examples: Record<string, OperationExample[]> = {};
  const stand = createStandIns();

  return {
    examples,
    show: stand.show,
    async example(address, call = {}) {
      const { summary = 'example', parameters = {}, body, bodyType, status = 200, varies = {} } = call;
      const [method = '', short = ''] = address.split(' ');
      const path = short.startsWith('//') ? short.slice(1) : `/api/v1${short}`;
      const response = await app.inject({
        method: method as 'GET',
        url: urlOf(path, parameters),
        headers: headersOf(call),
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const { payload: text, headers, statusCode } = response;
      assert.equal(statusCode, status, `${address}: ${text}`);
      assert.deepEqual(headerIssues(`${method} ${path}`, response), []);
      const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
      const answer: EngineResponse['body'] = type.includes('json') ? JSON.parse(text) : (call.text ?? text);
      const key = `${method} ${path}`;
      examples[key] ??= [];
      assert.ok(!examples[key].some((each) => each.summary === summary), `${key} has two examples called ${summary}`);
      examples[key].push({
        summary,
        ...(Object.keys(parameters).length === 0 ? {} : { parameters: stand.in(parameters) }),
        ...(body === undefined ? {} : { body: stand.in(call.shownBody ?? body) }),
        ...(bodyType === undefined ? {} : { bodyType }),
        status,
        ...(text === '' ? {} : { answer: stand.in(answer, { ...ALWAYS_VARIES, ...varies }) }),
        ...(text === '' || type === 'application/json' ? {} : { answerType: type }),
      });
      return { status: statusCode, headers, text, body: answer };
    },
  };
}

function urlOf(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters);
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    query.delete(name);
    const value = parameters[name];
    assert.ok(value !== undefined, `${path} has no ${name}`);
    return encodeURIComponent(value);
  });
  return query.size === 0 ? url : `${url}?${query}`;
}

function headersOf({ as, body, bodyType = 'application/json', headers }: ExampleCall): Record<string, string> {
  const credentials = as?.startsWith('kedja_') === true ? { 'x-api-key': as } : { authorization: `Bearer ${as}` };
  return {
    ...(as === undefined ? {} : credentials),
    ...(body === undefined ? {} : { 'content-type': bodyType }),
    ...headers,
  };
}

/** Guids are numbered in the order of their first occurrence; other texts are given. */
function createStandIns() {
  const guids = new Map<string, string>();
  const replacements = new Map<string, string>();
  const standFor = (guid: string): string => {
    const shown = guids.get(guid) ?? `01900000-0000-7000-8000-${String(guids.size + 1).padStart(12, '0')}`;
    guids.set(guid, shown);
    return shown;
  };
  const textOf = (text: string): string => {
    let shown = text;
    for (const [actual, stand] of replacements) shown = shown.replaceAll(actual, stand);
    return shown.replaceAll(CURSOR, 'WyJuZXh0Il0').replaceAll(GUID, standFor);
  };
  const standIn = (value: unknown, varies: Readonly<Record<string, unknown>> = {}): never => {
    const shown: unknown = JSON.parse(JSON.stringify(value), function (name: string, each: unknown) {
      if (name in varies && !Array.isArray(this)) return varies[name];
      return typeof each === 'string' ? textOf(each) : each;
    });
    return shown as never;
  };
  return { in: standIn, show: (actual: string, shown: string) => void replacements.set(actual, shown) };
}
