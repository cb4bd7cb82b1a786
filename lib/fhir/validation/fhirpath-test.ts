// The border to the fhirpath package: an expression over a part of a resource, compiled to a yes-or-no function. The package is
// loaded when first needed: it takes 0.1 s and 30 MB, and most resources have no rule that needs it.
import { createRequire } from 'node:module';

type FhirPath = Pick<typeof import('fhirpath'), 'compile'>;
type Model = Parameters<FhirPath['compile']>[1];

const require = createRequire(import.meta.url);
let engine: { readonly fhirpath: FhirPath; readonly model: Model } | undefined;

/** Whether the expression holds for the value, `resource` being %resource and %rootResource. */
export type FhirPathTest = (value: unknown, resource: unknown) => boolean;

/**
 * Compiles an invariant. An empty result counts as holding (hl7.org/fhir/R5/fhirpath.html#invariants); an expression that cannot be
 * evaluated does too: values of the wrong type are reported as such by the walk.
 */
export function compileFhirPath(expression: string, basePath: string): FhirPathTest {
  engine ??= { fhirpath: require('fhirpath'), model: require('fhirpath/fhir-context/r5/index.js') };
  const { fhirpath, model } = engine;
  const compiled = fhirpath.compile({ base: basePath, expression }, model, { async: false, traceFn: ignore });
  return (value, resource) => {
    try {
      const result: unknown = compiled(value, { resource, rootResource: resource });
      return !Array.isArray(result) || result[0] !== false;
    } catch {
      return true;
    }
  };
}

/** Some published invariants call trace(), which prints by default. */
function ignore(): void {}
