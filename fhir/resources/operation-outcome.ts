// OperationOutcome, the error form of every FHIR path (decision G3; hl7.org/fhir/R5/operationoutcome.html).
import { ERROR_CODES, type Fault, type ServiceError, shownFaults } from '#lib/errors.ts';

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

/** One issue per fault, or a single one with the error's own message. */
export function outcomeOfError(error: ServiceError): OperationOutcome {
  const faults: readonly Fault[] = error.faults.length > 0 ? error.faults : [{ message: error.message }];
  const coding = [{ system: ERROR_CODE_SYSTEM, code: error.code }];
  return {
    resourceType: 'OperationOutcome',
    issue: faults.map((fault) => ({
      ...outcomeIssue(fault, ERROR_CODES[error.code].issue),
      details: { coding, text: printable(fault.message) },
    })),
  };
}

/** The outcome of a validation, of as many issues as are shown: a single `success` when there is no fault. */
export function outcomeOfFaults(faults: readonly Fault[]): OperationOutcome {
  if (faults.length > 0)
    return { resourceType: 'OperationOutcome', issue: shownFaults(faults).map((f) => outcomeIssue(f, 'invalid')) };
  return {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'success', code: 'success', details: { text: 'No fault was found' } }],
  };
}

function outcomeIssue({ severity, code: issue, message, field = '' }: Fault, defaultCode: string): OperationOutcomeIssue {
  const place = printable(field);
  return {
    severity: severity ?? 'error',
    code: issue ?? defaultCode,
    details: { text: printable(message) },
    ...(place.trim() === '' ? {} : { expression: [place] }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** A message may repeat what was sent, and that may hold what no FHIR text may. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, '\ufffd');
}
