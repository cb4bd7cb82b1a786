// Checks a QuestionnaireResponse against its Questionnaire (hl7.org/fhir/R5/questionnaireresponse.html#7.5.5.1), by the
// same rules as a form that is filled in at a page. It finds every issue, each at its item.
import type { Issue } from '#lib/errors.ts';
import { checkForm } from './check-form.ts';
import { dependsOnTime } from './expressions/evaluator.ts';
import { type Solved, solveInService } from './expressions/in-service.ts';
import { type IssueCode, issueText } from './issue-text.ts';
import { buildRenderReady } from './questionnaire/render-ready.ts';
import { type ResponseIssueAt, readResponse } from './read-response.ts';
import { isSameAnswer } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** An issue of a response. `field` is a FHIRPath expression of the nearest element that is there. */
export interface ResponseIssue extends Issue {
  /** The item of the form; undefined for an issue of the whole response. */
  readonly linkId?: string;
}

/** A response with more issues is reported as far as this. */
const MOST_ISSUES = 1_000;
const LONGEST_NAME = 100;

/**
 * Returns the issues of the response; warnings are those of constraints that the form's author made warnings. The
 * questionnaire is self-contained: codes of ValueSets that it does not contain are not checked. Pure. Call it in a
 * thread: constraints are expressions of the form's author.
 * @param response a valid R5 QuestionnaireResponse, as `parseExactJson` reads it, so that decimals keep their digits
 */
export function checkResponse(questionnaire: Json, response: Json): ResponseIssue[] {
  const form = buildRenderReady(questionnaire, '');
  const { items, issuesOf } = readResponse(form.items, response);
  const solved = solveInService(form, items, false);
  const { enabling } = solved;
  const checked = checkForm(form, items, enabling, response).map((issue) => ({
    ...issue,
    linkId: issue.item?.link_id,
  }));
  return [...issuesOf(enabling), ...miscalculated(solved), ...checked].slice(0, MOST_ISSUES).map(shown);
}

/** A calculated answer that nobody may change is what its expression gives for the other answers. */
function miscalculated({ enabling, calculated }: Solved): ResponseIssueAt[] {
  return [...calculated].flatMap(([each, answers]): ResponseIssueAt[] => {
    const { item, path, given = [], occurrences } = each;
    if (!item.read_only || given.length === 0 || !enabling.isEnabled(each) || dependsOnTime(item.calculated ?? ''))
      return [];
    const isSame =
      occurrences.length === answers.length &&
      answers.every((answer, index) => isSameAnswer(answer, occurrences[index]?.answer ?? {}));
    if (isSame) return [];
    return [{ code: 'fixed', severity: 'error', path, label: item.label, item, linkId: item.link_id }];
  });
}

/** FHIR's issue-types; `value` for the others. */
const CODES: Partial<Record<IssueCode, string>> = {
  required: 'required',
  required_group: 'required',
  too_few: 'required',
  option: 'code-invalid',
  max_length: 'too-long',
  max_bytes: 'too-long',
  unknown_item: 'not-found',
  shape: 'structure',
  not_enabled: 'business-rule',
  fixed: 'business-rule',
  exclusive: 'business-rule',
  constraint: 'invariant',
};

function shown(issue: Omit<ResponseIssueAt, 'linkId'> & { readonly linkId: string | undefined }): ResponseIssue {
  const { code, severity, path, label, linkId } = issue;
  const text = [issueText(issue, 'en'), ...hintOf(issue)].join(' ');
  const about = { code: CODES[code] ?? 'value', severity, field: path === '' ? 'QuestionnaireResponse' : path };
  if (linkId === undefined) return { ...about, message: text };
  const name = `Item ${cut(linkId)}${label === '' ? '' : ` (${cut(label)})`}`;
  return { ...about, message: `${name}: ${text}`, linkId };
}

/** What a program needs beside the words for people. */
function hintOf({ code, item }: Pick<ResponseIssueAt, 'code' | 'item'>): string[] {
  const { pattern } = item?.limits ?? {};
  if (code === 'type' && item?.answer_element !== undefined) return [`It has ${item.answer_element}.`];
  return code === 'pattern' && pattern !== undefined ? [`The pattern is ${pattern}`] : [];
}

function cut(text: string): string {
  return text.slice(0, LONGEST_NAME).toWellFormed();
}
