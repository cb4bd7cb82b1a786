// FHIRPath constraints of a Questionnaire or an item (hl7.org/fhir/extensions: targetConstraint, and the older
// questionnaire-constraint), as members of the render-ready form (decision D12).

import type { RenderReadyConstraint } from '#fhir/forms/render-ready-form.ts';
import { compact, type FhirObject, objectOf, objectsOf, textOf } from '../shared/json.ts';
import { nestedExtensions, nestedValue } from './extensions.ts';

const FHIRPATH = 'text/fhirpath';

/**
 * Undefined where there are none. A constraint without a FHIRPath expression is left out, as a renderer cannot use it.
 */
export function constraintsOf(element: FhirObject): RenderReadyConstraint[] | undefined {
  const found = ['targetConstraint', 'questionnaire-constraint']
    .flatMap((name) => nestedExtensions(element, name))
    .flatMap(readConstraint);
  return found.length === 0 ? undefined : found;
}

function readConstraint(extension: FhirObject): RenderReadyConstraint[] {
  const text = (name: string) => textOf(nestedValue(extension, name));
  const expression = expressionIn(nestedValue(extension, 'expression'));
  const message = text('human');
  if (expression === undefined || message === undefined) return [];
  const locations = objectsOf(extension['extension']).flatMap((part) =>
    part['url'] === 'location' ? (textOf(part['valueString']) ?? []) : [],
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
  const { language, expression } = objectOf(value) ?? { language: FHIRPATH, expression: value };
  return language === FHIRPATH ? textOf(expression) : undefined;
}
