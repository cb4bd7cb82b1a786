// The border to the fhirpath package: an expression over a part of a resource, compiled to a yes-or-no function.
import fhirpath from 'fhirpath';
import model from 'fhirpath/fhir-context/r5/index.js';

const { score, ...rest } = model;
const R5 = score === undefined ? rest : { ...rest, score };

/** Whether the expression holds for the value, `resource` being %resource and %rootResource. */
export type FhirPathTest = (value: unknown, resource: unknown) => boolean;

/**
 * Compiles an invariant. An empty result counts as holding (hl7.org/fhir/R5/fhirpath.html#invariants); an expression that cannot be
 * evaluated does too: values of the wrong type are reported as such by the walk.
 */
export function compileFhirPath(expression: string, basePath: string): FhirPathTest {
  const compiled = fhirpath.compile({ base: basePath, expression }, R5, { async: false, traceFn: ignore });
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
