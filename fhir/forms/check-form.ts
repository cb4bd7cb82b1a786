// Finds every fault of a form that was filled in (hl7.org/fhir/R5/questionnaire.html, questionnaireresponse.html): what
// is missing or too much, what an answer may not be, and the form's own constraints. The faults of an item that is not
// enabled do not count, as it is not sent.

import { Undecided } from '../validation/lookups.ts';
import { compileFhirPath } from '../validation/rules/fhirpath-test.ts';
import { doubtsOfAnswer, faultsOfAnswer } from './answer-faults.ts';
import type { FormFault } from './fault-text.ts';
import { answersOf, type Enabling, type FilledItem, type Occurrence } from './filling.ts';
import type { RenderReadyConstraint, RenderReadyForm, RenderReadyItem } from './render-ready-form.ts';
import { answerableIn, isFixed, responseItem, responseItems } from './response-items.ts';
import { isSameAnswer } from './values.ts';

export interface FormIssue extends FormFault {
  /** That of the item or the occurrence. */
  readonly path: string;
  /** The label of the item. */
  readonly label: string;
  /** The item of the form; undefined for the form as a whole. */
  readonly item: RenderReadyItem | undefined;
  /** A warning does not forbid the response. */
  readonly severity: 'error' | 'warning';
}

/** In the order of the form. */
export function checkForm(form: RenderReadyForm, items: readonly FilledItem[], enabling: Enabling): FormIssue[] {
  const issues = items.flatMap((each) => issuesOfItem(each, enabling));
  const response = { resourceType: 'QuestionnaireResponse', status: 'completed', item: responseItems(items, enabling) };
  const whole = violated(form.constraints, response, { base: 'QuestionnaireResponse', response });
  return [
    ...issues,
    ...whole.map(({ fault, severity }) => ({ ...fault, severity, path: '', label: '', item: undefined })),
  ];
}

function issuesOfItem(each: FilledItem, enabling: Enabling): FormIssue[] {
  const { item, path, occurrences } = each;
  if (!enabling.isEnabled(each)) return [];
  const issue = (at: string, fault: FormFault, severity: FormIssue['severity'] = 'error'): FormIssue => {
    return { path: at, label: item.label, item, severity, ...fault };
  };
  const typed = occurrences.flatMap((occurrence) => faultsOfOccurrence(item, occurrence, issue));
  const counted = typed.length > 0 ? [] : faultsOfCount(each, enabling).map((fault) => issue(path, fault));
  const inner = checkedRows(each, enabling).flatMap(({ items }) =>
    items.flatMap((child) => issuesOfItem(child, enabling)),
  );
  const filled = responseItem(each, enabling);
  const held = filled.flatMap((value) =>
    violated(item.constraints, value, { base: 'QuestionnaireResponse.item', response: undefined }).map(
      ({ fault, severity }) => issue(path, fault, severity),
    ),
  );
  return [...counted, ...typed, ...held, ...inner];
}

/** Nobody can answer what is within a hidden item, and an empty row of a repeating group is not sent. */
function checkedRows({ item, occurrences }: FilledItem, enabling: Enabling): readonly Occurrence[] {
  if (item.hidden === true) return [];
  if (item.type !== 'group' || !item.repeats) return occurrences;
  return occurrences.filter(({ items }) => items.some((child) => isTouched(child, enabling)));
}

/** Whether anything was typed in the item or within it. */
function isTouched(each: FilledItem, enabling: Enabling): boolean {
  if (!enabling.isEnabled(each)) return false;
  return each.occurrences.some(
    ({ answer, fault, items }) =>
      answer !== undefined || fault !== undefined || items.some((child) => isTouched(child, enabling)),
  );
}

function faultsOfOccurrence(
  item: RenderReadyItem,
  { path, answer, fault }: Occurrence,
  issue: (at: string, fault: FormFault, severity?: FormIssue['severity']) => FormIssue,
): FormIssue[] {
  if (fault !== undefined) return [issue(path, fault)];
  // A value that nobody may change is the author's.
  if (answer === undefined || isFixed(item)) return [];
  const faults = faultsOfAnswer(item, answer).map((each) => issue(path, each));
  return faults.length > 0 ? faults : doubtsOfAnswer(item, answer).map((each) => issue(path, each, 'warning'));
}

function faultsOfCount(each: FilledItem, enabling: Enabling): FormFault[] {
  const { item } = each;
  if (item.type === 'display') return [];
  const answers = answersOf(each);
  const count = item.type === 'group' ? responseItem(each, enabling).length : answers.length;
  const { min_answers: least, max_answers: most } = item.limits ?? {};
  const faults: FormFault[] = [];
  if (item.required && isMissing(each, enabling)) {
    // Nobody can answer what is hidden or may not be changed.
    return isFixed(item) ? [] : [{ code: item.type === 'group' ? 'required_group' : 'required' }];
  }
  if (count > 0 && least !== undefined && count < least) faults.push({ code: 'too_few', values: { limit: least } });
  if (!item.repeats && count > 1) faults.push({ code: 'too_many', values: { limit: 1 } });
  else if (most !== undefined && count > most) faults.push({ code: 'too_many', values: { limit: most } });
  const exclusive = (item.options ?? []).filter((option) => option.exclusive === true);
  const isAlone = answers.some((answer) => exclusive.some((option) => isSameAnswer(option.answer, answer)));
  if (isAlone && answers.length > 1) faults.push({ code: 'exclusive' });
  return faults;
}

/** A required group is missing when one of its questions could be answered, and none is. */
function isMissing(each: FilledItem, enabling: Enabling): boolean {
  if (each.item.type !== 'group') return answersOf(each).length === 0;
  const questions = answerableIn(each, enabling);
  return questions.length > 0 && questions.every((question) => answersOf(question).length === 0);
}

interface Held {
  readonly fault: FormFault;
  readonly severity: FormIssue['severity'];
}

/** The constraints that do not hold. One that cannot be evaluated forbids nothing. */
function violated(
  constraints: readonly RenderReadyConstraint[] | undefined,
  value: unknown,
  { base, response }: { readonly base: string; readonly response: unknown },
): Held[] {
  return (constraints ?? []).flatMap(({ expression, message, severity }) => {
    if (holds(expression, value, { base, response })) return [];
    return [{ severity, fault: { code: 'constraint', values: { message } } }];
  });
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
    const test = compileFhirPath(expression, place.base, true);
    return test(value, { resource: place.response, root: place.response, lookups: NO_LOOKUPS });
  } catch {
    return true;
  }
}
