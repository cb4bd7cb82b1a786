// A form that is being filled in: for each item its occurrences or answers, wherever they come from (a posted page, a
// QuestionnaireResponse). Which items are enabled is computed over the whole (questionnaire.html#enableWhen).
import type { IssueMessage } from './issue-text.ts';
import type { RenderReadyConditions, RenderReadyItem } from './render-ready-form.ts';
import { type AnswerValue, compareValues, isEqualValue, valueIn } from './values.ts';

/** An occurrence of a group, or an answer of a question. */
export interface Occurrence {
  /** Unique in the filling: the name of its field on a page, or its FHIRPath. */
  readonly path: string;
  /** The answer; undefined for groups, and for a question that is not answered or whose text cannot be read. */
  readonly answer: AnswerValue | undefined;
  /** Why the typed text cannot be read. */
  readonly issue?: IssueMessage | undefined;
  readonly items: readonly FilledItem[];
}

export interface FilledItem {
  readonly item: RenderReadyItem;
  readonly path: string;
  readonly occurrences: readonly Occurrence[];
  /** Of a response that is checked: its items, as they were given. What is given counts, however little it says. */
  readonly given?: readonly Readonly<Record<string, unknown>>[];
}

export interface Enabling {
  /** Whether the item and all around it are enabled. */
  isEnabled(item: FilledItem): boolean;
  /** Whether all around the item is enabled. */
  isParentEnabled(item: FilledItem): boolean;
}

/** The lists of items around an item, from the innermost outwards. */
type Scopes = readonly (readonly FilledItem[])[];

interface Place {
  readonly scopes: Scopes;
  readonly parent: FilledItem | undefined;
}

/** An item whose condition leads back to itself is not enabled. */
export function enablingOf(items: readonly FilledItem[]): Enabling {
  const places = new Map<FilledItem, Place>();
  const known = new Map<FilledItem, boolean>();
  const questions = new Map<readonly FilledItem[], ReadonlyMap<string, FilledItem>>();

  function place(list: readonly FilledItem[], outer: Scopes, parent: FilledItem | undefined): void {
    const scopes = [list, ...outer];
    for (const each of list) {
      places.set(each, { scopes, parent });
      for (const { items: inner } of each.occurrences) place(inner, scopes, each);
    }
  }

  function isEnabled(each: FilledItem): boolean {
    const before = known.get(each);
    if (before !== undefined) return before;
    known.set(each, false);
    const found = places.get(each);
    const result =
      found !== undefined &&
      isParentEnabled(each) &&
      holds(each.item.conditions, (question) => answersTo(question, found.scopes));
    known.set(each, result);
    return result;
  }

  function isParentEnabled(each: FilledItem): boolean {
    const parent = places.get(each)?.parent;
    return parent === undefined || isEnabled(parent);
  }

  /** The answers of the nearest occurrence: among the siblings, in their groups that do not repeat, then outwards. */
  function answersTo(question: string, scopes: Scopes): readonly AnswerValue[] {
    for (const scope of scopes) {
      const found = questionsIn(scope).get(question);
      if (found !== undefined && isEnabled(found)) return answersOf(found);
    }
    return [];
  }

  /** Each list is walked once, however many conditions ask. */
  function questionsIn(scope: readonly FilledItem[]): ReadonlyMap<string, FilledItem> {
    const before = questions.get(scope);
    if (before !== undefined) return before;
    const found = new Map<string, FilledItem>();
    addQuestions(scope, found);
    questions.set(scope, found);
    return found;
  }

  place(items, [], undefined);
  return { isEnabled, isParentEnabled };
}

/** The answers of a question that can be read. */
export function answersOf({ occurrences }: FilledItem): readonly AnswerValue[] {
  return occurrences.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
}

/** The first item with each linkId in the list and in its groups that do not repeat. */
function addQuestions(items: readonly FilledItem[], found: Map<string, FilledItem>): void {
  for (const each of items) {
    if (!found.has(each.item.link_id)) found.set(each.item.link_id, each);
    if (each.item.type !== 'group' || each.item.repeats) continue;
    for (const { items: inner } of each.occurrences) addQuestions(inner, found);
  }
}

function holds(
  conditions: RenderReadyConditions | undefined,
  answersTo: (question: string) => readonly AnswerValue[],
): boolean {
  if (conditions === undefined) return true;
  const test = ({ link_id: question, operator, answer }: RenderReadyConditions['rules'][number]) =>
    ruleHolds(operator, answersTo(question).map(valueIn), valueIn(answer));
  return conditions.behavior === 'any' ? conditions.rules.some(test) : conditions.rules.every(test);
}

function ruleHolds(operator: string, values: readonly unknown[], wanted: unknown): boolean {
  switch (operator) {
    case 'exists':
      return values.length > 0 === wanted;
    case '=':
      return values.some((value) => isEqualValue(value, wanted));
    case '!=':
      return !values.some((value) => isEqualValue(value, wanted));
    case '>':
      return values.some((value) => compareValues(value, wanted) > 0);
    case '<':
      return values.some((value) => compareValues(value, wanted) < 0);
    case '>=':
      return values.some((value) => compareValues(value, wanted) >= 0);
    case '<=':
      return values.some((value) => compareValues(value, wanted) <= 0);
    default:
      return false;
  }
}
