// The error of a value set or code that cannot be used; the message follows the name of the parameter.

/** Issue types of FHIR (hl7.org/fhir/R5/valueset-issue-type.html). */
export type TerminologyIssue =
  | 'not-found'
  | 'too-costly'
  | 'not-supported'
  | 'code-invalid'
  | 'invalid'
  | 'required'
  | 'processing'
  | 'exception'
  | 'business-rule';

export interface TerminologyErrorDetails {
  /** The FHIRPath of the element in the definition that is the cause. */
  readonly expression?: string;
  /** The canonical of the code system that is unknown, when this is the cause. */
  readonly unknownSystem?: string;
}

/** Issue types for which HL7's tx-issue-type has the same code. */
const KIND_OF_ISSUE: Partial<Readonly<Record<TerminologyIssue, string>>> = { 'too-costly': 'too-costly' };

export class TerminologyError extends Error {
  readonly issue: TerminologyIssue;
  /** The code in HL7's tx-issue-type, if there is one (`vs-invalid`, `version-error` …). */
  readonly kind: string | undefined;
  readonly expression: string | undefined;
  readonly unknownSystem: string | undefined;

  constructor(issue: TerminologyIssue, message: string, kind?: string, details: TerminologyErrorDetails = {}) {
    super(message);
    this.issue = issue;
    this.kind = kind ?? KIND_OF_ISSUE[issue];
    this.expression = details.expression;
    this.unknownSystem = details.unknownSystem;
  }
}
