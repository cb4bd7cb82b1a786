// Expressions of a Questionnaire and its items (hl7.org/fhir/uv/sdc/expressions.html), as members of the render-ready
// form. Those in another language than FHIRPath are left out, as a renderer cannot use them.
import { compact, objectIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import type { FormVariable } from '../expressions/solve.ts';
import { extensionValue, extensionValues } from './extensions.ts';

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const FHIRPATH = 'text/fhirpath';

export function expressionMembers(item: JsonObject): JsonObject {
  const expression = (name: string) => expressionIn(extensionValue(item, `${SDC}${name}`));
  return compact({
    initial_expression: expression('initialExpression'),
    enable_expression: expression('enableWhenExpression'),
    calculated: expression('calculatedExpression'),
    variables: variablesOf(item),
  });
}

/** Undefined where there are none. */
export function variablesOf(element: JsonObject): FormVariable[] | undefined {
  const found = (extensionValues(element, 'variable') ?? []).flatMap((value): FormVariable[] => {
    const [name, expression] = [textIn(objectIn(value)?.['name']), expressionIn(value)];
    return name === undefined || expression === undefined ? [] : [{ name, expression }];
  });
  return found.length === 0 ? undefined : found;
}

function expressionIn(value: unknown): string | undefined {
  const { language, expression } = objectIn(value) ?? {};
  return language === FHIRPATH ? textIn(expression) : undefined;
}
