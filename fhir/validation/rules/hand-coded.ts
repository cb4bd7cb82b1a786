// Hand-coded invariants in TypeScript: those of nearly every resource, those whose time is not linear, and those whose
// published FHIRPath is wrong. Each is keyed by the type that sets the invariant and its key (hl7.org/fhir/R5,
// "Constraints" of each type).
import { parseDateTimePeriod } from '../../primitives/date-time.ts';
import { isJsonObject, type JsonObject, type ValidationContext } from '../context.ts';
import { orderOf } from '../quantity-order.ts';
import { BUNDLE_RULES } from './bundle-rules.ts';
import { DEFINITION_RULES } from './definition-rules.ts';
import { canonicalText, has, hasChoice, isDistinct, objectsIn, on, type Test, valuesBelow } from './predicates.ts';
import { SCENARIO_RULES } from './scenario-rules.ts';

const MEALS: ReadonlySet<unknown> = new Set(['C', 'CM', 'CD', 'CV']);

/** The tests by `Type/key`; each is true when the invariant holds. */
export const HAND_CODED: ReadonlyMap<string, Test> = new Map<string, Test>([
  ...BUNDLE_RULES,
  ...DEFINITION_RULES,
  ...SCENARIO_RULES,
  ['Questionnaire/que-7', on(asksForExistenceByBoolean)],
  ['Extension/ext-1', on((value) => has(value, 'extension') !== hasChoice(value, 'value'))],
  ['Reference/ref-1', on(refersToSomethingContained)],
  [
    'Reference/ref-2',
    on((value) => ['reference', 'identifier', 'display', 'extension'].some((name) => has(value, name))),
  ],
  [
    'Ingredient/ing-1',
    on((value) => value['allergenicIndicator'] !== true || !hasPath(value, 'substance', 'code', 'reference')),
  ],
  ['Timing/tim-9', on((value) => !has(value, 'offset') || isOffsetFromOther(value['when']))],
  ['Period/per-1', on((value) => !isAfter(value['start'], value['end']))],
  ['Task/inv-1', on((value) => !isAfter(value['authoredOn'], value['lastModified']))],
  ['Appointment/app-5', on((value) => !isAfter(value['start'], value['end']))],
  ['MedicationDispense/mdd-1', on((value) => !isAfter(value['whenPrepared'], value['whenHandedOver']))],
  ['Quantity/qty-3', on((value) => !has(value, 'code') || has(value, 'system'))],
  ['ContactPoint/cpt-2', on((value) => !has(value, 'value') || has(value, 'system'))],
  ['Attachment/att-1', on((value) => !has(value, 'data') || has(value, 'contentType'))],
  ['Identifier/ident-1', on((value) => has(value, 'value'))],
  ['Coding/cod-1', on((value) => has(value, 'code') || !has(value, 'display'))],
  ['Range/rng-2', on((value) => orderOf(value['low'], value['high']) !== 'reversed')],
  ['RatioRange/ratrng-2', on((value) => orderOf(value['lowNumerator'], value['highNumerator']) !== 'reversed')],
  ['Observation/obs-7', on(hasOwnCodesInComponents)],
  ['QuestionnaireResponse/qrs-2', on(answersEachOnce)],
  ['Questionnaire/que-2', on((value) => isDistinct(valuesBelow(value, 'item', 'linkId')))],
  ['Patient/pat-1', on((value) => ['name', 'telecom', 'address', 'organization'].some((name) => has(value, name)))],
]);

function refersToSomethingContained(value: JsonObject, context: ValidationContext): boolean {
  const { reference } = value;
  if (typeof reference !== 'string' || !reference.startsWith('#')) return true;
  if (reference === '#') return context.containedId !== undefined;
  return context.scope.contained.has(reference.slice(1));
}

/** Whether the first interval begins after the second has ended: `2020-05` is not after `2020`. */
function isAfter(start: unknown, end: unknown): boolean {
  if (typeof start !== 'string' || typeof end !== 'string') return false;
  const first = parseDateTimePeriod(start);
  const last = parseDateTimePeriod(end);
  return first !== undefined && last !== undefined && first.start > last.end;
}

/** Beside a value, no component may have a coding of the observation's own code. */
function hasOwnCodesInComponents(value: JsonObject): boolean {
  if (!hasChoice(value, 'value')) return true;
  const own = codingsOf(value);
  const components = objectsIn(value, 'component');
  if (own.length === 0 || components.length === 0) return true;
  const texts = new Set(own.map(canonicalText));
  return !components.some((component) => codingsOf(component).some((coding) => texts.has(canonicalText(coding))));
}

function codingsOf({ code }: JsonObject): JsonObject[] {
  return isJsonObject(code) ? objectsIn(code, 'coding') : [];
}

function asksForExistenceByBoolean(value: JsonObject): boolean {
  return value['operator'] !== 'exists' || has(value, 'answerBoolean') || !hasChoice(value, 'answer');
}

/** Below an item, the answered items of one parent have different linkIds. */
function answersEachOnce(value: JsonObject): boolean {
  const below = (node: JsonObject): JsonObject[] => [...objectsIn(node, 'item'), ...objectsIn(node, 'answer')];
  const left = below(value);
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const answered = objectsIn(node, 'item').filter((item) =>
      objectsIn(item, 'answer').some((answer) => hasChoice(answer, 'value')),
    );
    if (!isDistinct(answered.flatMap(({ linkId }) => (linkId === undefined ? [] : [linkId])))) return false;
    for (const each of below(node)) left.push(each);
  }
  return true;
}

/** An offset needs an event, and a meal itself has no offset. */
function isOffsetFromOther(when: unknown): boolean {
  return Array.isArray(when) && when.length > 0 && !when.some((each) => MEALS.has(each));
}

function hasPath(value: JsonObject, ...names: readonly string[]): boolean {
  let held: unknown = value;
  for (const name of names) held = isJsonObject(held) ? held[name] : undefined;
  return held !== undefined;
}
