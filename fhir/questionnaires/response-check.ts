// Checks a QuestionnaireResponse against its Questionnaire (hl7.org/fhir/R5/questionnaireresponse.html#7.5.5.1): items,
// answers, options, limits, conditions and the author's constraints. It finds every fault, each at its item.
import type { JsonObject } from '#fhir/patch/json-tree.ts';
import { Undecided } from '#fhir/validation/lookups.ts';
import { compileFhirPath, type FhirPathTest } from '#fhir/validation/rules/fhirpath-test.ts';
import type { Issue } from '#lib/errors.ts';
import { valueFaults } from './answer-check.ts';
import { answerValue, isEqualValue, keyOf, objectsIn } from './answer-values.ts';
import { type AnswerFinder, createAnswerFinder, isEnabled, type ResponseItems } from './enabled.ts';
import { extensionValues, type FormDefinition, readForm } from './form-definition.ts';

/** A fault of a response. `field` is a FHIRPath expression of the nearest element that is there. */
export interface ResponseIssue extends Issue {
  /** The item of the form; undefined for a fault of the whole response. */
  readonly linkId?: string;
}

/** A response with more faults is reported as far as this. */
const MAX_FAULTS = 1_000;
const MAX_NAME = 100;

interface Check {
  readonly form: FormDefinition;
  readonly answers: AnswerFinder;
  readonly response: JsonObject;
  readonly issues: ResponseIssue[];
}

/** A level of the response: its items, the FHIRPath of their parent, and the lists of items further out. */
interface Level {
  readonly items: ResponseItems;
  readonly path: string;
  readonly outer: readonly ResponseItems[];
}

/** One item of the form at one level of the response. */
interface Place {
  readonly definition: JsonObject;
  readonly level: Level;
}

/**
 * Returns the faults of the response; warnings are those of constraints that the form's author made warnings. The
 * questionnaire is self-contained: codes of ValueSets that it does not contain are not checked. Pure. Call it in a
 * thread: constraints are expressions of the form's author.
 * @param response a valid R5 QuestionnaireResponse, as `parseWritten` reads it, so that decimals keep their digits
 */
