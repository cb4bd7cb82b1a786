// Issues of a code validation as an OperationOutcome, with the codes of HL7's tx-issue-type
// (hl7.org/fhir/tools/CodeSystem/tx-issue-type).
import type { Json } from '../json.ts';

const KINDS_SYSTEM = 'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type';

export type IssueKind =
  | 'not-found'
  | 'not-in-vs'
  | 'this-code-not-in-vs'
  | 'vs-invalid'
  | 'invalid-display'
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
  /** FHIRPath of the element, such as `Coding.display`. */
  readonly expression: string;
}

/** FHIR issue-type of each kind. */
const CODES: Readonly<Record<IssueKind, string>> = {
  'not-found': 'not-found',
  'not-in-vs': 'code-invalid',
  'this-code-not-in-vs': 'code-invalid',
  'vs-invalid': 'invalid',
  'invalid-display': 'invalid',
  'invalid-code': 'code-invalid',
  'invalid-data': 'invalid',
  'cannot-infer': 'not-found',
  'code-comment': 'business-rule',
  'code-rule': 'business-rule',
  'status-check': 'business-rule',
  'version-error': 'exception',
};

export function issuesResource(issues: readonly Issue[]): Json {
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(({ severity, kind, message, expression }) => ({
      severity,
      code: CODES[kind],
      details: { coding: [{ system: KINDS_SYSTEM, code: kind }], text: message },
      expression: [expression],
    })),
  };
}

export function hasError(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error');
}
