// The issues of one coding while it is checked.
import type { Issue, IssueKind } from './issues.ts';

export type Severity = Issue['severity'];

export class IssueList {
  readonly #path: string;
  readonly #issues: Issue[] = [];

  /** `path` is the FHIRPath of the coding: `Coding`, `CodeableConcept.coding[0]`, or empty for bare parameters. */
  constructor(path: string) {
    this.#path = path;
  }

  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** Adds an issue of a member of the coding. */
  add(severity: Severity, kind: IssueKind, member: string, message: string): void {
    this.#issues.push({ severity, kind, message, expression: this.expressionOf(member) });
  }

  /** Adds an issue of the coding as a whole; of bare parameters it is one of the code. */
  addOfCoding(issue: Omit<Issue, 'expression'>): void {
    this.#issues.push({ ...issue, expression: this.#path === '' ? 'code' : this.#path });
  }

  /** Adds an issue that a part of the check has found. */
  addFound(member: string, issue: Omit<Issue, 'expression'> | undefined): void {
    if (issue !== undefined) this.#issues.push({ ...issue, expression: this.expressionOf(member) });
  }

  expressionOf(member: string): string {
    return this.#path === '' ? member : `${this.#path}.${member}`;
  }
}
