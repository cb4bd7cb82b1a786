// Whether an item of a form is enabled by the answers given (hl7.org/fhir/R5/questionnaire.html#enableWhen).
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { answerValue, isEqualValue, objectsIn, orderOfValues } from './answer-values.ts';
import type { FormDefinition } from './form-definition.ts';

/** The items of one level of a response. */
export type ResponseItems = readonly JsonObject[];

/** Finds answers by linkId: those of the nearest occurrence, from the innermost list of items outwards. */
export interface AnswerFinder {
  readonly answersTo: (linkId: string, around: readonly ResponseItems[]) => readonly JsonObject[];
}

/** Each list is walked once, however many conditions ask. */
export function createAnswerFinder({ repeats }: FormDefinition): AnswerFinder {
  const known = new WeakMap<ResponseItems, ReadonlyMap<unknown, JsonObject>>();

  /** What is in the list, and in its groups and questions that do not repeat: the first with each linkId. */
  const occurrencesIn = (items: ResponseItems): ReadonlyMap<unknown, JsonObject> => {
    const before = known.get(items);
    if (before !== undefined) return before;
    const found = new Map<unknown, JsonObject>();
    const walk = (list: ResponseItems): void => {
      for (const item of list) {
        if (!found.has(item['linkId'])) found.set(item['linkId'], item);
        if (!repeats(item['linkId'])) walk(objectsIn(item['item']));
      }
    };
    walk(items);
    known.set(items, found);
    return found;
  };

  return {
    answersTo(linkId, around) {
      for (const items of around) {
        const found = occurrencesIn(items).get(linkId);
        if (found !== undefined) return objectsIn(found['answer']);
      }
      return [];
    },
  };
}

/** @param around the lists of items around the item, from the innermost outwards */
export function isEnabled(
  definition: JsonObject,
  around: readonly ResponseItems[],
  { answersTo }: AnswerFinder,
): boolean {
  const rules = objectsIn(definition['enableWhen']);
  if (rules.length === 0) return true;
  const holds = (rule: JsonObject) =>
    isFulfilled(
      rule,
      answersTo(String(rule['question']), around).map((answer) => answerValue(answer)),
    );
  return definition['enableBehavior'] === 'any' ? rules.some(holds) : rules.every(holds);
}

function isFulfilled(rule: JsonObject, values: readonly unknown[]): boolean {
  const wanted = Object.entries(rule).find(([name]) => /^answer[A-Z]/.test(name))?.[1];
  const { operator } = rule;
  switch (operator) {
    case 'exists':
      return values.length > 0 === wanted;
    case '!=':
      return !values.some((value) => isEqualValue(value, wanted));
    case '=':
      return values.some((value) => isEqualValue(value, wanted));
    case '>':
      return values.some((value) => orderOfValues(value, wanted) > 0);
    case '<':
      return values.some((value) => orderOfValues(value, wanted) < 0);
    case '>=':
      return values.some((value) => orderOfValues(value, wanted) >= 0);
    case '<=':
      return values.some((value) => orderOfValues(value, wanted) <= 0);
    default:
      return false;
  }
}
