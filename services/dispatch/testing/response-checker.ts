// Checks a QuestionnaireResponse against its Questionnaire (hl7.org/fhir/R5/questionnaireresponse.html,
// questionnaire.html) and finds every error, by the FHIR resources alone. Tests use it to check responses that were
// filled in by the render-ready form.
import { holds } from './response-constraints.ts';

type Json = Record<string, unknown>;
type Items = readonly Json[];

/** The lists of items around an item, from the innermost outwards. */
type OuterItems = readonly Items[];

interface Site {
  readonly issues: string[];
  readonly repeating: ReadonlySet<string>;
  readonly contained: Items;
  readonly response: Json;
}

const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const list = (value: unknown): Items => (Array.isArray(value) ? (value as Items) : []);

export function issuesOfResponse(questionnaire: Json, response: Json): string[] {
  const definitions = list(questionnaire['item']);
  const repeating = new Set(
    everyItem(definitions)
      .filter(({ repeats }) => repeats === true)
      .map(({ linkId }) => String(linkId)),
  );
  const site = { issues: [], repeating, contained: list(questionnaire['contained']), response };
  checkList(definitions, list(response['item']), [], site);
  return site.issues;
}

/** The warnings of the questionnaire's own constraints. */
export function warningsOfResponse(questionnaire: Json, response: Json): unknown[] {
  return violated(questionnaire, response, { base: 'QuestionnaireResponse', response }).map(
    (parts) => parts.get('human')?.['valueString'],
  );
}

/** The constraints that do not hold, each with its parts by name. */
function violated(definition: Json, value: Json, place: Parameters<typeof holds>[2]): Map<string, Json>[] {
  return list(definition['extension'])
    .filter(({ url }) => url === `${CORE}targetConstraint`)
    .map((each) => new Map(list(each['extension']).map((part) => [String(part['url']), part])))
    .filter((parts) => {
      const stated = parts.get('expression')?.['valueExpression'] as Json | undefined;
      return !holds(String(stated?.['expression']), value, place);
    });
}

function everyItem(items: Items): Items {
  return items.flatMap((item) => [item, ...everyItem(list(item['item']))]);
}

function checkList(definitions: Items, given: Items, outer: OuterItems, site: Site): void {
  const places = given.map(({ linkId }) => definitions.findIndex((definition) => definition['linkId'] === linkId));
  if (places.includes(-1)) site.issues.push('an item that is not defined there');
  if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))) site.issues.push('another order');
  for (const definition of definitions) {
    const found = given.filter(({ linkId }) => linkId === definition['linkId']);
    const around = [given, ...outer];
    if (isEnabled(definition, around, site)) checkEnabled(definition, found, around, site);
    else if (found.length > 0) site.issues.push(`${definition['linkId']} is answered but not enabled`);
  }
}

function checkEnabled(definition: Json, found: Items, around: OuterItems, site: Site): void {
  const issue = (text: string) => site.issues.push(`${definition['linkId']}: ${text}`);
  const isGroup = definition['type'] === 'group';
  const answers = found.flatMap((item) => list(item['answer']));
  const count = isGroup ? found.length : answers.length;
  if (definition['type'] === 'display' && count > 0) issue('displayed text with an answer');
  if (!isGroup && found.length > 1) issue('a question twice');
  if (definition['required'] === true && count === 0) issue('required');
  if (definition['repeats'] !== true && count > 1) issue('does not repeat');
  const [least, most] = [
    extension(definition, 'questionnaire-minOccurs'),
    extension(definition, 'questionnaire-maxOccurs'),
  ];
  if (count > 0 && typeof least === 'number' && count < least) issue('too few');
  if (typeof most === 'number' && count > most) issue('too many');
  const inner = list(definition['item']);
  for (const item of found) {
    const place = { base: 'QuestionnaireResponse.item', response: site.response } as const;
    for (const parts of violated(definition, item, place)) issue(`against ${parts.get('key')?.['valueId']}`);
    if (isGroup && item['answer'] !== undefined) issue('a group with an answer');
    if (!isGroup && item['item'] !== undefined) issue('items beside the answers');
    if (isGroup) checkList(inner, list(item['item']), around, site);
    else if (list(item['answer']).length === 0) issue('no answer');
  }
  for (const answer of answers) {
    checkValue(definition, answer, { issue, site });
    checkList(inner, list(answer['item']), around, site);
  }
  checkConstraints(definition, answers.map(valueIn), issue);
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ boolean: 'valueBoolean', decimal: 'valueDecimal', integer: 'valueInteger', date: 'valueDate' },
  ...{ dateTime: 'valueDateTime', time: 'valueTime', string: 'valueString', text: 'valueString', url: 'valueUri' },
  ...{ coding: 'valueCoding', attachment: 'valueAttachment', reference: 'valueReference', quantity: 'valueQuantity' },
};

