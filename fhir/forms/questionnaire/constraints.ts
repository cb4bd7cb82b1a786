// FHIRPath constraints of a Questionnaire or an item (hl7.org/fhir/extensions: targetConstraint, and the older
// questionnaire-constraint), as members of the render-ready form (decision D12).

import { compact, objectIn, objectsIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import type { RenderReadyConstraint } from '../render-ready-form.ts';
import { nestedExtensions, nestedValue } from './extensions.ts';

const FHIRPATH = 'text/fhirpath';

/**
 * Undefined where there are none. A constraint without a FHIRPath expression is left out, as a renderer cannot use it.
 */
export function constraintsOf(element: JsonObject): RenderReadyConstraint[] | undefined {
  const found = ['targetConstraint', 'questionnaire-constraint']
    .flatMap((name) => nestedExtensions(element, name))
    .flatMap(readConstraint);
  return found.length === 0 ? undefined : found;
}

function readConstraint(extension: JsonObject): RenderReadyConstraint[] {
  const text = (name: string) => textIn(nestedValue(extension, name));
  const expression = expressionIn(nestedValue(extension, 'expression'));
  const message = text('human');
  if (expression === undefined || message === undefined) return [];
  const locations = objectsIn(extension['extension']).flatMap((part) =>
    part['url'] === 'location' ? (textIn(part['valueString']) ?? []) : [],
  );
  return [
    {
      key: text('key') ?? '',
      severity: text('severity') === 'warning' ? 'warning' : 'error',
      message,
      expression,
      ...compact({ reason: text('requirements'), locations: locations.length === 0 ? undefined : locations }),
    },
  ];
}

/** The text of an Expression in FHIRPath, or of the older extension, which has only a text. */
function expressionIn(value: unknown): string | undefined {
  const { language, expression } = objectIn(value) ?? { language: FHIRPATH, expression: value };
  return language === FHIRPATH ? textIn(expression) : undefined;
}