export function checkResponse(questionnaire: JsonObject, response: JsonObject): ResponseIssue[] {
  const form = readForm(questionnaire);
  const check = { form, answers: createAnswerFinder(form), response, issues: [] };
  const level = { items: objectsIn(response['item']), path: 'QuestionnaireResponse', outer: [] };
  try {
    checkConstraints(check, { definition: questionnaire, value: response, field: 'QuestionnaireResponse' });
    checkLevel(objectsIn(questionnaire['item']), level, check);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return check.issues;
}

/** Thrown to end a check with more faults than are shown. */
class Enough extends Error {}

function add({ issues }: Check, issue: ResponseIssue): void {
  issues.push(issue);
  if (issues.length >= MAX_FAULTS) throw new Enough();
}

function addAt(
  check: Check,
  { linkId, text }: JsonObject,
  fault: { message: string; code: string; field: string },
): void {
  const name = String(linkId).slice(0, MAX_NAME).toWellFormed();
  const label = typeof text === 'string' && text !== '' ? ` (${text.slice(0, MAX_NAME).toWellFormed()})` : '';
  add(check, { ...fault, message: `Item ${name}${label} ${fault.message}`, linkId: String(linkId) });
}

function checkLevel(definitions: readonly JsonObject[], level: Level, check: Check): void {
  const orders = new Map(definitions.map(({ linkId }, place) => [linkId, place]));
  const found = new Map<unknown, { readonly item: JsonObject; readonly path: string }[]>();
  let last = -1;
  for (const [index, item] of level.items.entries()) {
    const place = orders.get(item['linkId']);
    const path = `${level.path}.item[${index}]`;
    if (place === undefined) {
      addAt(check, { linkId: item['linkId'] }, { message: 'is not in the form here', code: 'not-found', field: path });
      continue;
    }
    if (place < last) addAt(check, item, { message: 'must be in the order of the form', code: 'value', field: path });
    last = Math.max(last, place);
    const known = found.get(item['linkId']) ?? [];
    known.push({ item, path });
    found.set(item['linkId'], known);
  }
  for (const definition of definitions) {
    checkItem({ definition, level }, found.get(definition['linkId']) ?? [], check);
  }
}

type Found = readonly { readonly item: JsonObject; readonly path: string }[];

function checkItem({ definition, level }: Place, found: Found, check: Check): void {
  const around = [level.items, ...level.outer];
  if (!isEnabled(definition, around, check.answers)) {
    for (const { path } of found)
      addAt(check, definition, {
        message: 'must not be answered, as its condition does not hold',
        code: 'business-rule',
        field: path,
      });
    return;
  }
  const isGroup = definition['type'] === 'group';
  if (isGroup) checkGroup(definition, found, { around, check });
  else checkQuestion(definition, found, { around, check });
  const count = isGroup ? found.length : found.flatMap(({ item }) => objectsIn(item['answer'])).length;
  const field = found[0]?.path ?? level.path;
  for (const fault of countFaults(definition, count)) addAt(check, definition, { ...fault, field });
}

interface Around {
  readonly around: readonly ResponseItems[];
  readonly check: Check;
}

function checkGroup(definition: JsonObject, found: Found, { around, check }: Around): void {
  for (const { item, path } of found) {
    checkConstraints(check, { definition, value: item, field: path });
    if (item['answer'] !== undefined)
      addAt(check, definition, { message: 'is a group, and has no answer', code: 'value', field: path });
    const level = { items: objectsIn(item['item']), path, outer: around };
    checkLevel(objectsIn(definition['item']), level, check);
  }
}

function checkQuestion(definition: JsonObject, found: Found, { around, check }: Around): void {
  const fault = (message: string, code: string, field: string) => addAt(check, definition, { message, code, field });
  const isDisplay = definition['type'] === 'display';
  const values: unknown[] = [];
  for (const [index, { item, path }] of found.entries()) {
    checkConstraints(check, { definition, value: item, field: path });
    const answers = objectsIn(item['answer']);
    if (isDisplay && answers.length > 0) fault('is a text, and has no answer', 'value', path);
    if (!isDisplay && answers.length === 0) fault('must have an answer, or be left out', 'required', path);
    if (item['item'] !== undefined) fault('has its items within its answers', 'structure', path);
    if (index > 0) fault('must be there once, with all its answers', 'value', path);
    for (const [place, answer] of answers.entries()) {
      const at = `${path}.answer[${place}]`;
      if (!isDisplay) {
        for (const { message, code } of valueFaults(definition, answer, check.form)) fault(message, code, at);
      }
      values.push(answerValue(answer));
      checkLevel(objectsIn(definition['item']), { items: objectsIn(answer['item']), path: at, outer: around }, check);
    }
  }
  const [first] = found;
  if (first === undefined) return;
  if (isExclusiveWithOthers(definition, values))
    fault('must have no answer beside this one', 'business-rule', first.path);
  if (definition['readOnly'] === true && !isInitial(definition, values))
    fault('is read-only, and must keep its value', 'business-rule', first.path);
}

function isInitial(definition: JsonObject, values: readonly unknown[]): boolean {
  const initial = objectsIn(definition['initial']).map((each) => answerValue(each));
  return initial.length === values.length && initial.every((value, index) => isEqualValue(value, values[index]));
}

function isExclusiveWithOthers(definition: JsonObject, values: readonly unknown[]): boolean {
  if (values.length < 2) return false;
  const exclusive = objectsIn(definition['answerOption'])
    .filter((option) => extensionValues(option, 'questionnaire-optionExclusive')[0] === true)
    .map((option) => keyOf(answerValue(option)));
  return values.some((value) => exclusive.includes(keyOf(value)));
}

/** Faults in the number of answers of a question, or of occurrences of a group. */
function countFaults(definition: JsonObject, count: number): { message: string; code: string }[] {
  const faults: { message: string; code: string }[] = [];
  const [least] = extensionValues(definition, 'questionnaire-minOccurs');
  const [most] = extensionValues(definition, 'questionnaire-maxOccurs');
  if (definition['required'] === true && count === 0) faults.push({ message: 'must be answered', code: 'required' });
  if (definition['repeats'] !== true && count > 1) faults.push({ message: 'must have one answer', code: 'value' });
  if (count > 0 && typeof least === 'number' && count < least)
    faults.push({ message: `must have at least ${least} answers`, code: 'required' });
  if (typeof most === 'number' && count > most)
    faults.push({ message: `must have at most ${most} answers`, code: 'value' });
  return faults;
}

interface Constrained {
  readonly definition: JsonObject;
  readonly value: JsonObject;
  readonly field: string;
}

function checkConstraints(check: Check, { definition, value, field }: Constrained): void {
  const isWhole = definition === check.form.questionnaire;
  const base = isWhole ? 'QuestionnaireResponse' : 'QuestionnaireResponse.item';
  for (const { expression, message, isError } of check.form.constraintsOf(definition)) {
    if (holds(expression, base, { value, response: check.response })) continue;
    const issue = { code: 'invariant', field, severity: isError ? 'error' : 'warning' } as const;
    add(check, isWhole ? { ...issue, message } : { ...issue, message, linkId: String(definition['linkId']) });
  }
}

/** A constraint that cannot be evaluated refuses nothing: it is the author's fault. */
function holds(
  expression: string,
  base: string,
  { value, response }: { readonly value: JsonObject; readonly response: JsonObject },
): boolean {
  const test = compiledTest(expression, base);
  if (test === undefined) return true;
  try {
    return test(value, { resource: response, root: response, lookups: NO_LOOKUPS });
  } catch (error) {
    if (error instanceof Undecided) return true;
    throw error;
  }
}

const MAX_COMPILED = 500;
const compiled = new Map<string, FhirPathTest | undefined>();

/** Undefined for an expression that is no FHIRPath. */
function compiledTest(expression: string, base: string): FhirPathTest | undefined {
  const key = `${base}: ${expression}`;
  if (compiled.has(key)) return compiled.get(key);
  let test: FhirPathTest | undefined;
  try {
    test = compileFhirPath(expression, base, true);
  } catch {
    test = undefined;
  }
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, test);
  return test;
}

/** Nothing outside of the response is read. */
const NO_LOOKUPS = {
  resolve: () => {
    throw new Undecided('a response is judged by itself');
  },
  isMember: () => {
    throw new Undecided('value sets outside of the form are not known here');
  },
  isInSlice: () => {
    throw new Undecided('slices are not known here');
  },
};
