// Evaluates a FHIRPath constraint on a QuestionnaireResponse or one of its items, for tests that fill in forms.
import { compileFhirPath, type FhirPathTest } from '#fhir/validation/rules/fhirpath-test.ts';

const compiled = new Map<string, FhirPathTest>();

/** Nothing outside of the response is resolved. */
const lookups = {
  resolve: () => undefined,
  isMember: () => {
    throw new Error('The constraints of these tests ask for no value set');
  },
  isInSlice: () => {
    throw new Error('The constraints of these tests ask for no slice');
  },
};

/** `base` is the path of the value: the resource or one of its items. */
export function holds(
  expression: string,
  value: unknown,
  { base, response }: { base: 'QuestionnaireResponse' | 'QuestionnaireResponse.item'; response: unknown },
): boolean {
  const key = `${base}: ${expression}`;
  const test = compiled.get(key) ?? compileFhirPath(expression, base);
  compiled.set(key, test);
  return test(value, { resource: response, root: response, lookups });
}
