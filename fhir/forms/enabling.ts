// Which items of a form that is being filled in are enabled, computed over the whole
// (questionnaire.html#enableWhen). The services and the console share it, so it imports nothing else of the program.
import { type AnswerValue, compareValues, isEqualValue, valueIn } from './values.ts';

interface Conditions {
  readonly behavior: 'all' | 'any';
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly link_id: string;
  readonly operator: string;
  readonly answer: AnswerValue;
}

/** An occurrence of a group, or an answer of a question. */
export interface ConditionalOccurrence {
  /** The answer; undefined for groups, and for a question that is not answered or whose text cannot be read. */
  readonly answer: AnswerValue | undefined;
  readonly items: readonly ConditionalItem[];
}

/** An item with what is filled in. */
export interface ConditionalItem {
  /** As in a render-ready form. */
  readonly item: {
    readonly link_id: string;
    readonly type: string;
    readonly repeats: boolean;
    readonly conditions?: Conditions | undefined;
  };
  readonly occurrences: readonly ConditionalOccurrence[];
}

export interface Enabling {
  /** Whether the item and all around it are enabled. */
  isEnabled(item: ConditionalItem): boolean;
  /** Whether all around the item is enabled. */
  isParentEnabled(item: ConditionalItem): boolean;
  /**
   * Whether no answer can be asked for. An expression that decides on the item, on one around it, or on its answer
   * cannot be evaluated here.
   */
  isExcused(item: ConditionalItem): boolean;
}

/** The lists of items around an item, from the innermost outwards. */
type Scopes = readonly (readonly ConditionalItem[])[];

interface Place {
  readonly scopes: Scopes;
  readonly parent: ConditionalItem | undefined;
}

/**
 * An item whose condition leads back to itself is not enabled.
 * @param isHeld whether the expression of an item lets it be enabled (./expressions/solve.ts)
 * @param isUndecided whether an expression of the item cannot be evaluated
 */
export function enablingOf(
  items: readonly ConditionalItem[],
  isHeld: (item: ConditionalItem) => boolean = () => true,
  isUndecided: (item: ConditionalItem) => boolean = () => false,
): Enabling {
  const places = new Map<ConditionalItem, Place>();
  const known = new Map<ConditionalItem, boolean>();
  const questions = new Map<readonly ConditionalItem[], ReadonlyMap<string, ConditionalItem>>();

  function place(list: readonly ConditionalItem[], outer: Scopes, parent: ConditionalItem | undefined): void {
    const scopes = [list, ...outer];
    for (const each of list) {
      places.set(each, { scopes, parent });
      for (const { items: inner } of each.occurrences) place(inner, scopes, each);
    }
  }

  function isEnabled(each: ConditionalItem): boolean {
    const before = known.get(each);
    if (before !== undefined) return before;
    known.set(each, false);
    const found = places.get(each);
    const result =
      found !== undefined &&
      isParentEnabled(each) &&
      isHeld(each) &&
      holds(each.item.conditions, (question) => answersTo(question, found.scopes));
    known.set(each, result);
    return result;
  }

  function isParentEnabled(each: ConditionalItem): boolean {
    const parent = places.get(each)?.parent;
    return parent === undefined || isEnabled(parent);
  }

  function isExcused(each: ConditionalItem): boolean {
    const parent = places.get(each)?.parent;
    return isUndecided(each) || (parent !== undefined && isExcused(parent));
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
  function questionsIn(scope: readonly ConditionalItem[]): ReadonlyMap<string, ConditionalItem> {
    const before = questions.get(scope);
    if (before !== undefined) return before;
    const found = new Map<string, ConditionalItem>();
    addQuestions(scope, found);
    questions.set(scope, found);
    return found;
  }

  place(items, [], undefined);
  return { isEnabled, isParentEnabled, isExcused };
}

/** The answers of a question that can be read. */
export function answersOf({ occurrences }: ConditionalItem): readonly AnswerValue[] {
  return occurrences.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
}

/** The first item with each linkId in the list and in its groups that do not repeat. */
function addQuestions(items: readonly ConditionalItem[], found: Map<string, ConditionalItem>): void {
  for (const each of items) {
    if (!found.has(each.item.link_id)) found.set(each.item.link_id, each);
    if (each.item.type !== 'group' || each.item.repeats) continue;
    for (const { items: inner } of each.occurrences) addQuestions(inner, found);
  }
}

function holds(conditions: Conditions | undefined, answersTo: (question: string) => readonly AnswerValue[]): boolean {
  if (conditions === undefined) return true;
  const test = ({ link_id: question, operator, answer }: Rule) =>
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
