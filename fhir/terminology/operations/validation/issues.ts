// Issues of a code validation as an OperationOutcome, with the codes of HL7's tx-issue-type
// (hl7.org/fhir/tools/CodeSystem/tx-issue-type).
import { TX_ISSUE_TYPE } from '#fhir/resources/operation-outcome.ts';
import type { Json } from '../../json.ts';

export type IssueKind =
  | 'not-found'
  | 'not-in-vs'
  | 'this-code-not-in-vs'
  | 'vs-invalid'
  | 'invalid-display'
  | 'display-comment'
  | 'invalid-code'
  | 'invalid-data'
  | 'cannot-infer'
  | 'code-comment'
  | 'code-rule'
  | 'status-check'
  | 'version-error';

export interface Issue {
  readonly severity: 'error' | 'warning' | 'information';
  readonly kind: IssueKind;
  readonly message: string;
  /** FHIRPath of the element, such as `Coding.display`; undefined for the whole. */
  readonly expression: string | undefined;
  /** Whether `message` of a valid code repeats it; that of an invalid one has every error, and nothing else. */
  readonly isNotable?: boolean;
}

/** FHIR issue-type of each kind. */
export const CODES: Readonly<Record<IssueKind, string>> = {
  'not-found': 'not-found',
  'not-in-vs': 'code-invalid',
  'this-code-not-in-vs': 'code-invalid',
  'vs-invalid': 'invalid',
  'invalid-display': 'invalid',
  'display-comment': 'invalid',
  'invalid-code': 'code-invalid',
  'invalid-data': 'invalid',
  'cannot-infer': 'not-found',
  'code-comment': 'business-rule',
  'code-rule': 'business-rule',
  'status-check': 'business-rule',
  'version-error': 'exception',
};

/** Every issue has its place in `expression`, and most in R5's deprecated `location` too (docs/adr/0142). */
export function issuesResource(issues: readonly Issue[]): Json {
  const isUnknownCode = hasUnknownCode(issues);
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(({ severity, kind, message, expression }) => ({
      severity,
      code: CODES[kind],
      details: { coding: [{ system: TX_ISSUE_TYPE, code: kind }], text: message },
      ...(expression === undefined ? {} : placeAt(expression, isInExpressionAlone(kind, isUnknownCode))),
    })),
  };
}

/** So many issues are in an answer. */
const MAX_ISSUES = 1_000;

/** The first issues; the last of many says how many more there are. */
export function firstIssues(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - MAX_ISSUES + 1;
  if (more <= 1) return issues;
  const message = `${more} more issues are not shown`;
  const last: Issue = { severity: 'information', kind: 'code-comment', message, expression: undefined };
  return [...issues.slice(0, MAX_ISSUES - 1), last];
}

/** Asked once for all issues of an answer, as there may be thousands. */
export function hasUnknownCode(issues: readonly Issue[]): boolean {
  return issues.some(({ kind }) => kind === 'invalid-code');
}

/** Whether the place of an issue does not stand in `location` (docs/adr/0142). */
export function isInExpressionAlone(kind: IssueKind, isUnknownCode: boolean): boolean {
  return isUnknownCode || kind === 'this-code-not-in-vs';
}

function placeAt(expression: string, isAlone: boolean): Json {
  const place = [expression];
  return isAlone ? { expression: place } : { location: place, expression: place };
}

export function hasError(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}

/** The messages of an answer in one text; undefined when there is nothing to say. */
export function messageOf(issues: readonly Issue[], isValid: boolean): string | undefined {
  const reported = issues.filter(({ severity, isNotable }) => (isValid ? isNotable === true : severity === 'error'));
  if (reported.length < 2) return reported[0]?.message;
  return [...new Set(reported.map(({ message }) => message))].sort().join('; ');
}
