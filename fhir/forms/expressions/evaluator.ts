// Evaluates FHIRPath of a form over the response in the making (hl7.org/fhir/uv/sdc/expressions.html). The package is
// handed in, so that services and browsers load it in their own way.
import { quoteKeywords } from '../../fhirpath/keywords.ts';

/** Where an expression is evaluated. */
export interface Place {
  readonly base: 'QuestionnaireResponse' | 'QuestionnaireResponse.item';
  /** The response, or one of its items; `%context`. */
  readonly value: object;
  /** The response; `%resource`. */
  readonly resource: object;
  readonly variables: Variables;
}

/** By name: results of the evaluator, or a resource as plain JSON. */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * The results are the package's own, so that a variable keeps its type; `plain` makes JSON of them.
 * @throws Error for an expression that cannot be read or evaluated
 */
export type Evaluate = (expression: string, place: Place) => readonly unknown[];

/** As much of the fhirpath package as is used. */
export interface FhirPathPackage<Model> {
  compile(
    path: { readonly base: string; readonly expression: string },
    model: Model,
    options: object,
  ): (value: unknown, variables: Record<string, unknown>) => unknown;
}

const MOST_COMPILED = 500;

/** @param functions replace the package's own, where an expression must be bounded in time and memory */
export function evaluatorOf<Model>(
  fhirpath: FhirPathPackage<Model>,
  model: Model,
  functions: Readonly<Record<string, unknown>> = {},
): Evaluate {
  const compiled = new Map<string, ReturnType<typeof fhirpath.compile>>();
  const options = { async: false, resolveInternalTypes: false, traceFn: ignore, userInvocationTable: functions };
  return (expression, { base, value, resource, variables }) => {
    const key = `${base}:${expression}`;
    let run = compiled.get(key);
    if (run === undefined) {
      run = fhirpath.compile({ base, expression: quoteKeywords(expression) }, model, options);
      if (compiled.size >= MOST_COMPILED) compiled.clear();
      compiled.set(key, run);
    }
    const result: unknown = run(value, { ...variables, resource, rootResource: resource });
    return Array.isArray(result) ? result : [];
  };
}

/** Results as JSON: a day as text, a quantity of FHIRPath as `5 'kg'`. */
export function plain(results: readonly unknown[]): readonly unknown[] {
  const values: unknown = JSON.parse(JSON.stringify(results));
  return Array.isArray(values) ? values : [];
}

/** Whether the expression has another result at another time. */
export function dependsOnTime(expression: string): boolean {
  return /\b(?:now|today|timeOfDay)\s*\(/.test(expression);
}

/** `trace()` prints by default. */
function ignore(): void {}
