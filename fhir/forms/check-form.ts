// Finds every issue of a form that was filled in (hl7.org/fhir/R5/questionnaire.html, questionnaireresponse.html). An
// issue is what is missing or too much, what an answer may not be, and the form's own constraints. The issues of an
// item that is not enabled do not count, as it is not sent.

import { Undecided } from '../validation/lookups.ts';
import { compileFhirPath, type FhirPathTest } from '../validation/rules/fhirpath-test.ts';
import { doubtsOfAnswer, issuesOfAnswer } from './answer-issues.ts';
import { answersOf, type Enabling } from './enabling.ts';
import type { FilledItem, Occurrence } from './filling.ts';
import type { IssueMessage } from './issue-text.ts';
import type { RenderReadyConstraint, RenderReadyForm, RenderReadyItem } from './render-ready-form.ts';
import { answerableIn, isFixed, responseItem, responseItems } from './response-items.ts';
import { isBlank, isSameAnswer } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

export interface FormIssue extends IssueMessage {
  /** That of the item or the occurrence. */
  readonly path: string;
  /** The label of the item. */
  readonly label: string;
  /** The item of the form; undefined for the form as a whole. */
  readonly item: RenderReadyItem | undefined;
  /** A warning does not forbid the response. */
  readonly severity: 'error' | 'warning';
}

/**
 * In the order of the form.
 * @param response the QuestionnaireResponse that is checked; undefined for one that will be made of the items
 */
export function checkForm(
  form: RenderReadyForm,
  items: readonly FilledItem[],
  enabling: Enabling,
  response?: Json,
): FormIssue[] {
  const check = { enabling, response: response && plainJson(response) };
  const issues = items.flatMap((each) => issuesOfItem(each, check));
  const made = { resourceType: 'QuestionnaireResponse', status: 'completed' };
  const value = response ?? { ...made, item: responseItems(items, enabling) };
  const whole = violated(form.constraints, value, { base: 'QuestionnaireResponse', response: plainJson(value) });
  return [
    ...issues,
    ...whole.map(({ issue, severity }) => ({ ...issue, severity, path: '', label: '', item: undefined })),
  ];
}

interface Check {
  readonly enabling: Enabling;
  /** Plain JSON. */
  readonly response: unknown;
}

function issuesOfItem(each: FilledItem, check: Check): FormIssue[] {
  const { enabling, response } = check;
  const { item, path, occurrences, given } = each;
  if (!enabling.isEnabled(each)) return [];
  const issueAt = (at: string, issue: IssueMessage, severity: FormIssue['severity'] = 'error'): FormIssue => {
    return { path: at, label: item.label, item, severity, ...issue };
  };
  const typed = occurrences.flatMap((occurrence) => issuesOfOccurrence(each, occurrence, issueAt));
  const counted = typed.length > 0 ? [] : issuesOfCount(each, enabling).map((issue) => issueAt(path, issue));
  const inner = checkedRows(each, enabling).flatMap(({ items }) =>
    items.flatMap((child) => issuesOfItem(child, check)),
  );
  const held = (item.constraints === undefined ? [] : (given ?? responseItem(each, enabling))).flatMap((value) =>
    violated(item.constraints, value, { base: 'QuestionnaireResponse.item', response }).map(({ issue, severity }) =>
      issueAt(path, issue, severity),
    ),
  );
  return [...counted, ...typed, ...held, ...inner];
}

/** Nobody can answer what is within a hidden item, and an empty row of a repeating group is not sent. */
function checkedRows({ item, occurrences, given }: FilledItem, enabling: Enabling): readonly Occurrence[] {
  if (given !== undefined) return occurrences;
  if (item.hidden === true) return [];
  if (item.type !== 'group' || !item.repeats) return occurrences;
  return occurrences.filter(({ items }) => items.some((child) => isTouched(child, enabling)));
}

/** Whether anything was typed in the item or within it. */
function isTouched(each: FilledItem, enabling: Enabling): boolean {
  if (!enabling.isEnabled(each)) return false;
  return each.occurrences.some(
    ({ answer, issue, items }) =>
      answer !== undefined || issue !== undefined || items.some((child) => isTouched(child, enabling)),
  );
}

