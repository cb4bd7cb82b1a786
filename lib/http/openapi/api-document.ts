// The operations of a service and their description as /openapi.json has it. Operations are built one by one. So the
// document of thousands of them is written in slices, and the reference page builds those that it shows.
import type { RouteOptions } from 'fastify';
import Type from 'typebox';
import { createSlices, mapInSlices } from '../../jobs/slices.ts';
import { ACTING_FOR_PARAMETER, PROXY_FOR_PARAMETER, takesActingFor, takesProxyFor } from '../acting-for.ts';
import type { WireForm } from '../error-handler.ts';
import type { HttpApp } from '../http-app.ts';
import { COMPONENT_KINDS, componentRef, type OpenApiComponent, type OpenApiComponents } from './components.ts';
import type { ApiDocument, DocumentedOperation } from './described-api.ts';
import { createNamedShapes, type NamedShapes } from './named-shapes.ts';
import { type Operation, type OperationExamples, resolved, withExamples } from './openapi-examples.ts';
import { errorResponses, openResponses, RESPONSE_COMPONENTS, withPage } from './openapi-responses.ts';
import { documentedPath, operationId, operationKey } from './operation-id.ts';

/** One method of a route that the document shows; `security` as in an Operation Object. */
export interface DescribedRoute {
  readonly method: string;
  readonly url: string;
  readonly route: RouteOptions;
  readonly form: WireForm;
  readonly security: unknown;
  /** By `config.openApi` alone, and not by schemas. */
  readonly isDescribedByNames: boolean;
}

interface Given {
  /** By `operationKey`. */
  readonly routes: ReadonlyMap<string, DescribedRoute>;
  readonly components: readonly OpenApiComponents[];
  readonly examples: () => OperationExamples;
}

