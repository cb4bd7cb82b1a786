// Why a value set or code cannot be used: said to whoever asked, in a sentence that goes behind what was asked for.

export type TerminologyIssue = 'not-found' | 'too-costly' | 'not-supported' | 'code-invalid' | 'invalid' | 'required';

export class TerminologyError extends Error {
  readonly issue: TerminologyIssue;
  /** The kind in HL7's code system tx-issue-type, where there is one (`vs-invalid`, `version-error` …). */
  readonly kind: string | undefined;

  constructor(issue: TerminologyIssue, message: string, kind?: string) {
    super(message);
    this.issue = issue;
    this.kind = kind;
  }
}
