// What the expressions of a Questionnaire use besides the answers: the launch context that the form declares
// (hl7.org/fhir/uv/sdc: sdc-questionnaire-launchContext), and the Questionnaire itself.
import { objectIn, objectsIn, textIn } from '#fhir/json/members.ts';
import type { JsonObject } from '#fhir/patch/json-tree.ts';

export interface LaunchContext {
  /** Of an expression, with % before it. */
  readonly name: string;
  /** The types of resource that it may be. */
  readonly types: readonly string[];
}

const LAUNCH = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-launchContext';
/** hl7.org/fhir/uv/sdc: CodeSystem launchContext. */
const STANDARD = ['patient', 'encounter', 'location', 'user', 'study', 'clinical', 'sourceQueries'];
/** What the person who fills in the form is, or the form is about. */
const GIVEN: Readonly<Record<string, ReadonlySet<string>>> = {
  patient: new Set(['Patient']),
  user: new Set(['Patient', 'Practitioner']),
};
const NAME = /^[A-Za-z_]\w*$/;
const USED = /%[`']?([A-Za-z_]\w*)/g;
const FHIRPATH = 'text/fhirpath';

/** What the form declares, in its order; undefined where it declares nothing. */
export function launchContextOf(questionnaire: JsonObject): LaunchContext[] | undefined {
  const declared = new Map<string, string[]>();
  for (const extension of objectsIn(questionnaire['extension'])) {
    if (extension['url'] !== LAUNCH) continue;
    const parts = objectsIn(extension['extension']);
    const [named] = parts.filter(({ url }) => url === 'name');
    const name = textIn(objectIn(named?.['valueCoding'])?.['code']) ?? textIn(named?.['valueId']) ?? '';
    if (!NAME.test(name)) continue;
    const types = parts.flatMap(({ url, valueCode }) => (url === 'type' ? (textIn(valueCode) ?? []) : []));
    declared.set(name, [...(declared.get(name) ?? []), ...types]);
  }
  return declared.size === 0 ? undefined : [...declared].map(([name, types]) => ({ name, types }));
}

/** The names of launch context that expressions of the form may use and nobody gives them. */
export function notGivenOf(questionnaire: JsonObject): ReadonlySet<string> {
  const declared = launchContextOf(questionnaire) ?? [];
  const isGiven = ({ name, types }: LaunchContext) => types.some((type) => GIVEN[name]?.has(type));
  const own = new Set([...declared.filter(isGiven).map(({ name }) => name), ...variableNames(questionnaire)]);
  return new Set([...STANDARD, ...declared.map(({ name }) => name)].filter((name) => !own.has(name)));
}

/** The names after % in the expression, each once. */
export function namesIn(expression: string): string[] {
  return [...new Set([...expression.matchAll(USED)].flatMap(([, name]) => name ?? []))];
}

/** Whether an expression of the form looks at the form: at weights of its options, or by name. */
export function usesQuestionnaire(questionnaire: JsonObject): boolean {
  return fhirPathIn(questionnaire).some(
    ({ expression }) =>
      namesIn(expression).some((name) => name === 'questionnaire' || name === 'qitem') ||
      /\b(?:weight|ordinal)\s*\(/.test(expression),
  );
}

function variableNames(questionnaire: JsonObject): string[] {
  return fhirPathIn(questionnaire).flatMap(({ name }) => name ?? []);
}

/** The FHIRPath of the form and all its items, with the names of those that have one. */
function fhirPathIn(element: JsonObject): { readonly name: string | undefined; readonly expression: string }[] {
  const own = objectsIn(element['extension']).flatMap((extension) => {
    const { name, language, expression } = objectIn(extension['valueExpression']) ?? {};
    const text = textIn(expression);
    return language === FHIRPATH && text !== undefined ? [{ name: textIn(name), expression: text }] : [];
  });
  return [...own, ...objectsIn(element['item']).flatMap(fhirPathIn)];
}
