// The error of a value set or code that cannot be used; the message follows the name of the parameter.

export type TerminologyIssue = 'not-found' | 'too-costly' | 'not-supported' | 'code-invalid' | 'invalid' | 'required';

export class TerminologyError extends Error {
  readonly issue: TerminologyIssue;
  /** The code in HL7's tx-issue-type, if there is one (`vs-invalid`, `version-error` …). */
  readonly kind: string | undefined;

  constructor(issue: TerminologyIssue, message: string, kind?: string) {
    super(message);
    this.issue = issue;
    this.kind = kind;
  }
}
