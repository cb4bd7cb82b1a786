// OperationOutcome, the error form of every FHIR path (decision G3; hl7.org/fhir/R5/operationoutcome.html).
import { ERROR_CODES, type Issue, type ServiceError, shownIssues } from '#lib/errors.ts';

/** The system of our error codes in `issue.details.coding`. */
const ERROR_CODE_SYSTEM = 'https://kedja.dev/codes/error';
/** Our error code where `issue.details.coding` has HL7's code of a terminology error (docs/adr/0104). */
const ERROR_CODE_EXTENSION = 'https://kedja.dev/fhir/StructureDefinition/error-code';
/** HL7's kinds of terminology issues. */
export const TX_ISSUE_TYPE = 'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type';

interface CodeOfError {
  readonly system: string;
  readonly code: string;
}

export interface OperationOutcomeIssue {
  readonly extension?: readonly { readonly url: string; readonly valueCoding: CodeOfError }[];
  readonly severity: 'fatal' | 'error' | 'warning' | 'information' | 'success';
  readonly code: string;
  readonly details: {
    readonly coding?: readonly CodeOfError[];
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
  const own = { system: ERROR_CODE_SYSTEM, code: error.code };
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map((issue) => {
      const { txIssueType } = issue;
      const coding = txIssueType === undefined ? own : { system: TX_ISSUE_TYPE, code: txIssueType };
      return {
        ...(txIssueType === undefined ? {} : { extension: [{ url: ERROR_CODE_EXTENSION, valueCoding: own }] }),
        ...outcomeIssue(issue, ERROR_CODES[error.code].issue),
        details: { coding: [coding], text: printable(issue.message) },
      };
    }),
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
