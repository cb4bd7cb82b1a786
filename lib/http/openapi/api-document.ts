// The operations of a service and their description as /openapi.json has it. Operations are built one by one, so that
// the document of thousands of them is written in slices and the reference page builds those that it shows.
import type { RouteOptions } from 'fastify';
import Type from 'typebox';
import { createSlices } from '../../jobs/slices.ts';
import { ACTING_FOR_PARAMETER, PROXY_FOR_PARAMETER } from '../acting-for.ts';
import type { HttpApp } from '../http-app.ts';
import { COMPONENT_KINDS, componentRef, type OpenApiComponent, type OpenApiComponents } from './components.ts';
import type { ApiDocument, DocumentedOperation } from './described-api.ts';
import { type Operation, type OperationExamples, withExamples } from './openapi-examples.ts';
import { type OpenResponse, RESPONSE_COMPONENTS, withPage } from './openapi-responses.ts';
import { documentedPath, operationId, operationKey } from './operation-id.ts';

/** A route without schemas; `security` as in an Operation Object. */
export interface PlainRoute {
  readonly method: string;
  readonly url: string;
  readonly route: RouteOptions;
  readonly security: unknown;
}

interface Sources {
  readonly answers: ReadonlyMap<string, Record<string, OpenResponse>>;
  readonly paged: ReadonlySet<string>;
  readonly acting: ReadonlySet<string>;
  /** Operations that take the header `Kedja-Patient`. */
  readonly proxied: ReadonlySet<string>;
  readonly plain: readonly PlainRoute[];
  readonly components: readonly OpenApiComponents[];
  readonly shared: OpenApiComponents;
  readonly examples: () => OperationExamples;
}

/** The value of the header `Idempotency-Key` (decision G10). */
export const IDEMPOTENCY_KEY = Type.String({
  minLength: 1,
  maxLength: 255,
  description:
    'For a day, the same key with the same body gives the first answer again (Idempotency-Replayed: true) and has no second effect; ' +
    'with another body it is 422, and 409 while the first is being worked on',
});

const ACTING_FOR_NAME = 'KedjaOrganisation';
const PROXY_FOR_NAME = 'KedjaPatient';
const IDEMPOTENCY_NAME = 'IdempotencyKey';
const IDEMPOTENCY_PARAMETER = { name: 'Idempotency-Key', in: 'header', required: false, schema: IDEMPOTENCY_KEY };

export function createApiDocument(app: HttpApp, given: Omit<Sources, 'shared'>): ApiDocument {
  let read: OperationExamples | undefined;
  const examples = () => {
    read ??= given.examples();
    return read;
  };
  const sources = { ...given, examples, shared: sharedComponents(app, given.components) };
  let known: readonly DocumentedOperation[] | undefined;
  const operations = () => {
    known ??= [...describedBySchemas(app, sources), ...sources.plain.map((each) => describedByNames(each, sources))];
    return known;
  };
  return { operations, find: sources.shared.find, write: () => write(app, operations(), sources.shared.all()) };
}

/** Those of lib, of the schemas that the routes share, and of plugins. */
function sharedComponents(app: HttpApp, offered: readonly OpenApiComponents[]): OpenApiComponents {
  const own = (): Components => {
    const { components = {} } = app.swagger() as { components?: Components };
    return {
      ...components,
      schemas: { ...components.schemas, ...RESPONSE_COMPONENTS.schemas },
      responses: { ...RESPONSE_COMPONENTS.responses },
      parameters: {
        [ACTING_FOR_NAME]: ACTING_FOR_PARAMETER,
        [PROXY_FOR_NAME]: PROXY_FOR_PARAMETER,
        [IDEMPOTENCY_NAME]: IDEMPOTENCY_PARAMETER,
      },
    };
  };
  return {
    all: function* () {
      const listed = own();
      for (const kind of COMPONENT_KINDS) {
        for (const [name, value] of Object.entries(listed[kind] ?? {})) yield [kind, name, value];
      }
      for (const { all } of offered) yield* all();
    },
    find: (kind, name) =>
      own()[kind]?.[name] ?? offered.map(({ find }) => find(kind, name)).find((each) => each !== undefined),
  };
}

type Components = { readonly [kind in OpenApiComponent[0]]?: Readonly<Record<string, object>> };

