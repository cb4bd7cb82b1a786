// Examples in /openapi.json: calls with responses that a test has recorded (docs/reference of each service says which).
// They are read when the document is requested.
import { readFileSync } from 'node:fs';
import { type OpenApiComponents, parseRef } from './components.ts';

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
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Content;
}
/** A parameter, a body or a response may be a reference to a component. */
export interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: unknown;
  readonly parameters?: readonly ParameterOrReference[];
  readonly requestBody?: OpenApiBody;
  readonly responses?: Readonly<Record<string, OpenApiResponse>>;
}

interface ParameterOrReference {
  readonly $ref?: string;
  readonly name?: string;
  readonly schema?: unknown;
  readonly example?: unknown;
}

interface OpenApiBody {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly content?: Content;
}

type FindComponent = OpenApiComponents['find'];

/** The operation with its examples; a reference to a component that gets one is replaced by the component. */
export function withExamples(
  operation: Operation,
  examples: readonly OperationExample[],
  find: FindComponent,
): Operation {
  if (examples.length === 0) return operation;
  return {
    ...operation,
    ...(operation.parameters === undefined ? {} : { parameters: operation.parameters.map(withValue(examples, find)) }),
    ...withBodies(operation, examples, find),
    responses: withResponseExamples(operation.responses ?? {}, examples, find),
  };
}

/** The object itself, or the component that it refers to with what is beside the reference. */
export function resolved<T extends { readonly $ref?: string }>(value: T, find: FindComponent): T {
  const [kind, name] = parseRef(value) ?? [];
  if (kind === undefined || name === undefined) return value;
  const { $ref: _, ...beside } = value;
  return { ...(find(kind, name) as T), ...beside };
}

function withValue(examples: readonly OperationExample[], find: FindComponent) {
  return (parameter: ParameterOrReference): ParameterOrReference => {
    const { name } = resolved(parameter, find);
    if (name === undefined) return parameter;
    const example = examples.map(({ parameters }) => parameters?.[name]).find((value) => value !== undefined);
    return example === undefined ? parameter : { ...resolved(parameter, find), example };
  };
}

/** Where the route reads its body itself, the document has no request body yet. */
function withBodies({ requestBody }: Operation, examples: readonly OperationExample[], find: FindComponent) {
  const given = examples.filter(({ body }) => body !== undefined);
  if (given.length === 0) return {};
  const byType = Map.groupBy(given, ({ bodyType = 'application/json' }) => bodyType);
  const described = requestBody === undefined ? {} : resolved(requestBody, find);
  const content: Record<string, Content[string]> = { ...described.content };
  for (const [type, of] of byType) {
    const named = of.map(({ summary, body }) => [summary, { value: body }]);
    content[type] = { ...content[type], examples: Object.fromEntries(named) };
  }
  return { requestBody: { ...described, content } };
}

function withResponseExamples(
  own: Readonly<Record<string, OpenApiResponse>>,
  examples: readonly OperationExample[],
  find: FindComponent,
): Readonly<Record<string, OpenApiResponse>> {
  const answers: Record<string, OpenApiResponse> = { ...own };
  for (const [status, of] of Map.groupBy(examples, (example) => String(example.status))) {
    const { content, ...rest } = resolved<OpenApiResponse>(own[status] ?? own['default'] ?? {}, find);
    const shown: Record<string, Content[string]> = { ...content };
    for (const { summary, answer, answerType = 'application/json' } of of) {
      if (answer === undefined || hasReferences(answer)) continue;
      const examplesBefore = shown[answerType]?.examples;
      shown[answerType] = { ...shown[answerType], examples: { ...examplesBefore, [summary]: { value: answer } } };
    }
    answers[status] = { description: '', ...rest, ...(Object.keys(shown).length === 0 ? {} : { content: shown }) };
  }
  return answers;
}

/**
 * Whether an answer is a JSON Schema with references. Generators of clients follow a reference wherever they find one,
 * in an example too, and fail where it leads nowhere. They also read an example that stands elsewhere, for which they
 * would need a token. So the document shows none.
 */
function hasReferences(answer: unknown): boolean {
  return JSON.stringify(answer).includes('"$ref"');
}