function nameOf(answer: Json): string {
  return Object.keys(answer).find((name) => name.startsWith('value')) ?? '';
}

function valueIn(answer: Json): unknown {
  return answer[nameOf(answer)];
}

interface ValueCheck {
  readonly issue: (text: string) => void;
  readonly site: Site;
}

function checkValue(definition: Json, answer: Json, { issue, site }: ValueCheck): void {
  const choices = choicesOf(definition, site);
  const isChoice = choices?.some((choice) => isEqual(choice, valueIn(answer))) === true;
  if (choices !== undefined && !isChoice) {
    const constraint = definition['answerConstraint'] ?? 'optionsOnly';
    if (constraint === 'optionsOrString' && nameOf(answer) === 'valueString') return;
    if (constraint !== 'optionsOrType') issue('none of the options');
  }
  if (nameOf(answer) !== TYPES[String(definition['type'])]) issue(`${nameOf(answer)} is of another type`);
  checkLimits(definition, valueIn(answer), { issue, site });
}

function choicesOf(definition: Json, { contained }: Site): unknown[] | undefined {
  const named = definition['answerValueSet'];
  if (named !== undefined) return codesOf(String(named), contained);
  return definition['answerOption'] === undefined ? undefined : list(definition['answerOption']).map(valueIn);
}

function codesOf(reference: string, contained: Items): Json[] {
  const set = contained.find(({ id }) => `#${id}` === reference);
  const includes = list((set?.['compose'] as Json | undefined)?.['include']);
  return includes.flatMap(({ system, concept }) => list(concept).map(({ code }) => ({ system, code })));
}

function checkLimits(definition: Json, value: unknown, { issue, site }: ValueCheck): void {
  const limit = (name: string) => extension(definition, name);
  const text = typeof value === 'string' ? value : '';
  const [least, most] = [limit('minValue'), limit('maxValue')];
  if (least !== undefined && !(order(value, least) >= 0)) issue('below its least value');
  if (most !== undefined && !(order(value, most) <= 0)) issue('above its greatest value');
  const places = limit('maxDecimalPlaces');
  if (typeof places === 'number' && (String(value).split('.')[1]?.length ?? 0) > places) issue('too many decimals');
  if (typeof definition['maxLength'] === 'number' && text.length > definition['maxLength']) issue('too long');
  const shortest = limit('minLength');
  if (typeof shortest === 'number' && text.length < shortest) issue('too short');
  const pattern = limit('regex');
  if (typeof pattern === 'string' && !new RegExp(`^(?:${pattern})$`, 'u').test(text)) issue('against its pattern');
  const of = value as Json;
  const units = unitsOf(definition, site);
  if (units.length > 0 && !units.some(({ system, code }) => system === of['system'] && code === of['code']))
    issue('another unit');
  const [size, type, target] = [limit('maxSize'), limit('mimeType'), limit('questionnaire-referenceResource')];
  if (typeof size === 'number' && Number(of['size']) > size) issue('too large');
  if (type !== undefined && of['contentType'] !== type) issue('of another media type');
  if (target !== undefined && !String(of['reference']).startsWith(`${String(target)}/`)) issue('leads to another type');
}

