// The calls that the form of an operation can be filled with, from the recorded examples in the document.
import type { Operation } from '../openapi-examples.ts';
import type { Resolve } from './resolve.ts';

export interface ExampleCall {
  readonly summary: string;
  /** Path and query parameters by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The text of the body. */
  readonly body?: string;
  readonly bodyType?: string;
}

interface Body {
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value?: unknown }>> }>
  >;
}

/** One for each example of the body, or one with the parameters alone; empty where nothing was recorded. */
export function exampleCalls(operation: Operation, resolve: Resolve): readonly ExampleCall[] {
  const parameters = Object.fromEntries(
    (operation.parameters ?? []).flatMap((each) => {
      const { name, example } = resolve<{ name?: string; example?: unknown }>(each);
      return name === undefined || example === undefined ? [] : [[name, String(example)]];
    }),
  );
  const { content = {} } = operation.requestBody === undefined ? {} : resolve<Body>(operation.requestBody);
  const bodies = Object.entries(content).flatMap(([bodyType, { examples = {} }]) =>
    Object.entries(examples).map(([summary, { value }]) => ({ summary, bodyType, body: textOf(value, bodyType) })),
  );
  if (bodies.length > 0) return bodies.map((each) => ({ ...each, parameters }));
  return Object.keys(parameters).length === 0 ? [] : [{ summary: 'example', parameters }];
}

function textOf(value: unknown, type: string): string {
  if (typeof value === 'string') return value;
  return type === FORM
    ? String(new URLSearchParams(value as Record<string, string>))
    : JSON.stringify(value, undefined, 2);
}

const FORM = 'application/x-www-form-urlencoded';
