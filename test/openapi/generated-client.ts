// A client that a library generates from the service's document alone. It calls each operation as the recorded example
// did. Every operation has a name of its own, and every parameter and body of an example is described.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { OperationExample, OperationExamples } from '#lib/http/openapi/openapi-examples.ts';
import { typesOf } from '../../console/build/api-types.ts';
import type { OpenApiDocument } from './shapes.ts';

const ROOT = 'https://service.test';
/** Names a parameter that a type's search takes with a modifier or a chain: `name:exact`, `subject.name`. */
const SEARCH_NAME = /^_|[:.]/;

export function checkGeneratedClient(document: OpenApiDocument, recorded: OperationExamples): void {
  test('each operation has a name of its own', () => {
    const names = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId ?? ''),
    );
    assert.deepEqual(
      [...Map.groupBy(names, (name) => name)].filter(([name, all]) => name === '' || all.length > 1),
      [],
    );
  });

  test('a generator makes types of the document as it is, with its examples', async () => {
    // Those of FHIR are alike, and thousands.
    const paths = Object.entries(document.paths).filter(([path]) => !/\/[A-Z]/.test(path));
    const types = await typesOf({ ...document, paths: Object.fromEntries(paths) });
    assert.match(types, /\n {8}Problem: \{/);
  });

  test('a generated client makes the requests of the examples', async () => {
    const keys = new Set(Object.keys(recorded).map((key) => key.split(' ')[1]));
    const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => keys.has(path)));
    const client = await clientOf({ ...document, paths });
    const issues = Object.entries(recorded).flatMap(([key, examples]) =>
      examples.filter(({ status }) => status < 300).flatMap((example) => requestIssues(client, key, example)),
    );
    assert.deepEqual(issues, []);
  });
}

async function clientOf(document: OpenApiDocument): Promise<OpenAPIClientAxios> {
  // Quick: the library resolves no references, which it would do for each of thousands of operations.
  const client = new OpenAPIClientAxios({ definition: document as never, quick: true, withServer: { url: ROOT } });
  await client.init();
  return client;
}

function requestIssues(client: OpenAPIClientAxios, key: string, example: OperationExample): string[] {
  const [method = '', path = ''] = key.split(' ');
  const operation = client.getOperations().find((each) => each.method === method.toLowerCase() && each.path === path);
  if (operation?.operationId === undefined) return [`${key}: no function`];
  const { parameters = {}, body } = example;
  const config = client.getRequestConfigForOperation(operation.operationId, [parameters, body]);
  const given = new URLSearchParams(config.query as Record<string, string>);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const expected = Object.entries(parameters).filter(([name]) => !path.includes(`{${name}}`));
  return [
    ...(decodeURIComponent(config.path) === decodeURIComponent(filled) ? [] : [`${key}: ${config.path}`]),
    ...expected
      .filter(([name, value]) => !SEARCH_NAME.test(name) && given.get(name) !== value)
      .map(([name]) => `${key}: the parameter ${name} is not described`),
    ...(body === undefined || operation.requestBody !== undefined ? [] : [`${key}: the body is not described`]),
  ];
}