function issuesOfOccurrence(
  { item, given }: FilledItem,
  { path, answer, issue }: Occurrence,
  issueAt: (at: string, issue: IssueMessage, severity?: FormIssue['severity']) => FormIssue,
): FormIssue[] {
  if (issue !== undefined) return [issueAt(path, issue)];
  // On a page a value that nobody may change is the author's.
  if (answer === undefined || (given === undefined && isFixed(item))) return [];
  const issues = issuesOfAnswer(item, answer).map((each) => issueAt(path, each));
  return issues.length > 0 ? issues : doubtsOfAnswer(item, answer).map((each) => issueAt(path, each, 'warning'));
}

function issuesOfCount(each: FilledItem, enabling: Enabling): IssueMessage[] {
  const { item, given } = each;
  if (item.type === 'display') return [];
  const answers = answersOf(each);
  const count = item.type === 'group' ? (given ?? responseItem(each, enabling)).length : answers.length;
  const { min_answers: least, max_answers: most } = item.limits ?? {};
  const issues: IssueMessage[] = [];
  if (item.required && isMissing(each, enabling) && !enabling.isExcused(each)) {
    // On a page nobody can answer what is hidden or may not be changed.
    return given === undefined && isFixed(item)
      ? []
      : [{ code: item.type === 'group' ? 'required_group' : 'required' }];
  }
  if (count > 0 && least !== undefined && count < least) issues.push({ code: 'too_few', values: { limit: least } });
  if (!item.repeats && count > 1) issues.push({ code: 'too_many', values: { limit: 1 } });
  else if (most !== undefined && count > most) issues.push({ code: 'too_many', values: { limit: most } });
  const exclusive = (item.options ?? []).filter((option) => option.exclusive === true);
  const isAlone = answers.some((answer) => exclusive.some((option) => isSameAnswer(option.answer, answer)));
  if (isAlone && answers.length > 1) issues.push({ code: 'exclusive' });
  return issues;
}

/** A required group of a page is missing when one of its questions could be answered, and none is. */
function isMissing(each: FilledItem, enabling: Enabling): boolean {
  if (each.item.type !== 'group') return answersOf(each).every(isBlank);
  if (each.given !== undefined) return each.given.length === 0;
  const questions = answerableIn(each, enabling);
  return questions.length > 0 && questions.every((question) => answersOf(question).every(isBlank));
}

interface Held {
  readonly issue: IssueMessage;
  readonly severity: FormIssue['severity'];
}

/** The constraints that do not hold. One that cannot be evaluated forbids nothing: it is the author's error. */
function violated(
  constraints: readonly RenderReadyConstraint[] | undefined,
  value: unknown,
  { base, response }: { readonly base: string; readonly response: unknown },
): Held[] {
  if (constraints === undefined) return [];
  const plain = plainJson(value);
  return constraints.flatMap(({ expression, message, severity }) => {
    if (holds(expression, plain, { base, response })) return [];
    return [{ severity, issue: { code: 'constraint', values: { message } } }];
  });
}

/** Numbers that keep their digits are no numbers to an expression. */
function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const NO_LOOKUPS = {
  resolve: () => undefined,
  isMember: () => {
    throw new Undecided('a form has no value sets');
  },
  isInSlice: () => {
    throw new Undecided('a form has no slices');
  },
};

function holds(expression: string, value: unknown, place: { readonly base: string; readonly response: unknown }) {
  try {
    const test = compiledTest(expression, place.base);
    return test(value, { resource: place.response, root: place.response, lookups: NO_LOOKUPS });
  } catch {
    return true;
  }
}

const MOST_COMPILED = 500;
const compiled = new Map<string, FhirPathTest>();

/** @throws Error for an expression that is no FHIRPath */
function compiledTest(expression: string, base: string): FhirPathTest {
  const key = `${base}: ${expression}`;
  const before = compiled.get(key);
  if (before !== undefined) return before;
  const test = compileFhirPath(expression, base, true);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(key, test);
  return test;
}
