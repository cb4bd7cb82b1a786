// OperationOutcome, the error form of every FHIR path (decision G3; hl7.org/fhir/R5/operationoutcome.html).
import { ERROR_CODES, type Issue, type ServiceError, shownIssues } from '#lib/errors.ts';

/** The system of our error codes in `issue.details.coding`. */
const ERROR_CODE_SYSTEM = 'https://kedja.dev/codes/error';

export interface OperationOutcomeIssue {
  readonly severity: 'fatal' | 'error' | 'warning' | 'information' | 'success';
  readonly code: string;
  readonly details: {
    readonly coding?: readonly { readonly system: string; readonly code: string }[];
    readonly text: string;
  };
  readonly expression?: readonly string[];
}

export interface OperationOutcome {
  readonly resourceType: 'OperationOutcome';
  readonly issue: readonly OperationOutcomeIssue[];
}

/** The outcome of an error: one issue for each of its issues, or a single one with the error's own message. */
export function outcomeOfError(error: ServiceError): OperationOutcome {
  const issues: readonly Issue[] = error.issues.length > 0 ? error.issues : [{ message: error.message }];
  const coding = [{ system: ERROR_CODE_SYSTEM, code: error.code }];
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map((issue) => ({
      ...outcomeIssue(issue, ERROR_CODES[error.code].issue),
      details: { coding, text: printable(issue.message) },
    })),
  };
}

/** The outcome of a validation, with the issues that are shown; a single `success` when there is none. */
export function outcomeOfIssues(issues: readonly Issue[]): OperationOutcome {
  if (issues.length > 0)
    return { resourceType: 'OperationOutcome', issue: shownIssues(issues).map((f) => outcomeIssue(f, 'invalid')) };
  return {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'success', code: 'success', details: { text: 'No issues were found' } }],
  };
}

function outcomeIssue(
  { severity, code: issueCode, message, field = '' }: Issue,
  defaultCode: string,
): OperationOutcomeIssue {
  const place = printable(field);
  return {
    severity: severity ?? 'error',
    code: issueCode ?? defaultCode,
    details: { text: printable(message) },
    ...(place.trim() === '' ? {} : { expression: [place] }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Removes characters that no FHIR text may hold: a message may repeat input. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, '\ufffd');
}
