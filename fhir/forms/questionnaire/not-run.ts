// Expressions of a Questionnaire that nothing here evaluates. They are in another language than FHIRPath, such as CQL,
// for a use that is not known, or with launch context that is not given (hl7.org/fhir/uv/sdc/expressions.html). They
// are named, so that no author takes them for read.
import { objectIn, objectsIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { namesIn } from './launch-context.ts';

export interface NotRunExpression {
  /** The last part of the extension's address, such as `calculatedExpression`. */
  readonly use: string;
  readonly language?: string;
  /** The launch context that the expression uses and nobody gives, such as `%encounter`. */
  readonly missing?: string;
}

const FHIRPATH = 'text/fhirpath';
const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
/** Those that are evaluated, by the last part of their addresses. */
const RUN: ReadonlySet<string> = new Set([
  ...['initialExpression', 'enableWhenExpression', 'calculatedExpression', 'variable', 'targetConstraint'],
  'questionnaire-constraint',
]);

/**
 * Of the Questionnaire itself, or of one item without those within it; undefined where there are none.
 * @param notGiven of the Questionnaire, by `notGivenOf`
 */
export function notRunOf(element: JsonObject, notGiven: ReadonlySet<string>): NotRunExpression[] | undefined {
  const found = objectsIn(element['extension']).flatMap((extension) => {
    const use = useOf(textIn(extension['url']) ?? '');
    return expressionsIn(extension).flatMap((expression): NotRunExpression[] => {
      const language = textIn(expression['language']);
      const missing = namesIn(textIn(expression['expression']) ?? '').find((name) => notGiven.has(name));
      if (language === FHIRPATH && RUN.has(use) && missing === undefined) return [];
      return [
        {
          use,
          ...(language === undefined ? {} : { language }),
          ...(missing === undefined ? {} : { missing: `%${missing}` }),
        },
      ];
    });
  });
  return found.length === 0 ? undefined : found;
}

function useOf(address: string): string {
  return address.startsWith(SDC) ? address.slice(SDC.length) : (address.split('/').at(-1) ?? address);
}

/** The Expression that an extension is, and those of its parts. */
function expressionsIn(extension: JsonObject): JsonObject[] {
  const own = objectIn(extension['valueExpression']);
  return [...(own === undefined ? [] : [own]), ...objectsIn(extension['extension']).flatMap(expressionsIn)];
}