function unitsOf(definition: Json, { contained }: Site): Items {
  const set = extension(definition, 'questionnaire-unitValueSet');
  const named = list(definition['extension']).filter(({ url }) => /questionnaire-unit(Option)?$/.test(String(url)));
  return [
    ...named.map((each) => each['valueCoding'] as Json),
    ...(set === undefined ? [] : codesOf(String(set), contained)),
  ];
}

function checkConstraints(definition: Json, values: readonly unknown[], issue: (text: string) => void): void {
  const alone = list(definition['answerOption']).filter(
    (option) => extension(option, 'questionnaire-optionExclusive') === true,
  );
  const isAlone = values.some((value) => alone.some((option) => isEqual(valueIn(option), value)));
  if (isAlone && values.length > 1) issue('an exclusive option with others');
  const initial = list(definition['initial']).map(valueIn);
  if (definition['readOnly'] === true && JSON.stringify(values) !== JSON.stringify(initial))
    issue('read-only, and changed');
}

function isEnabled(definition: Json, around: OuterItems, site: Site): boolean {
  const rules = list(definition['enableWhen']);
  if (rules.length === 0) return true;
  const holds = rules.map((rule) => {
    const answers = answersTo(String(rule['question']), around, site).map(valueIn);
    const wanted = Object.entries(rule).find(([name]) => name.startsWith('answer'))?.[1];
    const operator = String(rule['operator']);
    if (operator === 'exists') return answers.length > 0 === wanted;
    if (operator === '!=') return !answers.some((value) => isEqual(value, wanted));
    return answers.some((value) => {
      if (operator === '=') return isEqual(value, wanted);
      const difference = order(value, wanted);
      if (Number.isNaN(difference)) return false;
      return difference === 0 ? operator.endsWith('=') : operator.startsWith(difference > 0 ? '>' : '<');
    });
  });
  return definition['enableBehavior'] === 'any' ? holds.includes(true) : !holds.includes(false);
}

/** Answers of the nearest occurrence: among the siblings, in their groups that do not repeat, then further out. */
function answersTo(question: string, around: OuterItems, site: Site): Items {
  for (const items of around) {
    const found = occurrenceIn(items, question, site);
    if (found !== undefined) return list(found['answer']);
  }
  return [];
}

function occurrenceIn(items: Items, question: string, site: Site): Json | undefined {
  for (const item of items) {
    if (item['linkId'] === question) return item;
    const inner = site.repeating.has(String(item['linkId']))
      ? undefined
      : occurrenceIn(list(item['item']), question, site);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function extension(element: Json, name: string): unknown {
  const found = list(element['extension']).find(({ url }) => url === CORE + name);
  return found && valueIn(found);
}

function isEqual(left: unknown, right: unknown): boolean {
  const [a, b] = [left as Json, right as Json];
  if (typeof left !== 'object' || typeof right !== 'object') return left === right || order(left, right) === 0;
  if ('code' in a && !('value' in a)) return a['system'] === b['system'] && a['code'] === b['code'];
  return 'value' in a ? order(a, b) === 0 : JSON.stringify(a) === JSON.stringify(b);
}

/** Negative, zero or positive; NaN when there is no order. */
function order(left: unknown, right: unknown): number {
  if (typeof left === 'object' && typeof right === 'object') {
    const [a, b] = [left as Json, right as Json];
    const isComparable = 'value' in a && 'value' in b && a['system'] === b['system'] && a['code'] === b['code'];
    return isComparable ? Number(a['value']) - Number(b['value']) : Number.NaN;
  }
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string') return left === right ? 0 : Number.NaN;
  const [a, b] =
    left.includes('T') && right.includes('T')
      ? [new Date(left).toISOString(), new Date(right).toISOString()]
      : [left, right];
  return a === b ? 0 : a > b ? 1 : -1;
}
