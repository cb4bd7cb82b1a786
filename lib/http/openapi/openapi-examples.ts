// Examples in /openapi.json: calls with responses that a test has recorded (docs/reference of each service says which).
// They are read when the document is requested.
import { readFileSync } from 'node:fs';

/** One call of an operation with its response. */
export interface OperationExample {
  readonly summary: string;
  /** Path and query parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The body as JSON, and its media type where it is not `application/json`. */
  readonly body?: unknown;
  readonly bodyType?: string;
  readonly status: number;
  /** The response body as JSON, or as text where it is no JSON; left out when there is none. */
  readonly answer?: unknown;
  readonly answerType?: string;
}

/** By method and path as in the document: `PUT /api/v1/concepts/{id}`. */
export type OperationExamples = Readonly<Record<string, readonly OperationExample[]>>;

/** Reads examples from a JSON file, which a test compares with the running service. */
export function readExamples(file: string): OperationExamples {
  const examples: OperationExamples = JSON.parse(readFileSync(file, 'utf8'));
  return examples;
}

interface Content {
  readonly [type: string]: { readonly schema?: unknown; readonly examples?: object };
}
interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}
export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, OpenApiResponse>>;
}

/** The operation with its examples; `responses` are the shared responses that it may refer to. */
export function withExamples(
  operation: Operation,
  examples: readonly OperationExample[],
  responses: Readonly<Record<string, OpenApiResponse>>,
): Operation {
  if (examples.length === 0) return operation;
  return {
    ...operation,
    ...(operation.parameters === undefined ? {} : { parameters: operation.parameters.map(withValue(examples)) }),
    ...withBodies(operation, examples),
    responses: withResponseExamples(operation.responses ?? {}, examples, responses),
  };
}

function withValue(examples: readonly OperationExample[]) {
  return <P extends { readonly name: string }>(parameter: P): P => {
    const example = examples.map(({ parameters }) => parameters?.[parameter.name]).find((value) => value !== undefined);
    return example === undefined ? parameter : { ...parameter, example };
  };
}

/** Where the route reads its body itself, the document has no request body yet. */
function withBodies({ requestBody }: Operation, examples: readonly OperationExample[]) {
  const given = examples.filter(({ body }) => body !== undefined);
  if (given.length === 0) return {};
  const byType = Map.groupBy(given, ({ bodyType = 'application/json' }) => bodyType);
  const content: Record<string, Content[string]> = { ...requestBody?.content };
  for (const [type, of] of byType) {
    const named = of.map(({ summary, body }) => [summary, { value: body }]);
    content[type] = { ...content[type], examples: Object.fromEntries(named) };
  }
  return { requestBody: { ...requestBody, content } };
}

function withResponseExamples(
  own: Readonly<Record<string, OpenApiResponse>>,
  examples: readonly OperationExample[],
  shared: Readonly<Record<string, OpenApiResponse>>,
): Readonly<Record<string, OpenApiResponse>> {
  const answers: Record<string, OpenApiResponse> = { ...own };
  for (const [status, of] of Map.groupBy(examples, (example) => String(example.status))) {
    const found = own[status] ?? own['default'] ?? {};
    const { content, ...rest } =
      found.$ref === undefined ? found : { ...shared[nameOf(found.$ref)], ...described(found) };
    const shown: Record<string, Content[string]> = { ...content };
    for (const { summary, answer, answerType = 'application/json' } of of) {
      if (answer === undefined) continue;
      const examplesBefore = shown[answerType]?.examples;
      shown[answerType] = { ...shown[answerType], examples: { ...examplesBefore, [summary]: { value: answer } } };
    }
    answers[status] = { description: '', ...rest, ...(Object.keys(shown).length === 0 ? {} : { content: shown }) };
  }
  return answers;
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function described({ description }: OpenApiResponse): OpenApiResponse {
  return description === undefined ? {} : { description };
}
