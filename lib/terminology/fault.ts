// Why a value set or code cannot be used: said to whoever asked, in a sentence that goes behind what was asked for.

export type TerminologyIssue = 'not-found' | 'too-costly' | 'not-supported' | 'code-invalid' | 'invalid';

export class TerminologyFault extends Error {
  readonly issue: TerminologyIssue;

  constructor(issue: TerminologyIssue, message: string) {
    super(message);
    this.issue = issue;
  }
}
