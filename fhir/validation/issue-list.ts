// The issues of one validation, up to a limit. A body of megabytes may have hundreds of thousands of errors; validation
// ends at the limit (docs/adr/0042).
import type { Issue } from '#lib/errors.ts';

/** The most issues that a validation reports; the last may say that there are more. */
export const MAX_ISSUES = 100;
/** UTF-16 units of a message or place: these repeat names that a client chose. */
const MAX_TEXT = 2_000;

/** Thrown to end a validation that has reached the limit. */
export class EnoughIssues extends Error {}

/** Thrown to end a trial at its first error. */
class FirstError extends Error {}

type Soften = (issue: Issue) => Issue;

export class IssueList {
  readonly #kept: Issue[] = [];
  #errors = 0;
  #isCut = false;
  #isTrial = false;
  #soften: Soften | undefined;

  /**
   * Adds an issue. At the limit, errors replace warnings, so that a resource with an error is never reported as valid.
   * @throws EnoughIssues when there are {@link MAX_ISSUES} errors
   */
  add(given: Issue): void {
    if (this.#isTrial) {
      if (isError(given)) throw new FirstError(given.message);
      return;
    }
    const issue = cut(this.#soften === undefined ? given : this.#soften(given));
    const isFull = this.#kept.length >= MAX_ISSUES - 1;
    if (isFull) this.#isCut = true;
    if (!isError(issue)) {
      if (!isFull) this.#kept.push(issue);
      return;
    }
    this.#errors += 1;
    if (this.#errors >= MAX_ISSUES) throw new EnoughIssues();
    if (isFull)
      this.#kept.splice(
        this.#kept.findLastIndex((each) => !isError(each)),
        1,
      );
    this.#kept.push(issue);
  }

  /** Runs work without keeping its issues; returns whether it finds no error, and its first error. */
  trial(work: () => void): { readonly holds: boolean; readonly first: string } {
    const before = this.#isTrial;
    this.#isTrial = true;
    try {
      work();
      return { holds: true, first: '' };
    } catch (error) {
      if (error instanceof FirstError) return { holds: false, first: cutText(error.message) };
      throw error;
    } finally {
      this.#isTrial = before;
    }
  }

  /** Runs work; `soften` changes each issue before it is kept. */
  softened(soften: Soften, work: () => void): void {
    const before = this.#soften;
    this.#soften = soften;
    try {
      work();
    } finally {
      this.#soften = before;
    }
  }

  /** All kept issues; the last says when there are more. */
  all(): Issue[] {
    if (!this.#isCut) return [...this.#kept];
    const message = `There are more errors than these ${this.#kept.length}: correct them and try again`;
    return [...this.#kept, { message, code: 'informational', severity: 'information' }];
  }
}

/** Neither a warning nor an information: an issue without a severity is an error. */
export function isError({ severity }: Issue): boolean {
  return severity === undefined || severity === 'error';
}

function cut(issue: Issue): Issue {
  const { message, field = '' } = issue;
  if (message.length <= MAX_TEXT && field.length <= MAX_TEXT) return issue;
  return { ...issue, message: cutText(message), ...(field === '' ? {} : { field: cutText(field) }) };
}

function cutText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`;
}
