// The issues of an operation's parameters, and the error that ends it, as one error.
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';
import type { TerminologyError } from '../terminology-error.ts';
import type { Inputs } from './inputs.ts';

/**
 * The error of an operation: the issues of its parameters; when there are none, the error that ended it. A missing
 * parameter is reported with the other issues.
 */
export function errorOfInputs(inputs: Inputs, ended: TerminologyError | undefined): ServiceError {
  const issues = reportedIssues(inputs, ended);
  // Reading the remaining parameters may have found the first error.
  return ended !== undefined && inputs.issues.length === 0 ? errorOf(ended) : validationError(issues);
}

function reportedIssues(inputs: Inputs, ended: TerminologyError | undefined): Issue[] {
  // An earlier issue may be the reason why a parameter is missing.
  const isMissing = ended?.issue === 'required' && inputs.issues.length === 0;
  const issues: Issue[] = inputs.allIssues().map(({ name, message }) => ({ field: name, message, code: 'value' }));
  const isReported = ended !== undefined && (isMissing || issues.length === 0);
  return isReported ? [...issues, { message: ended.message, code: ended.issue }] : issues;
}

function errorOf({ issue, message, kind, expression }: TerminologyError): ServiceError {
  // A message that begins with the name of a parameter, or with a URL, keeps its first letter.
  const isSentence = issue === 'required' || /^\w+:\S/.test(message);
  const sentence = isSentence ? message : message.charAt(0).toUpperCase() + message.slice(1);
  const place = expression === undefined ? {} : { field: expression };
  const issues = [{ message: sentence, code: issue, ...place, ...(kind === undefined ? {} : { txIssueType: kind }) }];
  switch (issue) {
    case 'not-found':
      return new ServiceError('not_found', sentence, { issues });
    case 'required':
      return new ServiceError('invalid_request', sentence, { issues });
    default:
      return new ServiceError('unprocessable', sentence, { issues });
  }
}
