// Whether a call and its answer have the shapes that the OpenAPI document declares for them.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OperationExample } from '#lib/http/openapi/openapi-examples.ts';

interface Content {
  readonly [type: string]: {
    readonly schema?: object;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}
interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

export function createShapeCheck(
  document: OpenApiDocument,
): (operation: string, example: OperationExample) => string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema({ $id: 'document', components: document.components });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const compile = (schema: object) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate;
  };
  const check = (schema: object | undefined, value: unknown, what: string): string[] => {
    if (schema === undefined) return [];
    const validate = compile(schema);
    return validate(value)
      ? []
      : (validate.errors ?? []).map((error) => `${what}${error.instancePath} ${error.message}`);
  };
  return (
    key,
    { summary, body, bodyType = 'application/json', status, answer, answerType = 'application/json', parameters = {} },
  ) => {
    const [method = '', path = ''] = key.split(' ');
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return ['the document has no such operation'];
    const response = operation.responses?.[status];
    if (response === undefined) return [`${summary}: the status ${status} is not declared`];
    const names = new Set(operation.parameters?.map(({ name }) => name));
    const isOpen = /\/[A-Z]|search\/|terminology\//.test(path);
    return [
      ...(isOpen
        ? []
        : Object.keys(parameters)
            .filter((name) => !names.has(name))
            .map((name) => `no parameter ${name}`)),
      // What is refused may be so for its shape.
      ...(status < 300 && body !== undefined
        ? check(operation.requestBody?.content?.[bodyType]?.schema, body, `${summary}: request`)
        : []),
      ...check(response.content?.[answerType]?.schema, answer, `${summary}: answer`),
    ];
  };
}
