// What has been filled in, as a tree beside the form's, and its way to and from a QuestionnaireResponse.
import type { QuestionnaireResponse, QuestionnaireResponseItem } from 'fhir/r5';
import type { Answer, FormItem, Rule } from './form.ts';

/** A group, a question with its answers, or the form itself. */
export interface Filled {
  readonly answers: readonly Answer[];
  /** By `link_id`: the occurrences of a group, or the only one of a question. */
  readonly items: Readonly<Record<string, readonly Filled[]>>;
}

const NOTHING: Filled = { answers: [], items: {} };

/** The form before anything is answered, or with what a response has. */
export function startOf(items: readonly FormItem[], response?: Pick<QuestionnaireResponse, 'item'>): Filled {
  return { answers: [], items: childrenOf(items, response?.item) };
}

/** One more occurrence of a group. */
export function emptyOccurrence(item: FormItem): Filled {
  return { answers: firstAnswers(item), items: childrenOf(item.items ?? [], undefined) };
}

function childrenOf(
  items: readonly FormItem[],
  given: readonly QuestionnaireResponseItem[] | undefined,
): Filled['items'] {
  const entries = items.map((item): [string, Filled[]] => {
    const found = (given ?? []).filter(({ linkId }) => linkId === item.link_id);
    if (found.length === 0) return [item.link_id, [given === undefined ? emptyOccurrence(item) : bareOccurrence(item)]];
    if (item.type === 'group') {
      return [
        item.link_id,
        found.map((each) => ({ answers: [], items: childrenOf(item.items ?? [], each.item ?? []) })),
      ];
    }
    const answers = found.flatMap(({ answer = [] }) => answer);
    const nested = answers.flatMap(({ item: inner = [] }) => inner);
    const plain = answers.map(({ item: _, ...answer }) => answer as Answer);
    return [item.link_id, [{ answers: plain, items: childrenOf(item.items ?? [], nested) }]];
  });
  return Object.fromEntries(entries);
}

/** Of a response that leaves it out: without the first values, except where only they can be its answer. */
function bareOccurrence(item: FormItem): Filled {
  const isFixed = item.read_only || item.hidden === true;
  return { answers: isFixed ? firstAnswers(item) : [], items: childrenOf(item.items ?? [], []) };
}

function firstAnswers({ initial, options = [] }: FormItem): readonly Answer[] {
  return initial ?? options.filter(({ selected }) => selected === true).map(({ answer }) => answer);
}

/** The occurrences of an item within its parent. */
export function occurrencesOf(parent: Filled, item: Pick<FormItem, 'link_id'>): readonly Filled[] {
  return parent.items[item.link_id] ?? [NOTHING];
}

/** The parent with another list of occurrences. */
export function withOccurrences(parent: Filled, linkId: string, occurrences: readonly Filled[]): Filled {
  return { ...parent, items: { ...parent.items, [linkId]: occurrences } };
}

/** Whether its conditions hold. `scopes` are what it is in, the form first. */
export function isEnabled({ conditions }: FormItem, scopes: readonly Filled[]): boolean {
  if (conditions === undefined) return true;
  const holds = (rule: Rule) => ruleHolds(rule, answersOf(rule.link_id, scopes));
  return conditions.behavior === 'any' ? conditions.rules.some(holds) : conditions.rules.every(holds);
}

/** The answers of a question that is nearest: beside the item, then further out. */
function answersOf(linkId: string, scopes: readonly Filled[]): readonly Answer[] {
  for (const scope of scopes.toReversed()) {
    const found = search(linkId, scope);
    if (found !== undefined) return found;
  }
  return [];
}

function search(linkId: string, { items }: Filled): readonly Answer[] | undefined {
  const own = items[linkId];
  if (own !== undefined) return own.flatMap(({ answers }) => answers);
  for (const occurrence of Object.values(items).flat()) {
    const found = search(linkId, occurrence);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** FHIR's `enableWhen` (hl7.org/fhir/R5/questionnaire-definitions.html#Questionnaire.item.enableWhen.operator). */
function ruleHolds({ operator, answer }: Rule, answers: readonly Answer[]): boolean {
  const [expected] = Object.values(answer);
  if (operator === 'exists') return answers.length > 0 === expected;
  const matches = (each: Answer) => compares(operator, Object.values(each)[0], expected);
  // It differs when no answer is the same.
  return operator === '!=' ? answers.length > 0 && answers.every(matches) : answers.some(matches);
}

function compares(operator: Exclude<Rule['operator'], 'exists'>, given: unknown, expected: unknown): boolean {
  if (operator === '=') return isSame(given, expected);
  if (operator === '!=') return !isSame(given, expected);
  const [left, right] = [comparable(given), comparable(expected)];
  if (typeof left !== typeof right) return false;
  if (operator === '>') return left > right;
  if (operator === '<') return left < right;
  return operator === '>=' ? left >= right : left <= right;
}

function isSame(given: unknown, expected: unknown): boolean {
  const [left, right] = [codeOf(given), codeOf(expected)];
  return left === undefined || right === undefined ? comparable(given) === comparable(expected) : left === right;
}

/** Codes are the same whatever their display. */
function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  return 'value' in value ? undefined : `${'system' in value ? String(value.system) : ''}|${String(value.code)}`;
}

function comparable(value: unknown): number | string {
  if (typeof value === 'number') return value;
  if (typeof value === 'object' && value !== null && 'value' in value) return Number(value.value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether two answers are the same. */
export function isSameAnswer(left: Answer, right: Answer): boolean {
  const [[leftName, leftValue] = [], [rightName, rightValue] = []] = [
    Object.entries(left)[0],
    Object.entries(right)[0],
  ];
  return leftName === rightName && isSame(leftValue, rightValue);
}

/** The items of the response: what is enabled and answered. */
export function toResponseItems(
  items: readonly FormItem[],
  parent: Filled,
  scopes: readonly Filled[] = [parent],
): QuestionnaireResponseItem[] {
  return items.flatMap((item) => {
    if (item.type === 'display' || !isEnabled(item, scopes)) return [];
    return occurrencesOf(parent, item).flatMap((occurrence): QuestionnaireResponseItem[] => {
      const inner = toResponseItems(item.items ?? [], occurrence, [...scopes, occurrence]);
      if (item.type === 'group') return inner.length === 0 ? [] : [{ linkId: item.link_id, item: inner }];
      const [first, ...more] = occurrence.answers;
      if (first === undefined) return [];
      const withInner = inner.length === 0 ? first : { ...first, item: inner };
      return [{ linkId: item.link_id, answer: [withInner, ...more] }] as QuestionnaireResponseItem[];
    });
  });
}