interface Sources extends Given {
  readonly shared: OpenApiComponents;
  readonly shapes: NamedShapes;
  /** Names of headers of the successful responses of a route. */
  readonly headersOf: NonNullable<OpenApiComponents['headersOf']>;
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

export function createApiDocument(app: HttpApp, given: Given): ApiDocument {
  let read: OperationExamples | undefined;
  const examples = () => {
    read ??= given.examples();
    return read;
  };
  const headersOf: Sources['headersOf'] = (route) => given.components.flatMap((each) => each.headersOf?.(route) ?? []);
  const shared = sharedComponents(app, given.components);
  const shapes = createNamedShapes((name) => shared.find('schemas', name) !== undefined);
  const sources = { ...given, examples, headersOf, shared, shapes };
  let known: Promise<readonly DocumentedOperation[]> | undefined;
  const operations = () => {
    known ??= describe(app, sources);
    return known;
  };
  // Read last: the shapes are named while the operations are built.
  const components = function* (): Iterable<OpenApiComponent> {
    for (const [name, schema] of shapes.all()) yield ['schemas', name, schema];
    yield* shared.all();
  };
  const write = async () => writeDocument(app, await operations(), components());
  const findShape = (kind: OpenApiComponent[0], name: string) => (kind === 'schemas' ? shapes.find(name) : undefined);
  const find: ApiDocument['find'] = (kind, name) => findShape(kind, name) ?? shared.find(kind, name);
  return { operations, find, isShape: (name) => shapes.find(name) !== undefined, write };
}

/** Those of lib, of the schemas that the routes share, and of plugins. */
function sharedComponents(app: HttpApp, offered: readonly OpenApiComponents[]): OpenApiComponents {
  let known: Components | undefined;
  const own = (): Components => {
    const { components = {} } = app.swagger() as { components?: Components };
    known ??= {
      ...components,
      schemas: { ...components.schemas, ...RESPONSE_COMPONENTS.schemas },
      responses: { ...RESPONSE_COMPONENTS.responses },
      parameters: {
        [ACTING_FOR_NAME]: ACTING_FOR_PARAMETER,
        [PROXY_FOR_NAME]: PROXY_FOR_PARAMETER,
        [IDEMPOTENCY_NAME]: IDEMPOTENCY_PARAMETER,
      },
    };
    return known;
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

async function describe(app: HttpApp, sources: Sources): Promise<readonly DocumentedOperation[]> {
  // The plugin meets the routes when it makes its document.
  const bySchemas = describedBySchemas(app, sources);
  const byNames = [...sources.routes.values()].filter(({ isDescribedByNames }) => isDescribedByNames);
  return [...bySchemas, ...(await mapInSlices(byNames, (each) => describedByNames(each, sources)))];
}

function describedBySchemas(app: HttpApp, sources: Sources): DocumentedOperation[] {
  const { paths = {} } = app.swagger() as { paths?: Readonly<Record<string, object>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries<Operation>({ ...methods }).map(([method, operation]) => ({
      id: operation.operationId ?? operationId(method, path),
      method,
      path,
      tag: operation.tags?.[0] ?? '',
      summary: operation.summary ?? '',
      build: () =>
        complete(
          sources.shapes.refer({ operationId: operationId(method, path), ...operation }),
          operationKey(method, path),
          sources,
        ),
    })),
  );
}

function describedByNames({ method, url, route, security }: DescribedRoute, sources: Sources): DocumentedOperation {
  const { tags = [], summary = '' }: Operation = route.schema ?? {};
  const path = documentedPath(url);
  const named = route.config?.openApi?.(method) ?? {};
  const id = named.operationId ?? operationId(method, path);
  const build = () => {
    const parameters = [
      ...[...url.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
      ...(named.parameters?.() ?? []).map((name) => componentRef('parameters', name)),
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

/** The operation with its responses, its examples and the headers that say for whom a request is made. */
function complete(operation: Operation, key: string, { routes, examples, shared, headersOf }: Sources): Operation {
  const described = routes.get(key);
  const answered = described === undefined ? operation : { ...operation, responses: responsesOf(operation, described) };
  const shown = withHeaders(
    withExamples(answered, examples()[key] ?? [], shared.find),
    described === undefined ? [] : headersOf({ ...described, config: described.route.config }),
    shared.find,
  );
  const permission = described?.route.config?.permission;
  const headers = [
    ...(takesActingFor(permission) ? [ACTING_FOR] : []),
    ...(takesProxyFor(permission) ? [PROXY_FOR] : []),
  ];
  return headers.length === 0 ? shown : { ...shown, parameters: [...(shown.parameters ?? []), ...headers] };
}

/** Adds headers to the successful responses. A reference has none of its own: the response itself takes its place. */
function withHeaders(operation: Operation, names: readonly string[], find: OpenApiComponents['find']): Operation {
  if (names.length === 0) return operation;
  const headers = Object.fromEntries(names.map((name) => [name, componentRef('headers', name)]));
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    if (!status.startsWith('2')) return [status, response];
    const own = resolved(response, find);
    return [status, { ...own, headers: { ...own.headers, ...headers } }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** Those of the route's schema, else those that follow from its declaration, and its errors. */
function responsesOf(
  operation: Operation,
  { route, method, form }: DescribedRoute,
): NonNullable<Operation['responses']> {
  const implied = route.schema?.response === undefined ? openResponses(route, method, form) : {};
  const isImplied = Object.keys(implied).some((status) => status.startsWith('2'));
  const own = isImplied ? {} : operation.responses;
  return {
    ...(route.config?.hasPages === true ? pagesIn(own) : own),
    ...implied,
    ...errorResponses(route, method, form),
  };
}

/** Adds an HTML page to successful responses; a redirect has no content. */
function pagesIn(responses: Operation['responses']): NonNullable<Operation['responses']> {
  const answers = Object.entries(responses ?? {});
  return Object.fromEntries(
    answers.map(([status, response]) => [status, status.startsWith('2') ? withPage(response) : response]),
  );
}

async function writeDocument(
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