interface SwaggerOperation extends Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
}

function describedBySchemas(app: HttpApp, sources: Sources): DocumentedOperation[] {
  const { paths = {} } = app.swagger() as { paths?: Readonly<Record<string, object>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries<SwaggerOperation>({ ...methods }).map(([method, operation]) => ({
      id: operation.operationId ?? operationId(method, path),
      method,
      path,
      tag: operation.tags?.[0] ?? '',
      summary: operation.summary ?? '',
      build: () =>
        complete({ operationId: operationId(method, path), ...operation }, operationKey(method, path), sources),
    })),
  );
}

function describedByNames({ method, url, route, security }: PlainRoute, sources: Sources): DocumentedOperation {
  const { tags = [], summary = '' } = (route.schema ?? {}) as SwaggerOperation;
  const path = documentedPath(url);
  const named = route.config?.openApi?.(method) ?? {};
  const id = named.operationId ?? operationId(method, path);
  const build = () => {
    const parameters = [
      ...[...url.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
      ...(named.parameters ?? []).map((name) => componentRef('parameters', name)),
      ...(route.config?.idempotent === true ? [componentRef('parameters', IDEMPOTENCY_NAME)] : []),
    ];
    const operation = {
      operationId: id,
      tags,
      summary,
      security,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(named.body === undefined ? {} : { requestBody: componentRef('requestBodies', named.body) }),
    };
    return complete(operation, operationKey(method, url), sources);
  };
  return { id, method: method.toLowerCase(), path, tag: tags[0] ?? '', summary, build };
}

function pathParameter(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

const ACTING_FOR = componentRef('parameters', ACTING_FOR_NAME);
const PROXY_FOR = componentRef('parameters', PROXY_FOR_NAME);

/** The operation with its responses, its examples and the header `Kedja-Organisation`. */
function complete(operation: Operation, key: string, sources: Sources): Operation {
  const { answers, paged, acting, proxied, examples, shared } = sources;
  const added = answers.get(key) ?? {};
  const isOwn = Object.keys(added).some((status) => status.startsWith('2'));
  const own = isOwn ? {} : operation.responses;
  const answered = { ...operation, responses: { ...(paged.has(key) ? pagesIn(own) : own), ...added } };
  const shown = withExamples(answered, examples()[key] ?? [], shared.find);
  const headers = [...(acting.has(key) ? [ACTING_FOR] : []), ...(proxied.has(key) ? [PROXY_FOR] : [])];
  return headers.length === 0 ? shown : { ...shown, parameters: [...(shown.parameters ?? []), ...headers] };
}

/** Adds an HTML page to successful responses; a redirect has no content. */
function pagesIn(responses: Operation['responses']): NonNullable<Operation['responses']> {
  const answers = Object.entries(responses ?? {});
  return Object.fromEntries(
    answers.map(([status, response]) => [status, status.startsWith('2') ? withPage(response) : response]),
  );
}

async function write(
  app: HttpApp,
  operations: readonly DocumentedOperation[],
  components: Iterable<OpenApiComponent>,
): Promise<string[]> {
  const slices = createSlices();
  const { paths: _paths, components: own, ...head } = app.swagger() as { paths?: object; components?: object };
  const pieces = [JSON.stringify(head).slice(0, -1), ',"paths":{'];
  const byPath = Map.groupBy(operations, ({ path }) => path);
  for (const [path, methods] of byPath) {
    const item = Object.fromEntries(methods.map(({ method, build }) => [method, build()]));
    pieces.push(`${JSON.stringify(path)}:${JSON.stringify(item)}`, ',');
    await slices.rest();
  }
  if (byPath.size > 0) pieces.pop();
  const texts = new Map<string, string[]>();
  for (const [kind, name, value] of components) {
    const list = texts.get(kind) ?? [];
    texts.set(kind, list);
    list.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    await slices.rest();
  }
  const rest = Object.entries({ ...own }).filter(([kind]) => !texts.has(kind));
  const groups = [
    ...rest.map(([kind, value]) => `${JSON.stringify(kind)}:${JSON.stringify(value)}`),
    ...[...texts].map(([kind, list]) => `"${kind}":{${list.join(',')}}`),
  ];
  pieces.push('},"components":{', groups.join(','), '}}');
  return pieces;
}
