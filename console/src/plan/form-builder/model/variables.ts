// Values with a name that the expressions of an element, and of all within it, may use
// (hl7.org/fhir/extensions: variable). Those in another language than FHIRPath stay as they are.
import type { Extension } from 'fhir/r5';
import { extensionsOf, withExtension } from './extensions.ts';

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

const VARIABLE = 'variable';
const FHIRPATH = 'text/fhirpath';
/** As FHIRPath writes names without quotes (hl7.org/fhirpath, Identifiers). */
const NAME = /^[A-Za-z_]\w*$/;
/** That expressions have without anybody's doing. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['resource', 'context', 'ucum', 'rootResource', 'sct', 'loinc', 'questionnaire', 'qitem'],
]);

interface Holder {
  readonly extension?: Extension[] | undefined;
}

export function variablesOf(element: Holder): Variable[] {
  return extensionsOf(element, VARIABLE)
    .filter(isFhirPath)
    .map(({ valueExpression: { name = '', expression = '' } = {} }) => ({ name, expression }));
}

function isFhirPath({ valueExpression }: Extension): boolean {
  return valueExpression?.language === FHIRPATH;
}

export function withVariables<Of extends Holder>(element: Of, variables: readonly Variable[]): Of {
  const others = extensionsOf(element, VARIABLE).filter((each) => !isFhirPath(each));
  const own = variables.map((variable) => ({ valueExpression: { ...variable, language: FHIRPATH } }));
  return withExtension(element, VARIABLE, [...others.map(({ url: _, ...value }) => value), ...own]);
}

/** What is wrong with the name of one of them; undefined where it is right. */
export function nameIssue(variables: readonly Variable[], index: number): 'variableName' | 'sameVariable' | undefined {
  const name = variables[index]?.name ?? '';
  if (!NAME.test(name) || RESERVED.has(name)) return 'variableName';
  return variables.findIndex((each) => each.name === name) < index ? 'sameVariable' : undefined;
}
