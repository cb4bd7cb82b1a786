// What is calculated in a form (hl7.org/fhir/uv/sdc/expressions.html): an answer, a first value, or when a question is
// shown. Most of it is chosen in words; the rest is written in FHIRPath. Expressions in another language stay as they
// are.
import type { Expression } from 'fhir/r5';
import { demandsOf, withDemands } from './constraints.ts';
import { extensionsOf, withExtension } from './extensions.ts';
import { everyItem, type Item } from './tree.ts';
import { variablesOf, withVariables } from './variables.ts';

export type ExpressionKind = 'calculated' | 'initial' | 'shown';

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-';
const ADDRESSES: Readonly<Record<ExpressionKind, string>> = {
  calculated: `${SDC}calculatedExpression`,
  initial: `${SDC}initialExpression`,
  shown: `${SDC}enableWhenExpression`,
};
const FHIRPATH = 'text/fhirpath';

/** Undefined for an item without one, or with one in another language. */
export function expressionOf(item: Item, kind: ExpressionKind): string | undefined {
  const found = extensionsOf(item, ADDRESSES[kind])[0]?.valueExpression;
  return found?.language === FHIRPATH ? (found.expression ?? '') : undefined;
}

/** Whether the item has one that the builder cannot read. */
export function isForeign(item: Item, kind: ExpressionKind): boolean {
  return extensionsOf(item, ADDRESSES[kind]).length > 0 && expressionOf(item, kind) === undefined;
}

export function withExpression(item: Item, kind: ExpressionKind, expression: string | undefined): Item {
  const before: Partial<Expression> = extensionsOf(item, ADDRESSES[kind])[0]?.valueExpression ?? {};
  const valueExpression = { ...before, language: FHIRPATH, expression: expression ?? '' };
  return withExtension(item, ADDRESSES[kind], expression === undefined ? [] : [{ valueExpression }]);
}

export interface Formula {
  readonly kind: 'sum' | 'mean' | 'highest' | 'lowest';
  /** The names of the questions. */
  readonly questions: readonly string[];
}

const FUNCTIONS = { sum: 'sum', mean: 'avg', highest: 'max', lowest: 'min' } as const;
const FORMULA =
  /^%resource\.repeat\(item\)\.where\(linkId in \(([^()]*)\)\)\.answer\.value(\.value)?\.(sum|avg|max|min)\(\)$/;

/** As FHIRPath. The values of measured values are taken without their unit. */
export function formulaText({ kind, questions }: Formula, items: readonly Item[]): string {
  const names = questions.map((id) => `'${id.replaceAll(/['\\]/g, '\\$&')}'`).join(' | ');
  const isMeasured = everyItem(items).some(({ linkId, type }) => questions.includes(linkId) && type === 'quantity');
  const value = isMeasured ? 'answer.value.value' : 'answer.value';
  return `%resource.repeat(item).where(linkId in (${names})).${value}.${FUNCTIONS[kind]}()`;
}

/** Undefined for an expression that is not one of the formulas. */
export function formulaIn(expression: string): Formula | undefined {
  const [, names, , name] = FORMULA.exec(expression) ?? [];
  const kind = (['sum', 'mean', 'highest', 'lowest'] as const).find((each) => FUNCTIONS[each] === name);
  if (names === undefined || kind === undefined) return undefined;
  const questions = [...names.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, id = '']) => id.replaceAll(/\\(.)/g, '$1'));
  return { kind, questions };
}

/** The questions of which a formula of the item may take the answers: numbers, but not its own. */
export function numbersFor(items: readonly Item[], id: string): Item[] {
  const types: ReadonlySet<string> = new Set(['integer', 'decimal', 'quantity']);
  return everyItem(items).filter(({ linkId, type }) => linkId !== id && types.has(type));
}

/** The names of questions of which an expression speaks. */
export function questionsIn(expression: string): string[] {
  const formula = formulaIn(expression);
  if (formula !== undefined) return [...formula.questions];
  return [...expression.matchAll(/linkId\s*=\s*'((?:[^'\\]|\\.)*)'/g)].map(([, id = '']) => id);
}

/** The item with other names of questions in what it calculates and demands. */
export function withQuestionsRenamed(item: Item, names: ReadonlyMap<string, string>): Item {
  const renamed = (text: string) =>
    text.replaceAll(/'([^'\\]*)'/g, (all, id: string) => (names.has(id) ? `'${names.get(id)}'` : all));
  const kinds: readonly ExpressionKind[] = ['calculated', 'initial', 'shown'];
  const next = kinds.reduce((each, kind) => {
    const text = expressionOf(each, kind);
    return text === undefined ? each : withExpression(each, kind, renamed(text));
  }, item);
  const renamedIn = <Of extends { readonly expression: string }>(all: readonly Of[]) =>
    all.map((each) => ({ ...each, expression: renamed(each.expression) }));
  const [demands, variables] = [demandsOf(next), variablesOf(next)];
  const withNames = variables.length === 0 ? next : withVariables(next, renamedIn(variables));
  return demands.length === 0 ? withNames : withDemands(withNames, renamedIn(demands));
}

/** Every expression of an item that is written out, each with the name of its field. */
export function expressionsIn(item: Item): { readonly field: string; readonly expression: string }[] {
  const kinds: readonly ExpressionKind[] = ['calculated', 'initial', 'shown'];
  return [
    ...kinds.flatMap((kind) => {
      const expression = expressionOf(item, kind);
      return expression === undefined ? [] : [{ field: kind, expression }];
    }),
    ...sharedExpressionsIn(item),
  ];
}

/** What an item and the form itself may have: demands, and values with a name. */
export function sharedExpressionsIn(element: Pick<Item, 'extension'>) {
  return [
    ...variablesOf(element).map(({ expression }, index) => ({ field: `variable.${index}`, expression })),
    ...demandsOf(element).map(({ expression }, index) => ({ field: `demand.${index}`, expression })),
  ];
}
