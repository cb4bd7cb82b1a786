// Conditions on answers that a Questionnaire or an item of it states in FHIRPath (hl7.org/fhir/extensions:
// targetConstraint, and the older questionnaire-constraint), as members of the render-ready form (decision D12).
import { compact, type FhirObject, objectOf, objectsOf, textOf } from '../shared/json.ts';
import { nestedExtensions, nestedValue } from './extensions.ts';
import type { RenderReadyConstraint } from './render-ready-schema.ts';

const FHIRPATH = 'text/fhirpath';

/**
 * Undefined where there are none. One without an expression in FHIRPath is left out: there is nothing a renderer could
 * do by it.
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

/** An Expression in FHIRPath; the older extension has the text alone. */
function expressionIn(value: unknown): string | undefined {
  const { language, expression } = objectOf(value) ?? { language: FHIRPATH, expression: value };
  return language === FHIRPATH ? textOf(expression) : undefined;
}
