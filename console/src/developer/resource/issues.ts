// What a validation, or a write that was refused, says of a resource: each issue with its line in the text.
import type { OperationOutcome } from 'fhir/r5';
import { Problem } from '../../api/problem.ts';
import { JsonSyntaxError, readTree } from '../code/json-tree.ts';
import { lineOf, lineOfExpression } from '../code/lines.ts';

export interface TextIssue {
  /** From 1; undefined where it is about no place in the text. */
  readonly line: number | undefined;
  readonly isError: boolean;
  /** In English, as servers say it; undefined for a text that is no JSON. */
  readonly text: string | undefined;
}

/** What keeps the text from being JSON, if anything does. */
export function syntaxIssue(text: string): TextIssue | undefined {
  try {
    readTree(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { line: lineOf(text, error.offset), isError: true, text: undefined };
  }
}

/** `text` is the JSON that was sent. */
export function issuesOf(outcome: OperationOutcome, text: string): readonly TextIssue[] {
  return outcome.issue.flatMap(({ severity, expression: [expression] = [], details, diagnostics }) => {
    if (severity === 'success' || severity === 'information') return [];
    const line = expression === undefined ? undefined : lineOfExpression(text, expression);
    return [{ line, isError: severity !== 'warning', text: details?.text ?? diagnostics ?? '' }];
  });
}

/** Those of a refusal; undefined where it is none that names issues. */
export function refusedIssues(error: unknown, text: string): readonly TextIssue[] | undefined {
  if (!(error instanceof Problem) || error.status === 412 || error.status >= 500) return undefined;
  const outcome = error.body as OperationOutcome | undefined;
  return Array.isArray(outcome?.issue) ? issuesOf(outcome, text) : undefined;
}
